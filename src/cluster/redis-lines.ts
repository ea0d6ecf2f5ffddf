/**
 * The feed's lines over Redis: whoever reads gives news to one of the matchers; a matcher tells matches to all nodes
 * that serve people, and gives wishes to one of those that buy.
 */
import type { Clock } from "#domain/clock.ts";
import { sleep } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import type { AutobuyWish, UserMatch } from "#domain/match.ts";
import type { UserId } from "#domain/ids.ts";
import type { FeedEnds, FeedLines } from "#feed/feed-lines.ts";
import type { FeedState, MatchBatch } from "#feed/feed.ts";
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
import { MATCHES_TOPIC, readPlaced, tellWithPlaces } from "./places.ts";
import { keyOf } from "./redis-bus.ts";
import type { Redis } from "./redis.ts";
import { createWatchers, WATCH_RENEWED_MS } from "./watchers.ts";

export interface RedisLinesDeps {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
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

/** What was given and is not done yet: wishes stay for half a minute whatever becomes of them. */
export async function queueDepths({ client }: Redis): Promise<Readonly<Record<string, number>>> {
  const [news, wishes] = await Promise.all([
    client.xLen(keyOf(NEWS_TOPIC)),
    client.xLen(keyOf(WISHES_TOPIC)),
  ]);
  return { news, wishes };
}

export function createRedisLines(deps: RedisLinesDeps): FeedLines {
  const { redis, bus, clock, log, parts } = deps;
  const watchers = createWatchers(redis, () => clock.nowMs());
  const endings: (() => void | Promise<void>)[] = [];
  let given: Given[] = [];
  let ownState: FeedState | null = null;
  let ends: FeedEnds | null = null;
  let isClosed = false;

  /** Redis may be away: what must not be lost waits for it. */
  async function insist(what: string, act: () => Promise<void>): Promise<void> {
    while (!isClosed) {
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

  function remember(text: string): void {
    const nowMs = clock.nowMs();
    given = given.filter(({ atMs }) => atMs > nowMs - GIVEN_AGAIN_MS).slice(-MAX_GIVEN_AGAIN);
    given.push({ atMs: nowMs, text });
  }

  async function giveAgain(): Promise<void> {
    const sinceMs = clock.nowMs() - GIVEN_AGAIN_MS;
    const again = given.filter(({ atMs }) => atMs > sinceMs);
    for (const { text } of again) await bus.give(NEWS_TOPIC, text);
    if (again.length > 0) log.info({ count: again.length }, "news of the last moments are given again");
  }

  async function tellBatch({ matches, wishes }: MatchBatch): Promise<readonly UserMatch[]> {
    // Wishes first: they are what hurries.
    if (wishes.length > 0) await bus.give(WISHES_TOPIC, writeWishes(wishes));
    if (matches.length === 0) return [];
    const { text, inOrder } = writeMatches(matches);
    return placedFrom(inOrder, await tellWithPlaces(redis, inOrder.length, text));
  }

  async function matchHere(opened: FeedEnds, text: string): Promise<void> {
    const told = await tellBatch(opened.fanOut(readNews(text)));
    if (told.length > 0) await opened.record(told);
  }

  async function buyHere(opened: FeedEnds, text: string): Promise<void> {
    const wishes: readonly AutobuyWish[] = readWishes(text);
    opened.deliver({ wishes, matches: [] });
    const youngestMs = Math.max(...wishes.map(({ matchedAtMs }) => matchedAtMs));
    const endMs = youngestMs + WISH_HELD_MS;
    while (!isClosed && clock.nowMs() < endMs) await sleep(clock, AGAIN_AFTER_MS);
    // Left to another node: nobody knows how far this one came with it.
    if (isClosed && clock.nowMs() < endMs) throw new Error("this node ends");
  }

  async function serve(opened: FeedEnds): Promise<void> {
    const sinceMs = (await bus.nowMs()) - HEARD_BACK_MS;
    const hear = (message: string): void => {
      const { first, text } = readPlaced(message);
      opened.deliver({ wishes: [], matches: readMatches(text, first) });
    };
    endings.push(await bus.hear(MATCHES_TOPIC, hear, sinceMs));
    endings.push(await bus.hear(STATE_TOPIC, (message) => opened.showState(readState(message))));
    const kept = await redis.client.get(keyOf(STATE_TOPIC));
    if (kept !== null) opened.showState(readState(kept));
    endings.push(every(WATCH_RENEWED_MS, async () => await watchers.renew()));
  }

  async function follow(opened: FeedEnds): Promise<void> {
    let known: ReadonlySet<UserId> = new Set();
    const look = async (): Promise<void> => {
      const all = await watchers.all();
      for (const userId of all.difference(known)) opened.setWatching(userId, true);
      for (const userId of known.difference(all)) opened.setWatching(userId, false);
      known = all;
    };
    endings.push(
      every(WATCH_RENEWED_MS / 4, look),
      every(STATE_RENEWED_MS, async () => await sayState()),
    );
  }

  async function sayState(): Promise<void> {
    if (ownState === null) return;
    const text = writeState(ownState);
    await redis.client.set(keyOf(STATE_TOPIC), text, { expiration: { type: "EX", value: STATE_KEPT_S } });
    await bus.tell(STATE_TOPIC, text);
  }

  function every(intervalMs: number, act: () => Promise<void>): () => void {
    let forget: () => void = () => undefined;
    const later = (): void => {
      if (isClosed) return;
      forget = clock.schedule(intervalMs, () => {
        // It is done again soon: what failed once is no matter.
        void act()
          .catch(() => undefined)
          .finally(later);
      });
    };
    later();
    return () => forget();
  }

  return {
    async open(opened) {
      ends = opened;
      if (parts.serves) await serve(opened);
      if (parts.reads) await follow(opened);
      endings.push(
        redis.onRestored(() => {
          opened.readAgain();
          void insist("news again", giveAgain);
        }),
      );
      const { matches, buys } = parts;
      const work = async (text: string): Promise<void> => await matchHere(opened, text);
      if (matches) endings.push(await bus.work(NEWS_TOPIC, { take: work, silenceMs: MATCHER_SILENCE_MS }));
      const buy = async (text: string): Promise<void> => await buyHere(opened, text);
      if (buys) endings.push(await bus.work(WISHES_TOPIC, { take: buy, silenceMs: BUYER_SILENCE_MS }));
    },
    async close() {
      isClosed = true;
      await Promise.all(endings.splice(0).map((end) => end()));
    },
    async match(news) {
      const text = writeNews(news);
      remember(text);
      await insist("news", async () => await bus.give(NEWS_TOPIC, text));
      return null;
    },
    async tell(batch) {
      let told: readonly UserMatch[] = [];
      await insist("matches", async () => {
        told = await tellBatch(batch);
      });
      return told;
    },
    tellState(state) {
      if (ownState !== null && JSON.stringify(ownState) === JSON.stringify(state)) return;
      ownState = state;
      ends?.showState(state);
      void sayState().catch(() => undefined);
    },
    setWatching: (userId, isWatching) => watchers.set(userId, isWatching),
  };
}
