import { type Clock, sleep } from "#domain/clock.ts";
import { repeat } from "#domain/concurrency.ts";
import { describeError, type Log } from "#domain/log.ts";
import { entriesOf, type Redis, type RedisClient, type StreamEntry } from "./redis.ts";
import { MESSAGE_FIELD } from "./stream-consumer.ts";

export interface Consumer {
  readonly handle: (message: string) => Promise<void>;
  /** A consumer that does not respond for this long is considered gone. */
  readonly idleTimeoutMs: number;
}

/**
 * One consumer of a stream's consumer group. A message stays pending under its name until it is handled; its idle time is
 * reset meanwhile, so other consumers claim only the messages of one that stopped responding. After MAX_DELIVERIES a
 * message goes to the dead-letter stream: it is the message that fails, or crashes its consumer.
 */
export interface GroupConsumer {
  stop(): Promise<void>;
}

export interface GroupConsumerDeps {
  readonly redis: Redis;
  readonly key: string;
  /** Names this process among the consumers. */
  readonly name: string;
  readonly consumer: Consumer;
  readonly clock: Clock;
  readonly log: Log;
}

const GROUP = "workers";
const BLOCK_MS = 1_000;
const MAX_READ = 20;
/** Pending messages of other consumers that are inspected in one step. */
const MAX_PENDING_READ = 500;
const MAX_IN_PROGRESS = 2_000;
const RETRY_AFTER_MS = 200;
/** Each delivery waits for the idle timeout, so five rule out a temporary failure. */
const MAX_DELIVERIES = 5;
const MAX_DEAD_LETTERS = 1_000;
const DEAD_LETTERS_FOR_S = 7 * 86_400;

/** The stream of the messages that no consumer could handle. */
export function deadLetterKey(key: string): string {
  return `${key}:dead-letters`;
}

export async function startGroupConsumer(deps: GroupConsumerDeps): Promise<GroupConsumer> {
  const connection = await deps.redis.connection();
  await makeGroup(deps.redis.client, deps.key);
  return new StreamGroupConsumer(deps, connection);
}

class StreamGroupConsumer implements GroupConsumer {
  readonly #deps: GroupConsumerDeps;
  readonly #connection: RedisClient;
  readonly #inProgress = new Map<string, Promise<void>>();
  /** Messages that were not finished before the stop. */
  readonly #unfinished = new Set<string>();
  readonly #looping: Promise<void>;
  readonly #claiming: AsyncDisposable;
  #isStopped = false;

  constructor(deps: GroupConsumerDeps, connection: RedisClient) {
    this.#deps = deps;
    this.#connection = connection;
    this.#looping = this.#loop();
    const claim = async (): Promise<void> => await this.#claimAbandoned();
    // Repeated soon: a single failure does not matter.
    this.#claiming = repeat(deps.clock, deps.consumer.idleTimeoutMs / 4, claim, () => undefined);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    // Without waiting for claims in progress: Redis may be away.
    void this.#claiming[Symbol.asyncDispose]();
    await this.#looping;
    await Promise.all(this.#inProgress.values());
    await this.#release();
  }

  #take({ id, message }: StreamEntry): void {
    if (this.#inProgress.has(id)) return;
    const work = this.#handle(id, message[MESSAGE_FIELD] ?? "").finally(() => this.#inProgress.delete(id));
    this.#inProgress.set(id, work);
  }

  /** A handled message is deleted from the stream; a failed one stays pending and is delivered again. */
  async #handle(id: string, message: string): Promise<void> {
    const { redis, key, consumer, log } = this.#deps;
    try {
      await consumer.handle(message);
      await redis.client.multi().xAck(key, GROUP, id).xDel(key, id).exec();
    } catch (error) {
      if (this.#isStopped) this.#unfinished.add(id);
      else log.warn(describeError(error), "a message failed and is delivered again");
    }
  }

  async #loop(): Promise<void> {
    const { redis, key, clock, log } = this.#deps;
    while (!this.#isStopped) {
      if (this.#inProgress.size >= MAX_IN_PROGRESS) {
        await sleep(clock, RETRY_AFTER_MS);
        continue;
      }
      try {
        await this.#readNew();
      } catch (error) {
        if (this.#isStopped) return;
        log.warn(describeError(error), "no message could be read");
        await sleep(clock, RETRY_AFTER_MS);
        // A Redis that came back empty has no group.
        await makeGroup(redis.client, key).catch(() => undefined);
      }
    }
  }

  async #readNew(): Promise<void> {
    const { key, name } = this.#deps;
    const options = { BLOCK: BLOCK_MS, COUNT: MAX_READ };
    const answer = await this.#connection.xReadGroup(GROUP, name, [{ key, id: ">" }], options);
    for (const entry of entriesOf(answer)) this.#take(entry);
  }

  async #claimAbandoned(): Promise<void> {
    const { redis, key, name, consumer } = this.#deps;
    const { client } = redis;
    const own = [...this.#inProgress.keys()];
    // Its own first: messages in progress must not look abandoned.
    if (own.length > 0) await client.xClaimJustId(key, GROUP, name, 0, own);
    // All in one pass: small batches would let messages of a busy consumer become stale.
    while (!this.#isStopped && this.#inProgress.size < MAX_IN_PROGRESS) {
      const abandoned = await client.xPendingRange(key, GROUP, "-", "+", MAX_PENDING_READ, {
        IDLE: consumer.idleTimeoutMs,
      });
      const ids = abandoned.map(({ id }) => id);
      if (ids.length === 0) return;
      const deliveries = new Map(abandoned.map(({ id, deliveriesCounter }) => [id, deliveriesCounter]));
      // Of several claimants only one succeeds: the claim resets the idle time.
      for (const entry of await client.xClaim(key, GROUP, name, consumer.idleTimeoutMs, ids))
        if (entry === null) continue;
        else if ((deliveries.get(entry.id) ?? 0) < MAX_DELIVERIES) this.#take(entry);
        else await this.#moveToDeadLetters(entry);
      if (ids.length < MAX_PENDING_READ) return;
    }
  }

  async #moveToDeadLetters({ id, message }: StreamEntry): Promise<void> {
    const { redis, key, log } = this.#deps;
    const deadLetters = deadLetterKey(key);
    log.error({ task: key }, "a message went to the dead-letter stream");
    await redis.client
      .multi()
      .xAdd(deadLetters, "*", message, {
        TRIM: { strategy: "MAXLEN", strategyModifier: "~", threshold: MAX_DEAD_LETTERS },
      })
      .expire(deadLetters, DEAD_LETTERS_FOR_S)
      .xAck(key, GROUP, id)
      .xDel(key, id)
      .exec();
  }

  /** An orderly stop: the remaining messages are made available to other consumers immediately. */
  async #release(): Promise<void> {
    const { redis, key, name, consumer } = this.#deps;
    if (this.#unfinished.size === 0 || !redis.client.isReady) return;
    const options = { IDLE: consumer.idleTimeoutMs, RETRYCOUNT: 0 };
    await redis.client
      .xClaimJustId(key, GROUP, name, 0, [...this.#unfinished], options)
      .catch(() => undefined);
  }
}

async function makeGroup(client: RedisClient, key: string): Promise<void> {
  try {
    await client.xGroupCreate(key, GROUP, "0", { MKSTREAM: true });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("BUSYGROUP")) throw error;
  }
}
