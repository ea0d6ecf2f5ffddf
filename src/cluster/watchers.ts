import type { UserId } from "#domain/ids.ts";
import { asUserId } from "#domain/ids.ts";
import { keyOf } from "./redis-bus.ts";
import type { Redis } from "./redis.ts";
import { BELIEVED_AHEAD_MS } from "./stream-repair.ts";

/** Whose streams are open on any node: what they look for is read more often. */
export interface Watchers {
  set(userId: UserId, isWatching: boolean): void;
  /** Says again who watches here; what a node says holds for a while, so that one that ends takes nothing along. */
  renew(): Promise<void>;
  /** Of all nodes. */
  all(): Promise<ReadonlySet<UserId>>;
}

export const WATCH_RENEWED_MS = 10_000;
const HOLDS_FOR_MS = 30_000;
const KEY = keyOf("watching");

export function createWatchers(redis: Redis, nowMs: () => number): Watchers {
  const own = new Set<UserId>();
  const add = async (userIds: readonly UserId[]): Promise<void> => {
    if (userIds.length === 0) return;
    const score = nowMs() + HOLDS_FOR_MS;
    await redis.client.zAdd(
      KEY,
      userIds.map((value) => ({ score, value })),
    );
  };
  return {
    set(userId, isWatching) {
      if (!isWatching) {
        own.delete(userId);
        return;
      }
      own.add(userId);
      // Only how often is at stake: the next renewal says it again.
      add([userId]).catch(() => undefined);
    },
    renew: async () => await add([...own]),
    async all() {
      // What none of our nodes can have written would stay for good.
      if (!["zset", "none"].includes(await redis.client.type(KEY))) await redis.client.del(KEY);
      const [, , members] = await redis.client
        .multi()
        .zRemRangeByScore(KEY, "-inf", nowMs())
        .zRemRangeByScore(KEY, nowMs() + BELIEVED_AHEAD_MS, "+inf")
        .zRange(KEY, 0, -1)
        .execTyped();
      return new Set(members.map(asUserId));
    },
  };
}
