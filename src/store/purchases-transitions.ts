import { and, eq } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Db, Tx } from "./engines/db.ts";
import { buyingAccounts, purchaseAttempts, purchases } from "./purchase-schema.ts";
import type {
  Admission,
  Advance,
  AttemptMove,
  Decider,
  Proposal,
  ProposalFacts,
  ProposalOutcome,
  PurchaseKey,
  PurchaseRecord,
} from "./purchase-store.ts";
import { lockPerson, readProposalFacts, readSpending } from "./purchases-facts.ts";
import { bookMoney } from "./purchases-money.ts";
import { changedColumns, toRecord, toRow } from "./purchases-rows.ts";
import { settings } from "./schema.ts";

/** The transactions that move purchases: facts under locks, a pure decision, and all that it means, at once. */

export async function propose<Refusal>(
  db: Db,
  proposal: Proposal,
  decide: (facts: ProposalFacts) => Admission<Refusal>,
): Promise<ProposalOutcome<Refusal>> {
  return await db.transaction(async (tx) => {
    await lockPerson(tx, proposal.userId);
    const facts = await readProposalFacts(tx, proposal);
    const admission = decide(facts);
    if (admission.kind === "refuse") return { kind: "refused", refusal: admission.refusal };
    const record = proposedRecordOf(proposal, admission);
    // Waits for whoever is inserting or ending a purchase of the same listing, then yields to it.
    const inserted = await tx
      .insert(purchases)
      .values({ ...toRow(record), isTold: false })
      .onConflictDoNothing()
      .returning({ id: purchases.id });
    if (inserted.length === 0) return { kind: "conflict" };
    if (record.mode === "live") {
      const hold = { kind: "hold", cents: record.holdCents, isFirst: true } as const;
      await bookMoney(tx, record, [hold], { nowMs: proposal.nowMs, limits: facts.spending.limits });
    }
    return { kind: "opened", record };
  });
}

/** A simulation is over as soon as it is decided. */
export function proposedRecordOf(
  proposal: Proposal,
  admission: Extract<Admission<never>, { kind: "admit" }>,
): PurchaseRecord {
  const isLive = admission.mode === "live";
  return {
    id: proposal.id,
    userId: proposal.userId,
    listingId: proposal.listing.id,
    epoch: admission.epoch,
    source: proposal.source,
    lane: admission.lane,
    filterId: proposal.filterId,
    mode: admission.mode,
    state: isLive ? "intent" : "confirmed",
    failureReason: null,
    priceCapCents: admission.priceCapCents,
    holdCents: isLive ? admission.holdCents : 0,
    chargedCents: null,
    paymentMethodId: admission.paymentMethodId,
    transactionId: null,
    confirmUrl: null,
    decidedAtMs: proposal.nowMs,
    updatedAtMs: proposal.nowMs,
    isHidden: false,
    reachedCheckout: false,
    listing: proposal.listing,
    wishedAtMs: proposal.wishedAtMs,
    dayKey: proposal.dayKey,
    monthKey: proposal.monthKey,
    leaseOwner: isLive ? proposal.owner : null,
    dueAtMs: isLive ? proposal.leaseUntilMs : null,
    notBeforeMs: 0,
    attemptCount: 0,
    attemptPhase: "none",
    attemptTransactionId: null,
    checkoutId: null,
    hadDoubt: admission.hadDoubt,
    watch: null,
  };
}

export async function advance(
  db: Db,
  { id, userId }: PurchaseKey,
  nowMs: number,
  decide: Decider,
): Promise<Advance | null> {
  return await db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    const [row] = await tx
      .select()
      .from(purchases)
      .where(and(eq(purchases.id, id), eq(purchases.userId, userId)));
    if (row === undefined) return null;
    const before = toRecord(row);
    const facts = await readSpending(tx, before, nowMs);
    const change = decide(before, facts);
    if (change === null) return { before, after: before, change };
    const columns = { ...changedColumns(before, change.next), ...(change.isNews && { isTold: false }) };
    await tx.update(purchases).set(columns).where(eq(purchases.id, id));
    await bookMoney(tx, before, change.money, { nowMs, limits: facts.limits });
    for (const move of change.attempts) await recordAttempt(tx, before, move, nowMs);
    if (change.stopsUser) await throwStop(tx, userId, nowMs);
    return { before, after: change.next, change };
  });
}

async function recordAttempt(
  tx: Tx,
  { id, userId }: PurchaseKey,
  move: AttemptMove,
  nowMs: number,
): Promise<void> {
  if (move.kind === "opened") {
    await tx.insert(purchaseAttempts).values({ purchaseId: id, n: move.n, userId, startedAtMs: nowMs });
    return;
  }
  const fields =
    move.kind === "paying"
      ? { digest: move.digest, sentAtMs: nowMs, deadlineMs: move.deadlineMs }
      : { endedAtMs: nowMs, outcome: move.outcome, evidence: move.evidence };
  await tx
    .update(purchaseAttempts)
    .set(fields)
    .where(and(eq(purchaseAttempts.purchaseId, id), eq(purchaseAttempts.n, move.n)));
}

async function throwStop(tx: Tx, userId: UserId, nowMs: number): Promise<void> {
  await tx.update(settings).set({ isStopped: true }).where(eq(settings.userId, userId));
  await tx
    .insert(buyingAccounts)
    .values({ userId, stopThrownAtMs: nowMs })
    .onConflictDoUpdate({ target: buyingAccounts.userId, set: { stopThrownAtMs: nowMs } });
}
