import type { Clock } from "#domain/clock.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import type { FailureReason } from "#domain/purchase.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";

/**
 * Who or what rests because its automatic purchases keep failing for a reason of its own. Each further attempt would
 * bother a seller, reserve the listing and use the shared request budget for nothing. In memory of this process only.
 */
interface Rests<Id> {
  /**
   * Records the outcome of an automatic purchase.
   * @param isUnreadable the marketplace's answer was unreadable, perhaps for this account alone
   */
  note(id: Id, outcome: Pick<PurchaseRecord, "state" | "failureReason">, isUnreadable?: boolean): void;
  isResting(id: Id): boolean;
  /** One more attempt, and a longer pause if it fails as well. */
  allowRetry(id: Id): void;
  /** The count of failures starts from zero. */
  forget(ids: readonly Id[]): void;
}

/** People with an empty wallet, a refused card, or a limit that covers the listing but not its shipping. */
export type RefusedPayers = Rests<UserId>;

/** Filters that a rule of theirs or of their group forbids at the quote: a budget that does not cover the shipping. */
export type RestingFilters = Rests<FilterId>;

/** Failures that another listing would meet again. */
const OWN_REASONS: ReadonlySet<FailureReason | null> = new Set<FailureReason>([
  "insufficient_funds",
  "payment_refused",
  "address_invalid",
  // Only if the marketplace's own quote exceeded it: a limit that applies from the start causes no attempt.
  "limit_reached",
]);

/** A refusal may be specific to the listing or temporary at the bank: three in a row begin a rest. */
const REFUSAL = 3;
/** The marketplace itself may be failing: only nine unreadable answers in a row indicate the account. */
const UNREADABLE = 1;
const ENOUGH = 9;
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 60 * 60_000;

export function createRefusedPayers(clock: Pick<Clock, "nowMs">): RefusedPayers {
  return createRests(clock, (reason, isUnreadable) => {
    if (OWN_REASONS.has(reason)) return REFUSAL;
    return isUnreadable ? UNREADABLE : 0;
  });
}

export function createRestingFilters(clock: Pick<Clock, "nowMs">): RestingFilters {
  return createRests(clock, (reason) => (reason === "rule_reached" ? REFUSAL : 0));
}

/** @param weightOf of a failure; 0: it does not count */
function createRests<Id>(
  clock: Pick<Clock, "nowMs">,
  weightOf: (reason: FailureReason | null, isUnreadable: boolean) => number,
): Rests<Id> {
  /** The combined weight of consecutive failures, and until when it rests. */
  const failing = new Map<Id, { readonly weight: number; readonly untilMs: number }>();
  const isResting = (id: Id): boolean => (failing.get(id)?.untilMs ?? 0) > clock.nowMs();
  return {
    isResting,
    note(id, { state, failureReason }, isUnreadable = false) {
      if (state === "confirmed" || state === "awaiting") failing.delete(id);
      const weight = state === "failed" ? weightOf(failureReason, isUnreadable) : 0;
      // Purchases that were in progress when the pause began provide no new information.
      if (weight === 0 || isResting(id)) return;
      const total = (failing.get(id)?.weight ?? 0) + weight;
      failing.set(id, { weight: total, untilMs: clock.nowMs() + restMs(total) });
    },
    allowRetry(id) {
      const known = failing.get(id);
      if (known !== undefined) failing.set(id, { ...known, untilMs: 0 });
    },
    forget(ids) {
      for (const id of ids) failing.delete(id);
    },
  };
}

/** None at first, then 1, 2, 4 … 60 minutes. */
function restMs(weight: number): number {
  const rests = Math.floor((weight - ENOUGH) / REFUSAL);
  return rests < 0 ? 0 : Math.min(FIRST_REST_MS * 2 ** rests, LONGEST_REST_MS);
}
