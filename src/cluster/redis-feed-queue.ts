/**
 * The feed's queue port over Redis: the reader enqueues listings for one of the matchers; a matcher publishes matches to
 * all nodes that serve people, and enqueues wishes for one of those that buy.
 */
import { type Clock, sleep } from "#domain/clock.ts";
import { repeat } from "#domain/concurrency.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { UserId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/market/match.ts";
import type { FeedQueue, FeedQueueHandlers, Found } from "#feed/feed-queue.ts";
import type { FeedState, MatchBatch } from "#feed/feed.ts";
import type { News } from "#feed/read/ingest.ts";
import { type Bus, keyOf } from "./bus.ts";
import {
  createPublishWithCursors,
  MATCHES_TOPIC,
  type PublishWithCursors,
  readMatches,
  readNews,
  readState,
  readWishes,
  withCursors,
  writeMatches,
  writeNews,
  writeState,
  writeWishes,
} from "./feed-messages.ts";
import { deadLetterKey } from "./group-consumer.ts";
import type { Redis } from "./redis.ts";
import type { Message } from "./stream-consumer.ts";
import { createWatchers, WATCH_RENEWED_MS, type Watchers } from "./open-pages.ts";

export interface RedisFeedQueueDeps {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether a store failure is temporary, so that the same write may succeed a moment later. */
  readonly isStoreAway: (error: unknown) => boolean;
  /** The parts of this node: reading (when it holds the role), matching, serving people, buying. */
  readonly parts: {
    readonly reads: boolean;
    readonly matches: boolean;
    readonly serves: boolean;
    readonly buys: boolean;
  };
}

const NEWS_TOPIC = "news";
const WISHES_TOPIC = "wishes";
const STATE_TOPIC = "feed-state";
/** The last state, read by nodes that start later. */
const KEPT_STATE_KEY = keyOf("kept-feed-state");

/** Matching takes milliseconds: a matcher that is idle for this long is gone. */
const MATCHER_IDLE_MS = 3_000;
const BUYER_IDLE_MS = 5_000;
/** After this long a wish is stale; until then it is redelivered if its buyer fails. */
const WISH_HELD_MS = 31_000;
const RETRY_AFTER_MS = 250;
/** Matches published this long before a start may not be recorded yet. */
const REPLAYED_MS = 60_000;
/** Redis may lose its last writes: listings this young are enqueued again when it is back. */
const REENQUEUED_MS = 30_000;
const MAX_REENQUEUED = 5_000;
const STATE_KEPT_S = 60;
const STATE_RENEWED_MS = 20_000;

interface EnqueuedNews {
  readonly atMs: number;
  readonly text: string;
}

/** The numbers of unfinished messages: wishes stay for half a minute, dead letters (`_aside`) for a week. */
export async function queueDepths({ client }: Redis): Promise<Readonly<Record<string, number>>> {
  const [news, wishes] = [keyOf(NEWS_TOPIC), keyOf(WISHES_TOPIC)];
  const keys = { news, wishes, news_aside: deadLetterKey(news), wishes_aside: deadLetterKey(wishes) };
  const depths = Object.entries(keys).map(async ([name, key]) => [name, await client.xLen(key)] as const);
  return Object.fromEntries(await Promise.all(depths));
}

export function createRedisFeedQueue(deps: RedisFeedQueueDeps): FeedQueue {
  return new RedisFeedQueue(deps);
}

class RedisFeedQueue implements FeedQueue {
  readonly #deps: RedisFeedQueueDeps;
  readonly #watchers: Watchers;
  readonly #publishWithCursors: PublishWithCursors;
  readonly #endings: (() => unknown)[] = [];
  #recentNews: EnqueuedNews[] = [];
  #ownState: FeedState | null = null;
  #handlers: FeedQueueHandlers | null = null;
  #isClosed = false;

  constructor(deps: RedisFeedQueueDeps) {
    this.#deps = deps;
    this.#watchers = createWatchers(deps.redis, () => deps.clock.nowMs());
    this.#publishWithCursors = createPublishWithCursors(deps.redis);
  }

  async open(handlers: FeedQueueHandlers): Promise<void> {
    this.#handlers = handlers;
    const { bus, redis, parts } = this.#deps;
    if (parts.serves) await this.#serve(handlers);
    if (parts.reads) this.#followWatchers(handlers);
    const onRestored = (): void => {
      handlers.reload();
      void this.#retry("news again", async () => await this.#enqueueAgain());
    };
    this.#endings.push(redis.onRestored(onRestored));
    const match = async (text: string): Promise<void> => await this.#handleNews(handlers, text);
    if (parts.matches)
      this.#endings.push(await bus.consume(NEWS_TOPIC, { handle: match, idleTimeoutMs: MATCHER_IDLE_MS }));
    const buy = async (text: string): Promise<void> => await this.#handleWishes(handlers, text);
    if (parts.buys)
      this.#endings.push(await bus.consume(WISHES_TOPIC, { handle: buy, idleTimeoutMs: BUYER_IDLE_MS }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#endings.splice(0).map(async (end) => await end()));
  }

  async match(news: readonly News[]): Promise<null> {
    const text = writeNews(news);
    this.#remember(text);
    await this.#retry("news", async () => await this.#deps.bus.enqueue(NEWS_TOPIC, text));
    return null;
  }

