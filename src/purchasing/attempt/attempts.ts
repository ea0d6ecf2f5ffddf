import { createHash } from "node:crypto";
import { sleep, type Clock } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { EventBus } from "#domain/events.ts";
import type { MarketplaceSettings } from "#domain/settings.ts";
import { withRisenPrice } from "#domain/market/listing.ts";
import type { PaymentAnswer, Quote } from "#marketplace/marketplace.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { PurchaseSnapshot } from "#store/purchase-store.ts";
import { isStale } from "../decide/attempt-transitions.ts";
import { type BuyingStore, retryWhileAway, type StoreRetry } from "../buying-store.ts";
import { evidenceOf, paymentFailure, paymentMeaning } from "../decide/classify.ts";
import { type Moves, preparationEndsAtMs } from "../moves.ts";
import type { LeaveLane } from "../queue/dispatcher.ts";
import { prepareQuote, type Preparation, type PreparationDeps } from "./prepare-quote.ts";
import type { PurchaseEvent } from "../decide/purchase-event.ts";

/** Runs an INTENT to its outcome, or to an unknown outcome that order checks must settle. */
export interface Attempts {
  /**
   * Never rejects because of the marketplace.
   * @param leaveLane runs the waits between attempts; absent: the purchase is in no lane
   */
  run(opened: OpenedPurchase, leaveLane?: LeaveLane): Promise<AttemptEnd>;
  /** Whether an attempt may begin at this moment: the process lives and is not stopping. */
  mayBegin(): boolean;
}

/** A purchase in INTENT, or in SUBMITTING if its first attempt was opened with it. */
export interface OpenedPurchase {
  readonly record: PurchaseRecord;
  readonly settings: MarketplaceSettings;
  readonly snapshot: PurchaseSnapshot | null;
}

export interface AttemptEnd {
  readonly record: PurchaseRecord;
  /** The item total of the last quote. */
  readonly quotedItemCents: number | null;
  readonly isPaymentMissing: boolean;
  /** An answer on the way to the quote was unreadable. */
  readonly isUnreadable: boolean;
}

export interface AttemptsDeps extends PreparationDeps {
  readonly clock: Clock;
  readonly store: Pick<BuyingStore, "accounts" | "listings" | "settings">;
  readonly events: Pick<EventBus, "publish">;
  readonly log: Log;
  readonly moves: Moves;
  /** Identifies this process in leases. */
  readonly owner: string;
  /** True once the service is stopping: nothing new is sent. */
  readonly isStopping: () => boolean;
  /** False once another process may have taken over this one's purchases. */
  readonly isAlive: () => boolean;
}

/** Longer than a token refresh, the wait for the budget, the paying request (15 s) and the checks that follow it. */
const PAYMENT_LEASE_MS = 90_000;
/**
 * A paying request that was not sent within this time, counted from before its commit, is never sent. A stop waits for
 * that commit, so nothing is sent later than this after the answer to 'Tout arrêter' (contract §5).
 */
const SEND_WITHIN_MS = 1_000;
const FOLLOW_PREPARING_MS = 10_000;
const STOP_CHECK_MS = 250;
const LIFE_CHECK_MS = 50;
const PREPARING_WAITS_MS: readonly number[] = [100, 200, 400, 800, 1_000];

export function createAttempts(deps: AttemptsDeps): Attempts {
  return {
    mayBegin: () => !deps.isStopping() && deps.isAlive(),
    async run(opened, leaveLane = (wait) => wait()) {
      const { record } = opened;
      // A first attempt that was opened with the purchase starts immediately.
      let end = record.state === "intent" ? endAt(record) : await attemptOnce(deps, opened);
      while (end?.record.state === "intent") {
        const waiting = end.record;
        const wait = (): Promise<boolean> => isItsTurn(deps, waiting);
        const mayGoOn = waiting.notBeforeMs > deps.clock.nowMs() ? leaveLane(wait) : wait();
        if (!(await mayGoOn)) break;
        const next = await attemptOnce(
          deps,
          end.record === record ? opened : await openedAgain(deps, { record: end.record, snapshot: null }),
        );
        if (next === null) break;
        end = next;
      }
      return end ?? endAt(record);
    },
  };
}

/** For a retry or a takeover: the person may have changed the address since the previous attempt. */
export async function openedAgain(
  deps: StoreRetry & { readonly store: Pick<BuyingStore, "settings"> },
  purchase: Omit<OpenedPurchase, "settings">,
): Promise<OpenedPurchase> {
  const { userId, dueAtMs } = purchase.record;
  // Later, another process may take it over.
  const giveUpAtMs = dueAtMs ?? deps.clock.nowMs();
  const settings = await retryWhileAway(deps, giveUpAtMs, () => deps.store.settings.get(userId));
  return { ...purchase, settings };
}

