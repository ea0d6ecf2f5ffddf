import { type Clock, sleep, withTimeout } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { EventBus, ProductEvent } from "#domain/events.ts";
import { type Consumer, type GroupConsumer, startGroupConsumer } from "./group-consumer.ts";
import type { Redis } from "./redis.ts";
import { createStreamConsumer, MESSAGE_FIELD, type Subscriber } from "./stream-consumer.ts";

/**
 * Messages between nodes, as text. A published message reaches every subscriber on every node, in one order; an enqueued
 * one is handled by a single consumer. Delivery is at least once (a message may repeat after a failure of a node or of
 * Redis), so handling must be idempotent. Redis is trusted like the database: messages carry no proof of their sender.
 */
export interface Bus {
  /** Settles once a failure of this node can no longer lose the message. */
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

/** The version of the message format: nodes of another version are separate (docs/operations.md, "Upgrades"). */
const PREFIX = "synapse:3:";
/** A node that is disconnected for longer reads the store instead. */
const PUBLISHED_FOR_MS = 120_000;
/** Unhandled messages are stale long before this many wait. */
const MAX_ENQUEUED = 20_000;

export interface RedisBusDeps {
  readonly redis: Redis;
  /** Identifies this process among the nodes. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The bus on Redis Streams: subscribers read everything, consumers form a consumer group. */
export function createRedisBus(deps: RedisBusDeps): Bus & { stop(): Promise<void> } {
  const { redis, clock } = deps;
  const subscriptions = createStreamConsumer(deps);
  const consumers = new Set<GroupConsumer>();

  const nowMs = async (): Promise<number> => timeOf(await redis.client.sendCommand(["TIME"]));

  return {
    nowMs,
    async publish(topic, message) {
      await redis.client.xAdd(
        keyOf(topic),
        "*",
        { [MESSAGE_FIELD]: message },
        {
          TRIM: { strategy: "MINID", strategyModifier: "~", threshold: clock.nowMs() - PUBLISHED_FOR_MS },
        },
      );
    },
    async subscribe(topic, subscriber, sinceMs) {
      const since = `${(sinceMs ?? (await nowMs())) - 1}-0`;
      return subscriptions.subscribe(keyOf(topic), since, subscriber);
    },
    async enqueue(topic, message) {
      await redis.client.xAdd(
        keyOf(topic),
        "*",
        { [MESSAGE_FIELD]: message },
        {
          TRIM: { strategy: "MAXLEN", strategyModifier: "~", threshold: MAX_ENQUEUED },
        },
      );
    },
    async consume(topic, consumer) {
      const started = await startGroupConsumer({ ...deps, key: keyOf(topic), consumer });
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

const TOPIC = "events";
/** The change is already committed and a request waits for the answer, so publishing waits for Redis only this long. */
const TIMEOUT_MS = 500;
const MAX_TRIES = 5;
const RETRY_AFTER_MS = 1_000;

export interface SharedEventsDeps {
  readonly bus: Bus;
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  /** All parts of this node have handled an event, `afterMs` after its publication. */
  readonly onDone?: (kind: ProductEvent["kind"], afterMs: number) => void;
}

interface PublishedEvent {
  readonly from: string;
  /** The time of publication, by the publisher's clock. */
  readonly atMs: number;
  readonly event: ProductEvent;
}

/**
 * The event bus over all nodes: the publisher's own node has handled the event when the promise settles, the others
 * receive it within milliseconds. Each node handles its own events once.
 */
export async function shareEvents(
  local: EventBus,
  { bus, name, clock, log, onDone = () => undefined }: SharedEventsDeps,
): Promise<EventBus> {
  const publishHere = async (event: ProductEvent, publishedAtMs: number): Promise<void> => {
    await local.publish(event);
    onDone(event.kind, Math.max(0, clock.nowMs() - publishedAtMs));
  };
  await bus.subscribe(TOPIC, ({ text }) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written below, by a node of the same version
    const { from, event, atMs } = JSON.parse(text) as PublishedEvent;
    if (from !== name) void publishHere(event, atMs);
  });

  /** A publication in flight when the connection breaks fails; the next try waits until Redis is back. */
  async function publishWithRetries(event: ProductEvent, atMs: number): Promise<void> {
    const message: PublishedEvent = { from: name, atMs, event };
    for (let tries = 1; ; tries += 1)
      try {
        await bus.publish(TOPIC, JSON.stringify(message));
        return;
      } catch (error) {
        if (tries === MAX_TRIES) {
          log.warn(
            { event: event.kind, ...describeError(error) },
            "an event was not published to the other nodes",
          );
          return;
        }
        await sleep(clock, RETRY_AFTER_MS);
      }
  }

  async function publishElsewhere(event: ProductEvent, atMs: number): Promise<void> {
    await withTimeout(clock, TIMEOUT_MS, publishWithRetries(event, atMs), undefined);
  }

  return {
    async publish(event) {
      const atMs = clock.nowMs();
      await Promise.all([publishHere(event, atMs), publishElsewhere(event, atMs)]);
    },
    subscribe: (listener) => local.subscribe(listener),
  };
}
