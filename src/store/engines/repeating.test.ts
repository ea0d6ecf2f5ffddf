import { expect, test } from "vitest";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { startRepeating } from "./repeating.ts";

test("upkeep logs a failure, continues, and ends when it is disposed", async () => {
  const log = createQuietLog();
  const rounds: number[] = [];
  const third = Promise.withResolvers<void>();
  const repeating = startRepeating({
    name: "test",
    intervalMs: 1,
    log,
    async run() {
      const round = rounds.push(rounds.length + 1);
      if (round === 3) third.resolve();
      await (round === 1 ? Promise.reject(new TypeError("canary")) : Promise.resolve());
    },
  });
  await third.promise;
  await repeating[Symbol.asyncDispose]();
  const count = rounds.length;
  expect(rounds.slice(0, 3)).toEqual([1, 2, 3]);
  expect(log.lines).toEqual([
    { level: "warn", fields: { work: "test", error: "TypeError" }, message: "store upkeep failed" },
  ]);
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  expect(rounds).toHaveLength(count);
});