/**
 * An INTENT waits until the marketplace allows another attempt, and while this process may have been declared dead,
 * since its paying requests would not be sent. False when the service stops meanwhile.
 */
async function isItsTurn(
  { clock, isStopping, isAlive }: AttemptsDeps,
  record: PurchaseRecord,
): Promise<boolean> {
  while (!isStopping()) {
    const waitMs = record.notBeforeMs - clock.nowMs();
    const mayPay = isAlive() || isStale(record, clock.nowMs());
    if (waitMs <= 0 && mayPay) return true;
    await sleep(clock, mayPay ? Math.min(waitMs, STOP_CHECK_MS) : LIFE_CHECK_MS);
  }
  return false;
}

/** One attempt. Null when another process has the purchase. */
async function attemptOnce(deps: AttemptsDeps, opened: OpenedPurchase): Promise<AttemptEnd | null> {
  const quoted = await deps.rightOfWay.run(opened.record.lane, () => submitAndQuote(deps, opened));
  if (quoted.kind !== "paying") {
    await recordRise(deps, quoted.end);
    return quoted.end;
  }
  return endAt(await payAndReport(deps, quoted), quoted.quote.itemTotalCents);
}

/** Records a risen price, since a quote is newer than any catalogue page. A failure is only logged. */
async function recordRise(
  { store, events, clock, log }: AttemptsDeps,
  end: AttemptEnd | null,
): Promise<void> {
  const totalPriceCents = end?.quotedItemCents ?? null;
  if (totalPriceCents === null || end?.record.failureReason !== "price_rose") return;
  const { listingId } = end.record;
  try {
    const known = await store.listings.byId(listingId);
    if (known === null || known.listing.totalPriceCents >= totalPriceCents) return;
    const seenAtMs = clock.nowMs();
    const risen = withRisenPrice(known, { totalPriceCents, seenAtMs });
    await store.listings.record({ listings: [risen], matches: [], marks: [] });
    await events.publish({ kind: "price_rose", listingId, totalPriceCents, seenAtMs });
  } catch (error) {
    log.warn({ purchaseId: end.record.id, ...describeError(error) }, "a risen price could not be recorded");
  }
}

function endAt(record: PurchaseRecord, quotedItemCents: number | null = null): AttemptEnd {
  return { record, quotedItemCents, isPaymentMissing: false, isUnreadable: false };
}

type Quoted =
  | { readonly kind: "over"; readonly end: AttemptEnd | null }
  /** The commit that allows the paying request has been made. */
  | ({ readonly kind: "paying" } & Payable);

interface Payable {
  readonly record: PurchaseRecord;
  readonly quote: Quote;
  /** Of the account whose checkout it is. */
  readonly connectedAtMs: number;
  readonly snapshot: PurchaseSnapshot | null;
}

async function submitAndQuote(deps: AttemptsDeps, opened: OpenedPurchase): Promise<Quoted> {
  const { moves } = deps;
  const begun = await begin(deps, opened);
  if (begun === null) return { kind: "over", end: null };
  const { record, snapshot } = begun;
  if (record.state !== "submitting") return { kind: "over", end: endAt(record) };
  const tokens = snapshot?.tokens ?? null;
  const preparation = await prepareQuote(deps, { record, settings: opened.settings, tokens });
  if (preparation.kind === "failed")
    return { kind: "over", end: await reportFailure(deps, { record, snapshot }, preparation) };
  const { quote, transactionId, connectedAtMs } = preparation;
  const moved = await moves.move(record, quotedEvent(deps, record, { quote, transactionId }), snapshot);
  const after = moved?.record ?? record;
  if (moved?.hasMoved === true && after.attemptPhase === "paying")
    return { kind: "paying", record: after, quote, connectedAtMs, snapshot: moved.snapshot };
  return { kind: "over", end: endAt(after, quote.itemTotalCents) };
}

type Begun = Pick<OpenedPurchase, "record" | "snapshot">;

/** A new automatic purchase has its first attempt already. Null when another process has the purchase. */
async function begin(deps: AttemptsDeps, { record, snapshot }: Begun): Promise<Begun | null> {
  if (record.state !== "intent") return { record, snapshot };
  const event = { kind: "submit", owner: deps.owner, leaseUntilMs: preparationEndsAtMs(deps) } as const;
  const submitted = await deps.moves.move(record, event, snapshot);
  return submitted?.hasMoved === true ? submitted : null;
}

async function reportFailure(
  { moves }: AttemptsDeps,
  { record, snapshot }: Begun,
  preparation: Extract<Preparation, { kind: "failed" }>,
): Promise<AttemptEnd> {
  const { failure, reachedCheckout, evidence, isPaymentMissing } = preparation;
  const n = record.attemptCount;
  const event = { kind: "preparation_failed", n, failure, reachedCheckout, evidence } as const;
  const moved = await moves.move(record, event, snapshot);
  const isUnreadable = evidence["code"] === "unreadable";
  return { ...endAt(moved?.record ?? record), isPaymentMissing, isUnreadable };
}

