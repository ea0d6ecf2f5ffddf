import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { filtre } from "#contract/filtres/filtre.ts";
import { parametres } from "#contract/parametres.ts";
import { MANDATE_VERSION } from "#domain/settings.ts";
import { startHttpWorld, type HttpWorld, type Person } from "./http-world.suite.ts";

/** On an outside marketplace automatic purchases need a mandate. */
let world: HttpWorld;
beforeAll(async () => {
  world = await startHttpWorld({ config: { isSandbox: false } });
});
afterAll(() => world[Symbol.asyncDispose]());

async function save(person: Person, mandat: number | null): Promise<number> {
  // The rate of saving: one every six seconds in the long run.
  await world.clock.advance(6_000);
  return (await person.post("/vinted/edit", { mandat })).status;
}

const addAutobuy = async (person: Person): Promise<number> =>
  (await person.post("/filtres/add", { tag: "Robe", autobuy: true })).status;

async function mandateOf(person: Person): Promise<unknown> {
  return z.object({ vinted: parametres }).parse((await person.get("/vinted/get")).body).vinted.mandat;
}

async function autobuyOf(person: Person): Promise<readonly boolean[]> {
  const { filtres } = z.object({ filtres: z.array(filtre) }).parse((await person.get("/filtres/get")).body);
  return filtres.map(({ autobuy }) => autobuy);
}

test("an automatic filter is saved only with the mandate, whose withdrawal switches all of them off", async () => {
  const person = await world.signIn("thunder");
  expect(await mandateOf(person)).toEqual({ requis: true, version: MANDATE_VERSION, accepte: null });
  expect(await addAutobuy(person)).toBe(403);
  expect(await save(person, MANDATE_VERSION + 1)).toBe(409);
  expect(await save(person, MANDATE_VERSION)).toBe(200);
  expect(await mandateOf(person)).toMatchObject({ accepte: MANDATE_VERSION });
  expect(await addAutobuy(person)).toBe(200);
  expect(await autobuyOf(person)).toEqual([true]);
  expect(await save(person, null)).toBe(200);
  expect(await autobuyOf(person)).toEqual([false]);
  const entries = await world.store.audit.ofUser(person.user.id, 20);
  const given = entries.map(({ details }) => details["mandate"]).filter((mandate) => mandate !== undefined);
  expect(given).toEqual([null, MANDATE_VERSION]);
});
