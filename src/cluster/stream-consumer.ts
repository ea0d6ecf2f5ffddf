import { type Clock, sleep } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import { entriesOf, type Redis, type RedisClient } from "./redis.ts";

/** One entry of a stream. */
export interface Message {
  readonly text: string;
  /** The cursor of its first match (feed-messages.ts); null for other messages. */
  readonly cursor: string | null;
}

export type Subscriber = (message: Message) => void;

/** Reads streams from a position on: every entry, in order, each stream on its own connection. */
export interface StreamConsumer {
  /** @param since the entry id after which reading starts */
  subscribe(key: string, since: string, subscriber: Subscriber): () => void;
  stop(): Promise<void>;
}

export const MESSAGE_FIELD = "m";
export const CURSOR_FIELD = "p";
const BLOCK_MS = 1_000;
const MAX_READ = 500;
const RETRY_AFTER_MS = 200;

interface StreamConsumerDeps {
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Log;
}

export function createStreamConsumer({ redis, clock, log }: StreamConsumerDeps): StreamConsumer {
  const loops: Promise<void>[] = [];
  const subscribersOf = new Map<string, Set<Subscriber>>();
  const life = { isStopped: false };

  async function read(key: string, since: string, subscribers: ReadonlySet<Subscriber>): Promise<void> {
    let connection: RedisClient | null = null;
    let position = since;
    while (!life.isStopped) {
      try {
        connection ??= await redis.connection();
        const answer = await connection.xRead([{ key, id: position }], { BLOCK: BLOCK_MS, COUNT: MAX_READ });
        for (const { id, message } of entriesOf(answer)) {
          position = id;
          deliver({ text: message[MESSAGE_FIELD] ?? "", cursor: message[CURSOR_FIELD] ?? null }, subscribers);
        }
      } catch (error) {
        if (life.isStopped) return;
        log.warn(describeError(error), "a stream could not be read");
        await sleep(clock, RETRY_AFTER_MS);
      }
    }
  }

  function deliver(message: Message, subscribers: ReadonlySet<Subscriber>): void {
    for (const subscriber of subscribers)
      try {
        subscriber(message);
      } catch (error) {
        log.error(describeError(error), "a subscriber failed on a message");
      }
  }

  return {
    subscribe(key, since, subscriber) {
      const subscribers = subscribersOf.get(key) ?? new Set();
      subscribers.add(subscriber);
      if (!subscribersOf.has(key)) loops.push(read(key, since, subscribers));
      subscribersOf.set(key, subscribers);
      return () => void subscribers.delete(subscriber);
    },
    async stop() {
      life.isStopped = true;
      await Promise.allSettled(loops);
    },
  };
}
