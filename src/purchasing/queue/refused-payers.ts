import type { Clock } from "#domain/clock.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import type { FailureReason } from "#domain/purchase.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";

/**
 * People whose automatic purchases keep failing for a reason of their own: an empty wallet, a refused card, a limit
 * that covers the listing but not its shipping. Each further attempt would bother a seller, reserve the listing and use
 * the shared request budget for nothing. In memory of this process only.
 */
export interface RefusedPayers {
  /**
   * Records the outcome of an automatic purchase.
   * @param isUnreadable the marketplace's answer was unreadable, perhaps for this account alone
   */
  note(record: Pick<PurchaseRecord, "userId" | "state" | "failureReason">, isUnreadable?: boolean): void;
  isResting(userId: UserId): boolean;
  /** The person changed something: one more attempt, and a longer pause if it fails as well. */
  allowRetry(userId: UserId): void;
}

/** Failures that another listing would meet again. */
const OWN_REASONS: ReadonlySet<FailureReason | null> = new Set<FailureReason>([
  "insufficient_funds",
  "payment_refused",
  "address_invalid",
  // Only if the marketplace's own quote exceeded it: a limit that applies from the start causes no attempt.
  "limit_reached",
]);

/** A refusal may be specific to the listing or temporary at the bank: three in a row pause the account. */
const REFUSAL = 3;
/** The marketplace itself may be failing: only nine unreadable answers in a row indicate the account. */
const UNREADABLE = 1;
const ENOUGH = 9;
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 60 * 60_000;

interface Payer {
  /** The combined weight of its consecutive failures. */
  readonly weight: number;
  readonly restsUntilMs: number;
}

export function createRefusedPayers(clock: Pick<Clock, "nowMs">): RefusedPayers {
  const payers = new Map<UserId, Payer>();

  const isResting = (userId: UserId): boolean => (payers.get(userId)?.restsUntilMs ?? 0) > clock.nowMs();

  return {
    isResting,
    note({ userId, state, failureReason }, isUnreadable = false) {
      if (state === "confirmed" || state === "awaiting") payers.delete(userId);
      const isOwn = OWN_REASONS.has(failureReason);
      // Purchases that were in progress when the pause began provide no new information.
      if (state !== "failed" || !(isOwn || isUnreadable) || isResting(userId)) return;
      const weight = (payers.get(userId)?.weight ?? 0) + (isOwn ? REFUSAL : UNREADABLE);
      payers.set(userId, { weight, restsUntilMs: clock.nowMs() + restMs(weight) });
    },
    allowRetry(userId) {
      const payer = payers.get(userId);
      if (payer !== undefined) payers.set(userId, { ...payer, restsUntilMs: 0 });
    },
  };
}

function restMs(weight: number): number {
  return lengthOfRest(Math.floor((weight - ENOUGH) / REFUSAL));
}

/** 1, 2, 4 … 60 minutes. @param rests how many there were before; negative: no rest yet */
function lengthOfRest(rests: number): number {
  return rests < 0 ? 0 : Math.min(FIRST_REST_MS * 2 ** rests, LONGEST_REST_MS);
}

/**
 * Filters whose purchases keep failing at the quote by a rule of theirs or of their group, such as a budget that covers
 * the listing but not its shipping. In memory of this process only.
 */
export interface RestingFilters {
  /** Records the outcome of an automatic purchase. */
  note(record: Pick<PurchaseRecord, "filterId" | "state" | "failureReason">): void;
  isResting(filterId: FilterId): boolean;
  /** The filter or its group was changed: its count starts from zero. */
  forget(filterIds: readonly FilterId[]): void;
}

/** This many failures in a row pause a filter. */
const ENOUGH_RULE_FAILURES = 3;

export function createRestingFilters(clock: Pick<Clock, "nowMs">): RestingFilters {
  const failures = new Map<FilterId, { readonly count: number; readonly restsUntilMs: number }>();
  const isResting = (filterId: FilterId): boolean =>
    (failures.get(filterId)?.restsUntilMs ?? 0) > clock.nowMs();
  return {
    isResting,
    note({ filterId, state, failureReason }) {
      if (filterId === null) return;
      if (state === "confirmed" || state === "awaiting") failures.delete(filterId);
      if (state !== "failed" || failureReason !== "rule_reached" || isResting(filterId)) return;
      const count = (failures.get(filterId)?.count ?? 0) + 1;
      const restsUntilMs = clock.nowMs() + lengthOfRest(count - ENOUGH_RULE_FAILURES);
      failures.set(filterId, { count, restsUntilMs });
    },
    forget(filterIds) {
      for (const id of filterIds) failures.delete(id);
    },
  };
}
