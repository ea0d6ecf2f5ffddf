import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { BusListener } from "./bus.ts";
import type { Redis } from "./redis.ts";
import { createRepairStream, isFarAhead, momentOf } from "./stream-repair.ts";

/** Hears streams from a place on: every entry, in order, on a connection of its own. */
export interface StreamEar {
  /** @param since a place in the stream: what stands behind it is heard */
  hear(key: string, since: string, listener: BusListener): Promise<() => void>;
  stop(): Promise<void>;
}

const BLOCK_MS = 1_000;
const ENTRIES_AT_ONCE = 500;
const AGAIN_AFTER_MS = 200;
export const MESSAGE_FIELD = "m";
export const PLACE_FIELD = "p";

interface Heard {
  place: string;
  readonly listeners: Set<BusListener>;
}

interface EarDeps {
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Log;
}

export function createStreamEar(deps: EarDeps): StreamEar {
  const { redis, clock, log } = deps;
  const loops = new Map<string, Promise<void>>();
  const heard = new Map<string, Heard>();
  const life = { isStopped: false };
  const repair = createRepairStream(redis);

  async function listen(key: string, state: Heard): Promise<void> {
    const connection = await redis.connection();
    while (!life.isStopped) {
      try {
        const answer = await connection.xRead([{ key, id: state.place }], {
          BLOCK: BLOCK_MS,
          COUNT: ENTRIES_AT_ONCE,
        });
        const entries = entriesOf(answer);
        // Asked of Redis's clock, which gives the places: ours may be behind.
        const isSpoilt = entries.some(({ id }) => isFarAhead(id, clock.nowMs())) && (await repair(key));
        if (isSpoilt) log.warn({ task: key }, "a stream that somebody else spoilt was dropped");
        for (const entry of entries) handOn(deps, state, { entry, isSpoilt });
      } catch (error) {
        if (life.isStopped) return;
        log.warn(
          { errorName: error instanceof Error ? error.name : "unknown" },
          "a stream could not be heard",
        );
        await sleep(clock, AGAIN_AFTER_MS);
        await repair(key).catch(() => undefined);
      }
    }
  }

  return {
    async hear(key, since, listener) {
      let state = heard.get(key);
      if (state === undefined) {
        state = { place: since, listeners: new Set([listener]) };
        heard.set(key, state);
        loops.set(key, listen(key, state));
      } else state.listeners.add(listener);
      const { listeners } = state;
      return () => {
        listeners.delete(listener);
      };
    },
    async stop() {
      life.isStopped = true;
      await Promise.allSettled(loops.values());
    },
  };
}

/**
 * A place so far ahead that only somebody else can have written it is not taken over: whoever stood there would be
 * deaf to all that comes after.
 */
function handOn(
  { clock, log }: EarDeps,
  state: Heard,
  { entry, isSpoilt }: { readonly entry: Entry; readonly isSpoilt: boolean },
): void {
  const { id, message, place } = entry;
  const isBelieved = !(isSpoilt && isFarAhead(id, clock.nowMs()));
  if (isBelieved) state.place = id;
  if (message === null) return;
  const toldAtMs = isBelieved ? momentOf(id) : clock.nowMs();
  for (const listener of state.listeners) hand(() => listener(message, place, toldAtMs), log);
}

function hand(tell: () => void, log: Log): void {
  try {
    tell();
  } catch (error) {
    log.error(
      { errorName: error instanceof Error ? error.name : "unknown" },
      "a listener failed on a message",
    );
  }
}

interface Entry {
  readonly id: string;
  /** Null: none of ours. */
  readonly message: string | null;
  /** Null: it was told without one. */
  readonly place: string | null;
}

/** Whatever an answer of XREAD or XREADGROUP holds; nothing of it is believed unseen. */
export function entriesOf(answer: unknown): readonly Entry[] {
  if (!Array.isArray(answer)) return [];
  return answer.flatMap((stream: unknown) =>
    typeof stream === "object" && stream !== null && "messages" in stream && Array.isArray(stream.messages)
      ? entriesIn(stream.messages)
      : [],
  );
}

export function entriesIn(messages: readonly unknown[]): readonly Entry[] {
  return messages.flatMap((each) => {
    if (typeof each !== "object" || each === null || !("id" in each) || typeof each.id !== "string")
      return [];
    const fields = "message" in each ? each.message : null;
    return [{ id: each.id, message: fieldOf(fields, MESSAGE_FIELD), place: fieldOf(fields, PLACE_FIELD) }];
  });
}

function fieldOf(fields: unknown, name: typeof MESSAGE_FIELD | typeof PLACE_FIELD): string | null {
  if (typeof fields !== "object" || fields === null) return null;
  const value: unknown = Reflect.get(fields, name);
  return typeof value === "string" ? value : null;
}
