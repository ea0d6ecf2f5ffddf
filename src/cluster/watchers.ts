import { asUserId, type UserId } from "#domain/ids.ts";
import { keyOf } from "./bus.ts";
import type { Redis } from "./redis.ts";

/** The people with an open page on any node: their parts of the market are read more often. */
export interface Watchers {
  set(userId: UserId, isWatching: boolean): void;
  /** Renews this node's entries; entries expire, so those of a dead node go too. */
  renew(): Promise<void>;
  /** Of all nodes. */
  all(): Promise<ReadonlySet<UserId>>;
}

export const WATCH_RENEWED_MS = 10_000;
const VALID_FOR_MS = 30_000;
const KEY = keyOf("watching");

export function createWatchers(redis: Redis, nowMs: () => number): Watchers {
  const own = new Set<UserId>();
  const add = async (userIds: readonly UserId[]): Promise<void> => {
    if (userIds.length === 0) return;
    const score = nowMs() + VALID_FOR_MS;
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
      // A failure only delays reading: the next renewal repeats it.
      add([userId]).catch(() => undefined);
    },
    renew: async () => await add([...own]),
    async all() {
      const [, members] = await redis.client
        .multi()
        .zRemRangeByScore(KEY, "-inf", nowMs())
        .zRange(KEY, 0, -1)
        .execTyped();
      return new Set(members.map(asUserId));
    },
  };
}
