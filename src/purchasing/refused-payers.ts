import type { Clock } from "#domain/clock.ts";
import type { UserId } from "#domain/ids.ts";
import type { FailureReason } from "#domain/purchase.ts";
import type { PurchaseRecord } from "#store/purchase-store.ts";

/**
 * Whose automatic purchases fail again and again for a reason of their own: an empty wallet, a refused card. Each
 * further one would trouble a seller, keep the listing from others and use the calls that all share, for nothing.
 * Known to this process alone, and gone with it.
 */
export interface RefusedPayers {
  /** Takes in what became of an automatic purchase. */
  note(record: Pick<PurchaseRecord, "userId" | "state" | "failureReason">): void;
  isResting(userId: UserId): boolean;
  /** The person changed something: one more try, and a longer rest if it fails as well. */
  letTry(userId: UserId): void;
}

/** Of what another listing would meet again. */
const OWN_REASONS: ReadonlySet<FailureReason | null> = new Set<FailureReason>([
  "insufficient_funds",
  "payment_refused",
  "address_invalid",
  "limit_reached",
]);

/** One refusal may be the listing's or the bank's passing mood: the third in a row is not. */
const FAILURES_IN_A_ROW = 3;
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 60 * 60_000;

interface Payer {
  readonly failureCount: number;
  readonly restsUntilMs: number;
}

export function createRefusedPayers(clock: Pick<Clock, "nowMs">): RefusedPayers {
  const payers = new Map<UserId, Payer>();

  const isResting = (userId: UserId): boolean => (payers.get(userId)?.restsUntilMs ?? 0) > clock.nowMs();

  return {
    isResting,
    note({ userId, state, failureReason }) {
      if (state === "confirmed" || state === "awaiting") payers.delete(userId);
      // Those that were under way when the rest began say nothing new.
      if (state !== "failed" || !OWN_REASONS.has(failureReason) || isResting(userId)) return;
      const failureCount = (payers.get(userId)?.failureCount ?? 0) + 1;
      payers.set(userId, { failureCount, restsUntilMs: clock.nowMs() + restMs(failureCount) });
    },
    letTry(userId) {
      const payer = payers.get(userId);
      if (payer !== undefined) payers.set(userId, { ...payer, restsUntilMs: 0 });
    },
  };
}

function restMs(failureCount: number): number {
  const rests = failureCount - FAILURES_IN_A_ROW;
  return rests < 0 ? 0 : Math.min(FIRST_REST_MS * 2 ** rests, LONGEST_REST_MS);
}