  async publish(batch: MatchBatch): Promise<readonly UserMatch[]> {
    let published: readonly UserMatch[] = [];
    await this.#retry("matches", async () => {
      published = await this.#publishBatch(batch);
    });
    return published;
  }

  publishState(state: FeedState | null): void {
    if (JSON.stringify(this.#ownState) === JSON.stringify(state)) return;
    this.#ownState = state;
    if (state === null) return;
    this.#handlers?.showState(state);
    // Published again soon.
    void this.#publishState().catch(() => undefined);
  }

  setWatching(userId: UserId, isWatching: boolean): void {
    this.#watchers.set(userId, isWatching);
  }

  /** Retries while Redis is away: messages that must not be lost wait for it. */
  async #retry(what: string, act: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#deps;
    while (!this.#isClosed) {
      try {
        await act();
        return;
      } catch (error) {
        log.warn({ task: what, ...describeError(error) }, "Redis did not accept a message");
        await sleep(clock, RETRY_AFTER_MS);
      }
    }
  }

  #remember(text: string): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#recentNews = this.#recentNews
      .filter(({ atMs }) => atMs > nowMs - REENQUEUED_MS)
      .slice(-MAX_REENQUEUED);
    this.#recentNews.push({ atMs: nowMs, text });
  }

  async #enqueueAgain(): Promise<void> {
    const { bus, clock, log } = this.#deps;
    const sinceMs = clock.nowMs() - REENQUEUED_MS;
    const again = this.#recentNews.filter(({ atMs }) => atMs > sinceMs);
    for (const { text } of again) await bus.enqueue(NEWS_TOPIC, text);
    if (again.length > 0) log.info({ count: again.length }, "the last listings are enqueued again");
  }

  async #publishBatch({ matches, wishes }: MatchBatch): Promise<readonly UserMatch[]> {
    // Wishes first: they are urgent.
    if (wishes.length > 0) await this.#deps.bus.enqueue(WISHES_TOPIC, writeWishes(wishes));
    if (matches.length === 0) return [];
    const { text, inOrder } = writeMatches(matches);
    return withCursors(inOrder, await this.#publishWithCursors(inOrder.length, text));
  }

  async #handleNews(handlers: FeedQueueHandlers, text: string): Promise<void> {
    const batch = handlers.fanOut(readNews(text));
    const matches = await this.#publishBatch(batch);
    const { held } = batch;
    if (matches.length > 0 || held.length > 0) await this.#recordWithRetry(handlers, { matches, held });
  }

  /** Retries while the store is away, so that published matches are not matched and published again. */
  async #recordWithRetry(handlers: FeedQueueHandlers, found: Found): Promise<void> {
    const { clock, isStoreAway } = this.#deps;
    for (;;)
      try {
        await handlers.record(found);
        return;
      } catch (error) {
        if (this.#isClosed || !isStoreAway(error)) throw error;
        await sleep(clock, RETRY_AFTER_MS);
      }
  }

  async #handleWishes(handlers: FeedQueueHandlers, text: string): Promise<void> {
    const { clock } = this.#deps;
    const wishes = readWishes(text);
    handlers.deliver({ wishes, matches: [] });
    const endMs = Math.max(...wishes.map(({ matchedAtMs }) => matchedAtMs)) + WISH_HELD_MS;
    while (!this.#isClosed && clock.nowMs() < endMs) await sleep(clock, RETRY_AFTER_MS);
    // Redelivered to another node, since this one may not have finished it.
    if (clock.nowMs() < endMs) throw new Error("this node stops");
  }

  async #serve(handlers: FeedQueueHandlers): Promise<void> {
    const { bus, redis } = this.#deps;
    const sinceMs = (await bus.nowMs()) - REPLAYED_MS;
    const receive = ({ text, cursor }: Message): void =>
      handlers.deliver({ wishes: [], matches: readMatches(text, BigInt(cursor ?? 0)) });
    this.#endings.push(
      await bus.subscribe(MATCHES_TOPIC, receive, sinceMs),
      await bus.subscribe(STATE_TOPIC, ({ text }) => handlers.showState(readState(text))),
      this.#every(WATCH_RENEWED_MS, async () => await this.#watchers.renew()),
    );
    const kept = await redis.client.get(KEPT_STATE_KEY);
    if (kept !== null) handlers.showState(readState(kept));
  }

  #followWatchers(handlers: FeedQueueHandlers): void {
    let known: ReadonlySet<UserId> = new Set();
    const update = async (): Promise<void> => {
      const all = await this.#watchers.all();
      for (const userId of all.difference(known)) handlers.setWatching(userId, true);
      for (const userId of known.difference(all)) handlers.setWatching(userId, false);
      known = all;
    };
    this.#endings.push(
      this.#every(WATCH_RENEWED_MS / 4, update),
      this.#every(STATE_RENEWED_MS, async () => await this.#publishState()),
    );
  }

  async #publishState(): Promise<void> {
    const { bus, redis } = this.#deps;
    if (this.#ownState === null) return;
    const text = writeState(this.#ownState);
    await redis.client.set(KEPT_STATE_KEY, text, { expiration: { type: "EX", value: STATE_KEPT_S } });
    await bus.publish(STATE_TOPIC, text);
  }

  #every(intervalMs: number, act: () => Promise<void>): () => void {
    // Repeated soon: a single failure does not matter.
    const loop = repeat(this.#deps.clock, intervalMs, act, () => undefined);
    // Without waiting for a run in progress: Redis may be away.
    return () => void loop[Symbol.asyncDispose]();
  }
}