function quotedEvent(
  { clock, owner }: AttemptsDeps,
  record: PurchaseRecord,
  { quote, transactionId }: { readonly quote: Quote; readonly transactionId: number },
): PurchaseEvent<"quoted"> {
  const { checkoutId, checksum, itemTotalCents, totalCents } = quote;
  const paid = [record.listingId, record.paymentMethodId, checkoutId, checksum, itemTotalCents, totalCents];
  return {
    kind: "quoted",
    n: record.attemptCount,
    owner,
    leaseUntilMs: clock.nowMs() + PAYMENT_LEASE_MS,
    transactionId,
    checkoutId,
    itemTotalCents,
    totalCents,
    digest: createHash("sha256").update(JSON.stringify(paid)).digest("hex"),
  };
}

async function payAndReport(deps: AttemptsDeps, payable: Payable): Promise<PurchaseRecord> {
  const { record, snapshot } = payable;
  const event = await pay(deps, payable);
  const moved = await deps.moves.move(record, event, snapshot);
  if (moved !== null && !moved.hasMoved)
    deps.log.error({ purchaseId: record.id, event: event.kind }, "the outcome of a payment came too late");
  return moved?.record ?? record;
}

type PaymentEvent = PurchaseEvent<"payment_answered" | "payment_refused" | "payment_unknown">;

/** Sends the paying request at most once. @returns its outcome, which may be unknown */
async function pay(deps: AttemptsDeps, payable: Payable): Promise<PaymentEvent> {
  const { calls, checkout, clock } = deps;
  const { record, quote, snapshot, connectedAtMs } = payable;
  const n = record.attemptCount;
  const notAfterMs = record.updatedAtMs + SEND_WITHIN_MS;
  let isSent = false;
  try {
    const answer = await calls.call(
      record.userId,
      async (access) => {
        const mayStillLeave = (): void => {
          access.mayStillLeave?.();
          // The process may have slept since the commit, or waited for a new token.
          if (clock.nowMs() > notAfterMs || deps.isStopping() || !deps.isAlive()) throw new NotSent();
        };
        mayStillLeave();
        isSent = true;
        const paying = { reveal: () => access.reveal(), account: access.account, mayStillLeave };
        return await checkout.pay(paying, quote.checkoutId, quote.checksum, notAfterMs);
      },
      { retryOn401: false, tokens: snapshot?.tokens ?? null, connectedAtMs },
    );
    return await eventOfAnswer(deps, record, answer);
  } catch (error) {
    const evidence = evidenceOf(error);
    const isUnsent = !isSent || error instanceof NotSent;
    const failure = paymentFailure(error) ?? (isUnsent ? NOT_SENT : null);
    if (failure === null) return { kind: "payment_unknown", n, evidence };
    return { kind: "payment_refused", n, failure, evidence };
  }
}

/** The paying request was not sent. */
class NotSent extends Error {
  override readonly name = "NotSent";
}

const NOT_SENT = { kind: "retry", reason: "marketplace_unavailable", waitMs: 0 } as const;

async function eventOfAnswer(
  deps: AttemptsDeps,
  record: PurchaseRecord,
  first: PaymentAnswer,
): Promise<PaymentEvent> {
  const n = record.attemptCount;
  const giveUpAtMs = deps.clock.nowMs() + FOLLOW_PREPARING_MS;
  let answer: PaymentAnswer | null = first;
  for (let checks = 0; ; checks += 1) {
    const meaning = answer === null ? null : paymentMeaning(record, answer);
    if (meaning?.kind === "decisive") return { kind: "payment_answered", n, answer: meaning.answer };
    if (meaning?.kind === "doubtful" || deps.clock.nowMs() > giveUpAtMs)
      return { kind: "payment_unknown", n, evidence: { code: meaning?.kind ?? "unread", status: null } };
    await sleep(deps.clock, PREPARING_WAITS_MS[Math.min(checks, PREPARING_WAITS_MS.length - 1)] ?? 1_000);
    answer = await readPayment(deps, record);
  }
}

/** The payment's current state; null when it could not be read. */
async function readPayment(deps: AttemptsDeps, record: PurchaseRecord): Promise<PaymentAnswer | null> {
  const { checkoutId } = record;
  if (checkoutId === null) return null;
  try {
    return await deps.calls.call(record.userId, (access) => deps.checkout.payment(access, checkoutId), {
      retryOn401: true,
    });
  } catch (error) {
    deps.log.warn({ purchaseId: record.id, ...evidenceOf(error) }, "a payment could not be read");
    return null;
  }
}
