import { and, eq, type SQLWrapper } from "drizzle-orm";
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
import { lockPerson, readProposalFacts, readPurchase } from "./purchases-facts.ts";
import { alongside, moneyWrites } from "./purchases-money.ts";
import { changedColumns, toRow } from "./purchases-rows.ts";
import { settings } from "./schema.ts";
import type { Vault } from "./vault.ts";

/** The transactions that move purchases: facts under locks, a pure decision, and all that it means, at once. */

export interface Books {
  readonly db: Db;
  readonly vault: Vault;
}

export async function propose<Refusal>(
  { db, vault }: Books,
  proposal: Proposal,
  decide: (facts: ProposalFacts) => Admission<Refusal>,
): Promise<ProposalOutcome<Refusal>> {
  try {
    return await db.transaction(async (tx) => {
      await lockPerson(tx, proposal.userId);
      const facts = await readProposalFacts(tx, vault, proposal);
      const admission = decide(facts);
      if (admission.kind === "refuse") return { kind: "refused", refusal: admission.refusal };
      const record = proposedRecordOf(proposal, admission);
      const hold = { kind: "hold", cents: record.holdCents, isFirst: true } as const;
      const moves = record.mode === "live" ? [hold] : [];
      const at = { nowMs: proposal.nowMs, limits: facts.spending.limits };
      await insertOpened(tx, record, moneyWrites(tx, record, moves, at));
      return { kind: "opened", record, settings: facts.settings };
    });
  } catch (error) {
    if (error instanceof Conflict) return { kind: "conflict" };
    throw error;
  }
}

/** Somebody else's purchase of the listing stands: the transaction must leave nothing behind. */
class Conflict extends Error {
  override readonly name = "Conflict";
}

/** Waits for whoever is inserting or ending a purchase of the same listing, then yields to it. */
async function insertOpened(tx: Tx, record: PurchaseRecord, writes: readonly SQLWrapper[]): Promise<void> {
  const inserted = await alongside(tx, writes)
    .insert(purchases)
    .values({ ...toRow(record), isTold: false })
    .onConflictDoNothing()
    .returning({ id: purchases.id });
  if (inserted.length === 0) throw new Conflict();
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
    const found = await readPurchase(tx, { id, userId }, nowMs);
    if (found === null) return null;
    const { record: before, spending } = found;
    const change = decide(before, spending);
    if (change === null) return { before, after: before, change };
    const columns = { ...changedColumns(before, change.next), ...(change.isNews && { isTold: false }) };
    const [first, ...others] = change.attempts.map((move) => attemptWrite(tx, before, move, nowMs));
    const money = moneyWrites(tx, before, change.money, { nowMs, limits: spending.limits });
    await alongside(tx, first === undefined ? money : [...money, first])
      .update(purchases)
      .set(columns)
      .where(eq(purchases.id, id));
    // Of the same attempt, perhaps: each sees what the one before did.
    for (const other of others) await other;
    if (change.stopsUser) await throwStop(tx, userId, nowMs);
    return { before, after: change.next, change };
  });
}

function attemptWrite(tx: Tx, { id, userId }: PurchaseKey, move: AttemptMove, nowMs: number) {
  if (move.kind === "opened")
    return tx.insert(purchaseAttempts).values({ purchaseId: id, n: move.n, userId, startedAtMs: nowMs });
  const fields =
    move.kind === "paying"
      ? { digest: move.digest, sentAtMs: nowMs, deadlineMs: move.deadlineMs }
      : { endedAtMs: nowMs, outcome: move.outcome, evidence: move.evidence };
  return tx
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
