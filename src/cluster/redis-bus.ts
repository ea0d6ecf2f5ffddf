import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Bus } from "./bus.ts";
import type { Redis } from "./redis.ts";
import type { Signatures } from "./signatures.ts";
import { createStreamEar, MESSAGE_FIELD } from "./stream-ear.ts";
import type { StreamWorker } from "./stream-worker.ts";
import { startStreamWorker } from "./stream-worker.ts";

/** The shape of what is said: nodes of another shape neither hear nor are heard. */
const PREFIX = "synapse:2:";
/** Whoever is away for longer reads the store instead. */
const TOLD_FOR_MS = 120_000;
/** What nobody takes is stale long before so many wait. */
const MAX_GIVEN = 20_000;

export interface RedisBusDeps {
  readonly redis: Redis;
  /** Names this process among several. */
  readonly name: string;
  readonly signatures: Signatures;
  readonly clock: Clock;
  readonly log: Log;
}

/** The bus on Redis Streams: heard by reading all, worked off by a consumer group. */
export function createRedisBus(deps: RedisBusDeps): Bus & { stop(): Promise<void> } {
  const { redis, signatures, clock } = deps;
  const ear = createStreamEar(deps);
  const workers = new Set<StreamWorker>();

  const nowMs = async (): Promise<number> => timeOf(await redis.client.sendCommand(["TIME"]));

  return {
    nowMs,
    async tell(topic, message) {
      await redis.client.xAdd(
        keyOf(topic),
        "*",
        { [MESSAGE_FIELD]: signatures.sign(topic, message) },
        {
          TRIM: { strategy: "MINID", strategyModifier: "~", threshold: clock.nowMs() - TOLD_FOR_MS },
        },
      );
    },
    async hear(topic, listener, sinceMs) {
      const since = `${(sinceMs ?? (await nowMs())) - 1}-0`;
      return await ear.hear(keyOf(topic), since, (signed, place, toldAtMs) => {
        const message = signatures.verified(topic, signed);
        if (message !== null) listener(message, place, toldAtMs);
      });
    },
    async give(topic, message) {
      await redis.client.xAdd(
        keyOf(topic),
        "*",
        { [MESSAGE_FIELD]: signatures.sign(topic, message) },
        {
          TRIM: { strategy: "MAXLEN", strategyModifier: "~", threshold: MAX_GIVEN },
        },
      );
    },
    async work(topic, worker) {
      const take = async (signed: string): Promise<void> => {
        const message = signatures.verified(topic, signed);
        // A forged one is done with: nobody takes it up again.
        if (message !== null) await worker.take(message);
      };
      const started = await startStreamWorker({ ...deps, key: keyOf(topic), worker: { ...worker, take } });
      workers.add(started);
      return async () => {
        workers.delete(started);
        await started.stop();
      };
    },
    async stop() {
      await Promise.all([ear.stop(), ...Array.from(workers, (worker) => worker.stop())]);
    },
  };
}

export function keyOf(topic: string): string {
  return `${PREFIX}${topic}`;
}

function timeOf(answer: unknown): number {
  if (!Array.isArray(answer)) throw new TypeError("Redis tells no time");
  const [seconds, microseconds] = answer.map(Number);
  return Math.floor((seconds ?? 0) * 1_000 + (microseconds ?? 0) / 1_000);
}
