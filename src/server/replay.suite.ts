import { expect } from "vitest";
import { z } from "zod";
import { rejeu } from "#contract/filtres/rejeu.ts";
import type { Person, RawAnswer } from "#verify/testing/person.ts";

/**
 * A person's backtest of a filter. On a busy machine it may take longer than the product's ten seconds; it is then
 * asked for again, as by the web.
 */
export async function replayOf(person: Person, filter: object): Promise<z.output<typeof rejeu>> {
  let answer: RawAnswer | undefined;
  const status = async () => (answer = await person.raw("POST", "/filtres/rejeu", filter)).status;
  await expect.poll(status).not.toBe(503);
  expect(answer?.status, JSON.stringify(answer?.body)).toBe(200);
  return z.object({ rejeu }).parse(answer?.body).rejeu;
}
