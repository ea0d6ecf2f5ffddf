import type { Clock } from "#domain/clock.ts";
import type { BackgroundTasks } from "#domain/concurrency.ts";
import type { UserId } from "#domain/ids.ts";
import type { Log } from "#domain/log.ts";
import { isCancelling } from "#domain/purchase.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Checkout } from "#marketplace/marketplace.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { PurchaseStore } from "#store/purchase-store.ts";
import type { AccountCalls } from "../account/account-sessions.ts";
import { evidenceOf } from "../decide/classify.ts";
import type { Moves } from "../moves.ts";
import { seenOrder } from "./orders.ts";
import type { PurchaseEvent } from "../decide/purchase-event.ts";
import type { CancelOutcome } from "../purchasing.ts";

/** Cancellation: the request is durable first and sent once; 'Annulé' is only ever observed, never assumed. */
export interface Cancels {
  cancel(userId: UserId, transactionId: number): Promise<CancelOutcome>;
}

export interface CancelsDeps {
  readonly purchases: Pick<PurchaseStore, "byTransaction">;
  readonly checkout: Pick<Checkout, "requestCancel">;
  readonly calls: AccountCalls;
  readonly moves: Moves;
  readonly background: BackgroundTasks;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: string;
  /** False once another process may have taken over this one's purchases. */
  readonly isAlive: () => boolean;
}

/** Longer than a token refresh, the wait for the budget and the request. */
const CANCEL_LEASE_MS = 45_000;

export function createCancels(deps: CancelsDeps): Cancels {
  return {
    async cancel(userId, transactionId) {
      const record = await deps.purchases.byTransaction(userId, transactionId);
      if (record === null) return { kind: "not_found" };
      const leaseUntilMs = deps.clock.nowMs() + CANCEL_LEASE_MS;
      const asked = await deps.moves.move(record, { kind: "cancel_asked", owner: deps.owner, leaseUntilMs });
      if (asked === null) return { kind: "not_found" };
      // Asked for in another tab, or again after a lost answer: one request is sent.
      if (!asked.hasMoved) return { kind: isCancelling(asked.record.state) ? "asked" : "not_confirmed" };
      deps.background.start("cancel", async () => {
        const result = await request(deps, { record: asked.record, transactionId, notAfterMs: leaseUntilMs });
        await deps.moves.move(record, result);
      });
      return { kind: "asked" };
    },
  };
}

type CancelResult = PurchaseEvent<"order_seen" | "check_failed" | "cancel_refused" | "cancel_uncertain">;

interface CancelRequest {
  readonly record: PurchaseRecord;
  readonly transactionId: number;
  /** Later, another process may have taken it over. */
  readonly notAfterMs: number;
}

async function request(
  { calls, checkout, clock, log, isAlive }: CancelsDeps,
  { record, transactionId, notAfterMs }: CancelRequest,
): Promise<CancelResult> {
  const readStartedAtMs = clock.nowMs();
  const isTooLate = (): boolean => clock.nowMs() > notAfterMs || !isAlive();
  let isSent = false;
  try {
    const transaction = await calls.call(
      record.userId,
      async (access) => {
        const mayStillLeave = (): void => {
          access.mayStillLeave?.();
          if (isTooLate()) throw new MarketplaceError("too_late");
        };
        isSent = true;
        const cancelling = { reveal: () => access.reveal(), account: access.account, mayStillLeave };
        return await checkout.requestCancel(cancelling, transactionId, notAfterMs);
      },
      { retryOn401: true },
    );
    const order = transaction.listingId === record.listingId ? seenOrder(transaction) : null;
    return order === null ? { kind: "cancel_uncertain" } : { kind: "order_seen", order, readStartedAtMs };
  } catch (error) {
    log.warn({ purchaseId: record.id, ...evidenceOf(error) }, "a cancel was not granted");
    const isRefused = !isSent || (error instanceof MarketplaceError && error.isDefinite);
    // Once another process may have taken it over, the person may have asked again: this says nothing about that request.
    return isRefused && !isTooLate() ? { kind: "cancel_refused" } : { kind: "cancel_uncertain" };
  }
}
