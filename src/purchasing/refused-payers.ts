import type { Clock } from "#domain/clock.ts";
import type { UserId } from "#domain/ids.ts";
import type { FailureReason } from "#domain/purchase.ts";
import type { PurchaseRecord } from "#store/purchase-store.ts";

/**
 * Whose automatic purchases fail again and again for a reason of their own: an empty wallet, a refused card, a limit
 * that bears the listing but not its shipping. Each
 * further one would trouble a seller, keep the listing from others and use the calls that all share, for nothing.
 * Known to this process alone, and gone with it.
 */
export interface RefusedPayers {
  /**
   * Takes in what became of an automatic purchase.
   * @param isUnreadable the marketplace answered what cannot be read, of this account alone perhaps
   */
  note(record: Pick<PurchaseRecord, "userId" | "state" | "failureReason">, isUnreadable?: boolean): void;
  isResting(userId: UserId): boolean;
  /** The person changed something: one more try, and a longer rest if it fails as well. */
  letTry(userId: UserId): void;
}

/** Of what another listing would meet again. */
const OWN_REASONS: ReadonlySet<FailureReason | null> = new Set<FailureReason>([
  "insufficient_funds",
  "payment_refused",
  "address_invalid",
  // Only where the marketplace's own quote went beyond it: what a limit forbids from the start is no attempt.
  "limit_reached",
]);

/** One refusal may be the listing's or the bank's passing mood: the third in a row is not. */
const REFUSAL = 3;
/** The marketplace may be out of order for a while: only the ninth in a row speaks of the account. */
const UNREADABLE = 1;
const ENOUGH = 9;
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 60 * 60_000;

interface Payer {
  /** What its failures in a row weigh together. */
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
      // Those that were under way when the rest began say nothing new.
      if (state !== "failed" || !(isOwn || isUnreadable) || isResting(userId)) return;
      const weight = (payers.get(userId)?.weight ?? 0) + (isOwn ? REFUSAL : UNREADABLE);
      payers.set(userId, { weight, restsUntilMs: clock.nowMs() + restMs(weight) });
    },
    letTry(userId) {
      const payer = payers.get(userId);
      if (payer !== undefined) payers.set(userId, { ...payer, restsUntilMs: 0 });
    },
  };
}

function restMs(weight: number): number {
  const rests = Math.floor((weight - ENOUGH) / REFUSAL);
  return rests < 0 ? 0 : Math.min(FIRST_REST_MS * 2 ** rests, LONGEST_REST_MS);
}
