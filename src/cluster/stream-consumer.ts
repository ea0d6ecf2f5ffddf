import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Redis } from "./redis.ts";
import { createRepairStream, isFarAhead, momentOf } from "./stream-repair.ts";

/**
 * @param cursor the cursor of the message's first match (stream-cursors.ts); null for other messages
 * @param publishedAtMs by the clock that orders published messages
 */
export type Subscriber = (message: string, cursor: string | null, publishedAtMs: number) => void;

/** Reads streams from a position on: every entry, in order, each stream on its own connection. */
export interface StreamConsumer {
  /** @param since the entry id after which reading starts */
  subscribe(key: string, since: string, subscriber: Subscriber): Promise<() => void>;
  stop(): Promise<void>;
}

const BLOCK_MS = 1_000;
const ENTRIES_AT_ONCE = 500;
const RETRY_AFTER_MS = 200;
export const MESSAGE_FIELD = "m";
export const CURSOR_FIELD = "p";

interface Subscription {
  /** The id of the last entry that was read. */
  position: string;
  readonly subscribers: Set<Subscriber>;
}

interface StreamConsumerDeps {
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Log;
}

export function createStreamConsumer(deps: StreamConsumerDeps): StreamConsumer {
  const { redis, clock, log } = deps;
  const loops = new Map<string, Promise<void>>();
  const subscriptions = new Map<string, Subscription>();
  const life = { isStopped: false };
  const repair = createRepairStream(redis);

  async function read(key: string, state: Subscription): Promise<void> {
    const connection = await redis.connection();
    while (!life.isStopped) {
      try {
        const answer = await connection.xRead([{ key, id: state.position }], {
          BLOCK: BLOCK_MS,
          COUNT: ENTRIES_AT_ONCE,
        });
        const entries = entriesOf(answer);
        // Checked again by Redis's clock, which assigns the ids: this node's may be behind.
        const isCorrupted = entries.some(({ id }) => isFarAhead(id, clock.nowMs())) && (await repair(key));
        if (isCorrupted) log.warn({ task: key }, "a corrupted stream was dropped");
        for (const entry of entries) deliver(deps, state, { entry, isCorrupted });
      } catch (error) {
        if (life.isStopped) return;
        log.warn(
          { errorName: error instanceof Error ? error.name : "unknown" },
          "a stream could not be read",
        );
        await sleep(clock, RETRY_AFTER_MS);
        await repair(key).catch(() => undefined);
      }
    }
  }

  return {
    async subscribe(key, since, subscriber) {
      let state = subscriptions.get(key);
      if (state === undefined) {
        state = { position: since, subscribers: new Set([subscriber]) };
        subscriptions.set(key, state);
        loops.set(key, read(key, state));
      } else state.subscribers.add(subscriber);
      const { subscribers } = state;
      return () => {
        subscribers.delete(subscriber);
      };
    },
    async stop() {
      life.isStopped = true;
      await Promise.allSettled(loops.values());
    },
  };
}

/**
 * The position does not move to an id so far ahead that no node can have written it: the reader would miss everything
 * that follows.
 */
function deliver(
  { clock, log }: StreamConsumerDeps,
  state: Subscription,
  { entry, isCorrupted }: { readonly entry: Entry; readonly isCorrupted: boolean },
): void {
  const { id, message, cursor } = entry;
  const isPlausible = !(isCorrupted && isFarAhead(id, clock.nowMs()));
  if (isPlausible) state.position = id;
  if (message === null) return;
  const publishedAtMs = isPlausible ? momentOf(id) : clock.nowMs();
  for (const subscriber of state.subscribers) call(() => subscriber(message, cursor, publishedAtMs), log);
}

function call(subscriber: () => void, log: Log): void {
  try {
    subscriber();
  } catch (error) {
    log.error(
      { errorName: error instanceof Error ? error.name : "unknown" },
      "a subscriber failed on a message",
    );
  }
}

interface Entry {
  readonly id: string;
  /** Null: not a message of the product. */
  readonly message: string | null;
  /** Null: published without a cursor. */
  readonly cursor: string | null;
}

/** The entries of an XREAD or XREADGROUP reply, with every field validated. */
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
    return [{ id: each.id, message: fieldOf(fields, MESSAGE_FIELD), cursor: fieldOf(fields, CURSOR_FIELD) }];
  });
}

function fieldOf(fields: unknown, name: typeof MESSAGE_FIELD | typeof CURSOR_FIELD): string | null {
  if (typeof fields !== "object" || fields === null) return null;
  const value: unknown = Reflect.get(fields, name);
  return typeof value === "string" ? value : null;
}
