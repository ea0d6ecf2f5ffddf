/**
 * The feed's queue over Redis: whoever reads gives news to one of the matchers; a matcher tells matches to all nodes
 * that serve people, and gives wishes to one of those that buy.
 */
import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { UserMatch } from "#domain/match.ts";
import type { UserId } from "#domain/ids.ts";
import type { FeedQueueHandlers, FeedQueue } from "#feed/feed-queue.ts";
import type { FeedState, MatchBatch } from "#feed/feed.ts";
import type { News } from "#feed/read/ingest.ts";
import type { Bus } from "./bus.ts";
import {
  placedFrom,
  readMatches,
  readNews,
  readState,
  readWishes,
  writeMatches,
  writeNews,
  writeState,
  writeWishes,
} from "./feed-codec.ts";
import type { TellWithPlaces } from "./places.ts";
import { createTellWithPlaces, MATCHES_TOPIC, readPlace } from "./places.ts";
import { keyOf } from "./redis-bus.ts";
import type { Redis } from "./redis.ts";
import type { Signatures } from "./signatures.ts";
import { asideKey } from "./stream-worker.ts";
import { createWatchers, WATCH_RENEWED_MS, type Watchers } from "./watchers.ts";

export interface RedisLinesDeps {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly signatures: Signatures;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether a failure of the store says that it may take the same a moment later. */
  readonly isStoreAway: (error: unknown) => boolean;
  /** What this node does of: reading for all when it is its turn, matching, serving people, buying. */
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
/** For nodes that start later; a key of its own, since a stream takes no other value. */
const KEPT_STATE_KEY = keyOf("kept-feed-state");

/** Matching takes milliseconds: a matcher that is silent for so long is gone. */
const MATCHER_SILENCE_MS = 3_000;
const BUYER_SILENCE_MS = 5_000;
/** After this long a wish is stale, whatever became of it: until then it is taken up again if its buyer goes. */
const WISH_HELD_MS = 31_000;
const AGAIN_AFTER_MS = 250;
/** What was told within this time before a start may not be recorded yet. */
const HEARD_BACK_MS = 60_000;
/** Redis may forget what it took last: news so young are given once more when it comes back. */
const GIVEN_AGAIN_MS = 30_000;
const MAX_GIVEN_AGAIN = 5_000;
const STATE_KEPT_S = 60;
const STATE_RENEWED_MS = 20_000;

interface Given {
  readonly atMs: number;
  readonly text: string;
}

/**
 * What was given and is not done yet: wishes stay for half a minute whatever becomes of them; aside stands for a week
 * what nobody could work off.
 */
export async function queueDepths({ client }: Redis): Promise<Readonly<Record<string, number>>> {
  const [news, wishes] = [keyOf(NEWS_TOPIC), keyOf(WISHES_TOPIC)];
  const keys = { news, wishes, news_aside: asideKey(news), wishes_aside: asideKey(wishes) };
  const depths = Object.entries(keys).map(async ([name, key]) => [name, await client.xLen(key)] as const);
  return Object.fromEntries(await Promise.all(depths));
}

export function createRedisLines(deps: RedisLinesDeps): FeedQueue {
  return new RedisLines(deps);
}

class RedisLines implements FeedQueue {
  readonly #deps: RedisLinesDeps;
  readonly #watchers: Watchers;
  readonly #tellWithPlaces: TellWithPlaces;
  readonly #endings: (() => unknown)[] = [];
  #given: Given[] = [];
  #ownState: FeedState | null = null;
  #handlers: FeedQueueHandlers | null = null;
  #isClosed = false;

  constructor(deps: RedisLinesDeps) {
    this.#deps = deps;
    this.#watchers = createWatchers(deps.redis, () => deps.clock.nowMs());
    this.#tellWithPlaces = createTellWithPlaces(deps.redis, deps.signatures);
  }

  async open(handlers: FeedQueueHandlers): Promise<void> {
    this.#handlers = handlers;
    const { bus, redis, parts } = this.#deps;
    if (parts.serves) await this.#serve(handlers);
    if (parts.reads) this.#follow(handlers);
    const comeBack = (): void => {
      handlers.reload();
      void this.#insist("news again", async () => await this.#giveAgain());
    };
    this.#endings.push(redis.onRestored(comeBack));
    const match = async (text: string): Promise<void> => await this.#matchHere(handlers, text);
    if (parts.matches)
      this.#endings.push(await bus.work(NEWS_TOPIC, { take: match, silenceMs: MATCHER_SILENCE_MS }));
    const buy = async (text: string): Promise<void> => await this.#buyHere(handlers, text);
    if (parts.buys)
      this.#endings.push(await bus.work(WISHES_TOPIC, { take: buy, silenceMs: BUYER_SILENCE_MS }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#endings.splice(0).map(async (end) => await end()));
  }

  async match(news: readonly News[]): Promise<null> {
    const text = writeNews(news);
    this.#remember(text);
    await this.#insist("news", async () => await this.#deps.bus.give(NEWS_TOPIC, text));
    return null;
  }

