import type { Filter } from "#domain/market/filter.ts";
import type { ListingId, PurchaseId, UserId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { GroupRow, MemoryTables } from "./memory/memory-tables.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Violations } from "./violations.ts";

/** I16: among the wishes for one listing that wait in one process, those of the Thunder plan go first. */
export interface TurnWatch {
  offered(owner: string, wishes: readonly AutobuyWish[]): void;
  hadTurn(turn: Turn): void;
  /** The decision about a purchase begins, so its wish has had its turn. @returns ends the decision */
  decides(id: PurchaseId, turn: Turn): () => void;
  acquireOpened(owner: string, record: PurchaseRecord): void;
}

interface Turn {
  readonly owner: string;
  readonly userId: UserId;
  readonly listingId: ListingId;
}

interface WaitingThunder {
  readonly owner: string;
  readonly userId: UserId;
  readonly filter: Filter | undefined;
  readonly group: GroupRow | undefined;
  readonly offeredAtMs: number;
  /** Its position in the order of all offers and turns. */
  readonly place: number;
}

/** A wish may have to wait for its person's current purchase, which takes no longer than this. */
const BUSY_MS = 120_000;
const FRESH_MS = 25_000;
const MAX_AT_ONCE = 3;

export function createTurnWatch(parts: {
  readonly time: VirtualTime;
  readonly violations: Violations;
  readonly tables: MemoryTables | null;
  /** When false, the store may fail before a decision, so turns cannot be determined. */
  readonly isStoreReliable: boolean;
}): TurnWatch {
  const { time, violations, tables, isStoreReliable } = parts;
  const waiting = new Map<ListingId, WaitingThunder[]>();
  const lastTurnMs = new Map<UserId, number>();
  /** Decisions in flight with their start: wishes offered later do not count. */
  const decisions = new Map<PurchaseId, number>();
  let place = 0;

  const groupOf = (filter: Filter | undefined): GroupRow | undefined => {
    const groupId = filter?.groupId ?? null;
    return groupId === null ? undefined : tables?.groups.get(groupId);
  };

  const couldGo = ({ userId, filter, group, offeredAtMs }: WaitingThunder): boolean => {
    if (!isStoreReliable) return false;
    const nowMs = time.nowMs();
    if (nowMs - offeredAtMs > FRESH_MS || nowMs - (lastTurnMs.get(userId) ?? 0) < BUSY_MS) return false;
    // At most three wishes of a person are processed at once; further ones wait.
    const own = waiting.values().flatMap((wishes) => wishes.filter((wish) => wish.userId === userId));
    if (own.filter((wish) => nowMs - wish.offeredAtMs <= FRESH_MS).toArray().length > MAX_AT_ONCE)
      return false;
    // A wish whose filter or group changed meanwhile is dropped.
    if (groupOf(filter) !== group) return false;
    return filter !== undefined && tables?.filters.get(filter.id) === filter;
  };

  const hadTurn = ({ owner, userId, listingId }: Turn): void => {
    lastTurnMs.set(userId, time.nowMs());
    place += 1;
    const left = waiting.get(listingId)?.filter((wish) => wish.owner !== owner || wish.userId !== userId);
    if (left !== undefined) waiting.set(listingId, left);
  };

  return {
    offered(owner, wishes) {
      for (const { lane, isSimulation, userId, filterId, listingId } of wishes) {
        if (lane !== "thunder" || isSimulation === true) continue;
        const filter = tables?.filters.get(filterId);
        const offered = { offeredAtMs: time.nowMs(), place: (place += 1) };
        const wish = { owner, userId, filter, group: groupOf(filter), ...offered };
        waiting.set(listingId, [...(waiting.get(listingId) ?? []), wish]);
      }
    },
    hadTurn,
    decides(id, turn) {
      hadTurn(turn);
      if (!decisions.has(id)) decisions.set(id, place);
      return () => void decisions.delete(id);
    },
    acquireOpened(owner, { id, listingId }) {
      const begun = decisions.get(id) ?? Infinity;
      const passed = waiting
        .get(listingId)
        ?.find((wish) => wish.owner === owner && wish.place < begun && couldGo(wish));
      if (passed !== undefined)
        violations.report("I16", `${id} of Acquire was opened while ${passed.userId} of Thunder waited`);
    },
  };
}
