import type { Filter } from "#domain/market/filter.ts";
import type { ListingId, UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import type { PurchaseRecord } from "#store/purchase-store.ts";
import type { GroupRow, MemoryTables } from "./memory/memory-tables.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Violations } from "./violations.ts";

/** I16: of the wishes for one listing that wait in one process, Thunder's has its turn first. */
export interface TurnWatch {
  offered(owner: string, wishes: readonly AutobuyWish[]): void;
  /** A purchase was decided, or was not: its wish has had its turn. */
  hadTurn(turn: { readonly owner: string; readonly userId: UserId; readonly listingId: ListingId }): void;
  /** An automatic purchase of the lane Acquire was opened. */
  acquireOpened(owner: string, record: PurchaseRecord): void;
}

interface WaitingThunder {
  readonly owner: string;
  readonly userId: UserId;
  readonly filter: Filter | undefined;
  readonly group: GroupRow | undefined;
  readonly offeredAtMs: number;
}

/** A person who is buying already may have to wait; so long ago, a purchase is over. */
const BUSY_MS = 120_000;
const FRESH_MS = 25_000;
const MAX_AT_ONCE = 3;

export function createTurnWatch(parts: {
  readonly time: VirtualTime;
  readonly violations: Violations;
  readonly tables: MemoryTables | null;
  /** The store may fail a wish before it comes to a decision: who had a turn is then not to be told. */
  readonly isStoreReliable: boolean;
}): TurnWatch {
  const { time, violations, tables, isStoreReliable } = parts;
  const waiting = new Map<ListingId, WaitingThunder[]>();
  const lastTurnMs = new Map<UserId, number>();

  const groupOf = (filter: Filter | undefined): GroupRow | undefined => {
    const groupId = filter?.groupId ?? null;
    return groupId === null ? undefined : tables?.groups.get(groupId);
  };

  const couldGo = ({ userId, filter, group, offeredAtMs }: WaitingThunder): boolean => {
    if (!isStoreReliable) return false;
    const nowMs = time.nowMs();
    if (nowMs - offeredAtMs > FRESH_MS || nowMs - (lastTurnMs.get(userId) ?? 0) < BUSY_MS) return false;
    // Three of a person's wishes are served at once; a further one must wait for them.
    const own = waiting.values().flatMap((wishes) => wishes.filter((wish) => wish.userId === userId));
    if (own.filter((wish) => nowMs - wish.offeredAtMs <= FRESH_MS).toArray().length > MAX_AT_ONCE)
      return false;
    // A wish whose filter or group changed meanwhile is forgotten.
    if (groupOf(filter) !== group) return false;
    return filter !== undefined && tables?.filters.get(filter.id) === filter;
  };

  return {
    offered(owner, wishes) {
      for (const { lane, isSimulation, userId, filterId, listingId } of wishes) {
        if (lane !== "thunder" || isSimulation === true) continue;
        const filter = tables?.filters.get(filterId);
        const wish = { owner, userId, filter, group: groupOf(filter), offeredAtMs: time.nowMs() };
        waiting.set(listingId, [...(waiting.get(listingId) ?? []), wish]);
      }
    },
    hadTurn({ owner, userId, listingId }) {
      lastTurnMs.set(userId, time.nowMs());
      const left = waiting.get(listingId)?.filter((wish) => wish.owner !== owner || wish.userId !== userId);
      if (left !== undefined) waiting.set(listingId, left);
    },
    acquireOpened(owner, { id, listingId }) {
      const passed = waiting.get(listingId)?.find((wish) => wish.owner === owner && couldGo(wish));
      if (passed !== undefined)
        violations.report("I16", `${id} of Acquire was opened while ${passed.userId} of Thunder waited`);
    },
  };
}
