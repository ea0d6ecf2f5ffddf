import { expect, test } from "vitest";
import { z } from "zod";
import { askProduct } from "#cli/ask-product.ts";
import { parseCommand } from "#cli/parse-command.ts";
import { rejeu } from "#contract/filtres/rejeu.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { signInAt } from "#verify/testing/person.ts";
import { spawnProduct } from "#verify/testing/product-process.ts";
import { preparedFolder } from "#verify/testing/test-store.ts";

/** The default history of the first start, imported by a process that is killed during the import. */

const GIVEN = 20_000;
const progress = z.object({ given: z.number(), read: z.number() });
const archiveFacts = z.object({
  ready: z.boolean(),
  days: z.number(),
  versions: z.number(),
  listings: z.number(),
  example_versions: z.number(),
});

test("the first start's history is imported once, through a kill, and answers backtests as made up", async () => {
  await using folder = await preparedFolder();
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const settings = {
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: folder.path,
    SANDBOX_LISTINGS_PER_SECOND: "0.01",
    SANDBOX_HISTORY_DAYS: "30",
  };
  const history = async () => {
    const answer = await fetch(`http://localhost:${sandboxPort}/control/history`).catch(() => null);
    return answer === null ? { given: 0, read: 0 } : progress.parse(await answer.json());
  };
  await using killed = spawnProduct(settings);
  killed.ready.catch(() => undefined);
  await expect.poll(async () => (await history()).read, { interval: 10 }).toBeGreaterThan(0);
  killed.kill("SIGKILL");
  await killed.ended;

  await using product = spawnProduct(settings);
  await product.ready;
  await expect.poll(history).toEqual({ given: GIVEN, read: GIVEN });
  const answer = await askProduct(parseCommand(["archive"], folder.path), folder.path);
  const facts = archiveFacts.parse(answer.ok ? answer.data : null);
  // No duplicates; thirty full days and the part of a day in which the period began.
  expect(facts).toMatchObject({ ready: true, example_versions: GIVEN });
  expect(facts.listings).toBeGreaterThanOrEqual(GIVEN);
  expect(facts.days).toBe(31);

  const person = await signInAt(`http://localhost:${port}`, "thunder-past");
  const { body } = await person.raw("POST", "/filtres/rejeu", { types: { ids: [221] }, limit: 1_000 });
  const run = z.object({ rejeu }).parse(body).rejeu;
  expect(run.couverture).toMatchObject({ exemple: true, jours: 30 });
  expect(run.articles).toBeGreaterThan(500);
  expect(run.jours).toHaveLength(30);
  // The last day is today, which may have just begun.
  expect(run.jours.slice(0, -1).filter(({ articles }) => articles > 0)).toHaveLength(29);
});
