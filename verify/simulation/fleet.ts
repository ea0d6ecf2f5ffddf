import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { RunReport } from "./run-seed.ts";

/** Which seeds to run, and how. Each is a market of its own, so that they share nothing but the machine. */
export interface FleetOrder {
  readonly firstSeed: number;
  readonly seedCount: number;
  readonly hours: number;
  readonly isEveryFaultArmed: boolean;
  /** The books in memory, or the real ones of the embedded store. */
  readonly store: "memory" | "embedded";
  /** Every so many seeds one is run twice, and its traces compared; 0: none. */
  readonly repeatEvery: number;
}

/** The seeds of one worker: every `step`-th from its own start. */
export interface FleetShare extends FleetOrder {
  readonly start: number;
  readonly step: number;
}

/** Runs all seeds over the machine's processors; settles with the last of them. */
export async function runFleet(order: FleetOrder, onReport: (report: RunReport) => void): Promise<void> {
  const step = Math.min(availableParallelism(), order.seedCount);
  await Promise.all(
    Array.from({ length: step }, (_unused, start) => runShare({ ...order, start, step }, onReport)),
  );
}

function runShare(share: FleetShare, onReport: (report: RunReport) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("fleet-worker.ts", import.meta.url), { workerData: share });
    worker.on("message", onReport);
    worker.on("error", reject);
    worker.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });
}
