import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { runRepeated, runSeedEmbedded } from "./run-seed.ts";

/** The seeds of one worker thread. */
const share = z
  .object({
    firstSeed: z.number(),
    seedCount: z.number(),
    hours: z.number(),
    isEveryFaultArmed: z.boolean(),
    repeatEvery: z.number(),
    store: z.enum(["memory", "embedded"]),
    start: z.number(),
    step: z.number(),
  })
  .parse(workerData);

for (let index = share.start; index < share.seedCount; index += share.step) {
  const { hours, isEveryFaultArmed, repeatEvery } = share;
  const isRepeated = repeatEvery > 0 && index % repeatEvery === 0;
  const seed = share.firstSeed + index;
  const options = { seed, hours, isEveryFaultArmed, onLine: null };
  const report =
    share.store === "embedded" ? await runSeedEmbedded(options) : await runRepeated(options, isRepeated);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
  parentPort?.postMessage(report);
}
