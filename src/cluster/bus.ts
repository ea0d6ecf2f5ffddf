import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { Consumer, GroupConsumer } from "./group-consumer.ts";
import { startGroupConsumer } from "./group-consumer.ts";
import type { Redis } from "./redis.ts";
import type { Signatures } from "./signatures.ts";
import type { Subscriber } from "./stream-consumer.ts";
import { createStreamConsumer, MESSAGE_FIELD } from "./stream-consumer.ts";

/**
 * Messages between nodes, as text. A published message reaches every subscriber on every node, in one order; an enqueued
 * one is handled by a single consumer. Delivery is at least once (a message may repeat after a failure of a node or of
 * Redis), so handling must be idempotent. Messages without a valid signature are ignored (signatures.ts).
 */
export interface Bus {
  /** Settles once the end of this node cannot lose the message. */
  publish(topic: string, message: string): Promise<void>;
  /** Delivers every message since `sinceMs` (Redis's clock; absent: from now on), in order. Returns the unsubscription. */
  subscribe(topic: string, subscriber: Subscriber, sinceMs?: number): Promise<() => void>;
  /** Settles once a consumer will receive the message, even if this node fails. */
  enqueue(topic: string, message: string): Promise<void>;
  /**
   * Handles enqueued messages, shared with the topic's other consumers. A message whose handling fails, or whose consumer
   * is gone, is delivered again, here or elsewhere. The returned function stops and waits for messages in progress.
   */
  consume(topic: string, consumer: Consumer): Promise<() => Promise<void>>;
  /** The time of the clock that orders published messages, in milliseconds. */
  nowMs(): Promise<number>;
}

/** The version of the message format: nodes of another version are separate. */
const PREFIX = "synapse:2:";
/** A node that is away for longer reads the store instead. */
const PUBLISHED_FOR_MS = 120_000;
/** Unhandled messages are stale long before this many wait. */
const MAX_ENQUEUED = 20_000;

export interface RedisBusDeps {
  readonly redis: Redis;
  /** Names this process among several. */
  readonly name: string;
  readonly signatures: Signatures;
  readonly clock: Clock;
  readonly log: Log;
}

/** The bus on Redis Streams: subscribers read everything, consumers form a consumer group. */
export function createRedisBus(deps: RedisBusDeps): Bus & { stop(): Promise<void> } {
  const { redis, signatures, clock } = deps;
  const subscriptions = createStreamConsumer(deps);
  const consumers = new Set<GroupConsumer>();

  const nowMs = async (): Promise<number> => timeOf(await redis.client.sendCommand(["TIME"]));

  return {
    nowMs,
    async publish(topic, message) {
      await redis.client.xAdd(
        keyOf(topic),
        "*",
        { [MESSAGE_FIELD]: signatures.sign(topic, message) },
        {
          TRIM: { strategy: "MINID", strategyModifier: "~", threshold: clock.nowMs() - PUBLISHED_FOR_MS },
        },
      );
    },
    async subscribe(topic, subscriber, sinceMs) {
      const since = `${(sinceMs ?? (await nowMs())) - 1}-0`;
      return await subscriptions.subscribe(keyOf(topic), since, (signed, cursor, publishedAtMs) => {
        const message = signatures.verified(topic, signed);
        if (message !== null) subscriber(message, cursor, publishedAtMs);
      });
    },
    async enqueue(topic, message) {
      await redis.client.xAdd(
        keyOf(topic),
        "*",
        { [MESSAGE_FIELD]: signatures.sign(topic, message) },
        {
          TRIM: { strategy: "MAXLEN", strategyModifier: "~", threshold: MAX_ENQUEUED },
        },
      );
    },
    async consume(topic, consumer) {
      const handle = async (signed: string): Promise<void> => {
        const message = signatures.verified(topic, signed);
        // A forged message counts as handled and is not delivered again.
        if (message !== null) await consumer.handle(message);
      };
      const started = await startGroupConsumer({
        ...deps,
        key: keyOf(topic),
        consumer: { ...consumer, handle },
      });
      consumers.add(started);
      return async () => {
        consumers.delete(started);
        await started.stop();
      };
    },
    async stop() {
      await Promise.all([subscriptions.stop(), ...Array.from(consumers, (consumer) => consumer.stop())]);
    },
  };
}

export function keyOf(topic: string): string {
  return `${PREFIX}${topic}`;
}

function timeOf(answer: unknown): number {
  if (!Array.isArray(answer)) throw new TypeError("Redis returned no time");
  const [seconds, microseconds] = answer.map(Number);
  return Math.floor((seconds ?? 0) * 1_000 + (microseconds ?? 0) / 1_000);
}