  async publish(batch: MatchBatch): Promise<readonly UserMatch[]> {
    let told: readonly UserMatch[] = [];
    await this.#insist("matches", async () => {
      told = await this.#tellBatch(batch);
    });
    return told;
  }

  publishState(state: FeedState | null): void {
    if (JSON.stringify(this.#ownState) === JSON.stringify(state)) return;
    this.#ownState = state;
    if (state === null) return;
    this.#handlers?.showState(state);
    // It is said again soon.
    void this.#sayState().catch(() => undefined);
  }

  setWatching(userId: UserId, isWatching: boolean): void {
    this.#watchers.set(userId, isWatching);
  }

  /** Redis may be away: what must not be lost waits for it. */
  async #insist(what: string, act: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#deps;
    while (!this.#isClosed) {
      try {
        await act();
        return;
      } catch (error) {
        log.warn(
          { task: what, errorName: error instanceof Error ? error.name : "unknown" },
          "Redis did not take it",
        );
        await sleep(clock, AGAIN_AFTER_MS);
      }
    }
  }

  #remember(text: string): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#given = this.#given.filter(({ atMs }) => atMs > nowMs - GIVEN_AGAIN_MS).slice(-MAX_GIVEN_AGAIN);
    this.#given.push({ atMs: nowMs, text });
  }

  async #giveAgain(): Promise<void> {
    const { bus, clock, log } = this.#deps;
    const sinceMs = clock.nowMs() - GIVEN_AGAIN_MS;
    const again = this.#given.filter(({ atMs }) => atMs > sinceMs);
    for (const { text } of again) await bus.give(NEWS_TOPIC, text);
    if (again.length > 0) log.info({ count: again.length }, "news of the last moments are given again");
  }

  async #tellBatch({ matches, wishes }: MatchBatch): Promise<readonly UserMatch[]> {
    // Wishes first: they are what hurries.
    if (wishes.length > 0) await this.#deps.bus.give(WISHES_TOPIC, writeWishes(wishes));
    if (matches.length === 0) return [];
    const { text, inOrder } = writeMatches(matches);
    return placedFrom(inOrder, await this.#tellWithPlaces(inOrder.length, text));
  }

  async #matchHere(handlers: FeedQueueHandlers, text: string): Promise<void> {
    const told = await this.#tellBatch(handlers.fanOut(readNews(text)));
    if (told.length > 0) await this.#recordAtLast(handlers, told);
  }

  /** What was told is not matched and told once more because the store is away. */
  async #recordAtLast(handlers: FeedQueueHandlers, told: readonly UserMatch[]): Promise<void> {
    const { clock, isStoreAway } = this.#deps;
    for (;;)
      try {
        await handlers.record(told);
        return;
      } catch (error) {
        if (this.#isClosed || !isStoreAway(error)) throw error;
        await sleep(clock, AGAIN_AFTER_MS);
      }
  }

  async #buyHere(handlers: FeedQueueHandlers, text: string): Promise<void> {
    const { clock } = this.#deps;
    const wishes = readWishes(text);
    handlers.deliver({ wishes, matches: [] });
    const endMs = Math.max(...wishes.map(({ matchedAtMs }) => matchedAtMs)) + WISH_HELD_MS;
    while (!this.#isClosed && clock.nowMs() < endMs) await sleep(clock, AGAIN_AFTER_MS);
    // Left to another node: nobody knows how far this one came with it.
    if (clock.nowMs() < endMs) throw new Error("this node handlers");
  }

  async #serve(handlers: FeedQueueHandlers): Promise<void> {
    const { bus, redis, signatures } = this.#deps;
    const sinceMs = (await bus.nowMs()) - HEARD_BACK_MS;
    const hear = (text: string, place: string | null, toldAtMs: number): void => {
      const first = readPlace(place, toldAtMs);
      if (first === null) signatures.refuse(MATCHES_TOPIC);
      else handlers.deliver({ wishes: [], matches: readMatches(text, first) });
    };
    this.#endings.push(
      await bus.hear(MATCHES_TOPIC, hear, sinceMs),
      await bus.hear(STATE_TOPIC, (message) => handlers.showState(readState(message))),
      this.#every(WATCH_RENEWED_MS, async () => await this.#watchers.renew()),
    );
    // It is told again soon: what somebody else put there must not keep a node from starting.
    const signed = await redis.client.get(KEPT_STATE_KEY).catch(() => null);
    const kept = signed === null ? null : signatures.verified(STATE_TOPIC, signed);
    if (kept !== null) handlers.showState(readState(kept));
  }

  #follow(handlers: FeedQueueHandlers): void {
    let known: ReadonlySet<UserId> = new Set();
    const look = async (): Promise<void> => {
      const all = await this.#watchers.all();
      for (const userId of all.difference(known)) handlers.setWatching(userId, true);
      for (const userId of known.difference(all)) handlers.setWatching(userId, false);
      known = all;
    };
    this.#endings.push(
      this.#every(WATCH_RENEWED_MS / 4, look),
      this.#every(STATE_RENEWED_MS, async () => await this.#sayState()),
    );
  }

  async #sayState(): Promise<void> {
    const { bus, redis, signatures } = this.#deps;
    if (this.#ownState === null) return;
    const text = writeState(this.#ownState);
    const signed = signatures.sign(STATE_TOPIC, text);
    await redis.client.set(KEPT_STATE_KEY, signed, { expiration: { type: "EX", value: STATE_KEPT_S } });
    await bus.tell(STATE_TOPIC, text);
  }

  #every(intervalMs: number, act: () => Promise<void>): () => void {
    let forget: () => void = () => undefined;
    const later = (): void => {
      if (this.#isClosed) return;
      forget = this.#deps.clock.schedule(intervalMs, () => {
        // It is done again soon: what failed once is no matter.
        void act()
          .catch(() => undefined)
          .finally(later);
      });
    };
    later();
    return () => forget();
  }
}
