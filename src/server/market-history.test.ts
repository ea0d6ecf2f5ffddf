import { expect, test } from "vitest";
import { z } from "zod";
import { askProduct } from "#cli/ask-product.ts";
import { parseCommand } from "#cli/parse-command.ts";
import { HOUR_MS } from "#domain/clock.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { signInAt } from "#verify/testing/person.ts";
import { spawnProduct } from "#verify/testing/product-process.ts";
import { preparedFolder } from "#verify/testing/test-store.ts";
import { replayOf } from "./replay.suite.ts";

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
  const startedAtMs = Date.now();
  await using killed = spawnProduct(settings);
  killed.ready.catch(() => undefined);
  await expect.poll(async () => (await history()).read, { interval: 10 }).toBeGreaterThan(0);
  killed.kill("SIGKILL");
  await killed.ended;

  await using product = spawnProduct(settings);
  await product.ready;
  await expect.poll(history).toEqual({ given: GIVEN, read: GIVEN });
  const archive = await askProduct(parseCommand(["archive"], folder.path), folder.path);
  const facts = archiveFacts.parse(archive.ok ? archive.data : null);
  // No duplicates; nearly always thirty full days and the part of a day in which the period began.
  expect(facts.ready).toBe(true);
  expect(facts.example_versions).toBeLessThanOrEqual(GIVEN);
  // After a day of 23 hours the first hour may be older than the archive keeps.
  expect(facts.example_versions).toBeGreaterThan(GIVEN * 0.998);
  expect(facts.listings).toBeGreaterThanOrEqual(facts.example_versions);
  expect([parisDaysBefore(startedAtMs), parisDaysBefore(Date.now())]).toContain(facts.days);

  const person = await signInAt(`http://localhost:${port}`, "thunder-past");
  const run = await replayOf(person, { types: { ids: [221] }, limit: 1_000 });
  expect(run.couverture).toMatchObject({ exemple: true, jours: 30 });
  expect(run.articles).toBeGreaterThan(500);
  expect(run.jours).toHaveLength(30);
  // The last day is today, which may have just begun.
  expect(run.jours.slice(0, -1).filter(({ articles }) => articles > 0)).toHaveLength(29);
});

const parisDay = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Paris", dateStyle: "short" });

/** The number of days in Paris that thirty times 24 hours touch, of which an archive keeps today and thirty more. */
function parisDaysBefore(nowMs: number): number {
  const hours = Array.from({ length: 30 * 24 + 1 }, (_, hoursAgo) => nowMs - hoursAgo * HOUR_MS);
  return Math.min(31, new Set(hours.map((atMs) => parisDay.format(atMs))).size);
}
