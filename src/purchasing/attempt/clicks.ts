import { withTimeout } from "#domain/clock.ts";
import type { BackgroundTasks } from "#domain/concurrency.ts";
import type { EventBus } from "#domain/events.ts";
import { parseEurCents } from "#domain/money.ts";
import type { ListingId } from "#domain/ids.ts";
import type { Listing, SeenListing } from "#domain/market/listing.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import { missingForPurchase } from "#domain/settings.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { ProposalOutcome } from "#store/purchase-store.ts";
import { admitClick, type Refusal } from "../decide/admit.ts";
import type { AttemptEnd } from "./attempts.ts";
import { type BuyingStore, retryWhileAway } from "../buying-store.ts";
import type { ClickOutcome, ClickRequest, RefusedClick } from "../purchasing.ts";
import { newPurchaseId, open, runOpened, type WishDeps } from "../queue/wishes.ts";

/** One-click purchases: a separate lane, and an answer as soon as the outcome is known. */
export interface Clicks {
  click(request: ClickRequest): Promise<ClickOutcome>;
}

export interface ClicksDeps extends WishDeps {
  readonly store: Pick<BuyingStore, "purchases" | "settings" | "listings" | "sellers">;
  readonly events: EventBus;
  readonly background: BackgroundTasks;
}

/** How long a click waits for its outcome: it is answered within 15 s (contract §3). */
const OUTCOME_TIMEOUT_MS = 14_500;
const RECHECK_MS = 500;
const LISTING_KNOWN_MS = 24 * 60 * 60_000;
/** More would only wait for the marketplace's request budget. */
const MAX_CLICKS_AT_ONCE = 200;

export function createClicks(deps: ClicksDeps): Clicks {
  let underWay = 0;
  return {
    async click(request) {
      if (underWay >= MAX_CLICKS_AT_ONCE) return { kind: "marketplace_unavailable" };
      underWay += 1;
      try {
        return await clickOnce(deps, request);
      } finally {
        underWay -= 1;
      }
    },
  };
}

async function clickOnce(deps: ClicksDeps, request: ClickRequest): Promise<ClickOutcome> {
  const answerByMs = deps.clock.nowMs() + OUTCOME_TIMEOUT_MS;
  const seen = await knownListing(deps, request.listingId);
  if (seen === null) return { kind: "unknown_listing" };
  const opened = await openClick(deps, { request, seen, answerByMs });
  return opened.kind === "opened" ? await outcomeInTime(deps, opened, answerByMs) : opened;
}

async function knownListing({ store, clock }: ClicksDeps, id: ListingId): Promise<SeenListing | null> {
  const seen = await store.listings.byId(id);
  if (seen === null || clock.nowMs() - seen.seenAtMs > LISTING_KNOWN_MS) return null;
  return seen;
}

interface Click {
  readonly request: ClickRequest;
  readonly seen: SeenListing;
  readonly answerByMs: number;
}

type Opened = Extract<ProposalOutcome<Refusal>, { kind: "opened" }>;

/**
 * Retried while the store is unavailable, since the first call may have created the purchase. One that is never
 * acknowledged is not paid later either (`isUnacknowledgedClick`).
 */
async function openClick(
  deps: ClicksDeps,
  { request, seen, answerByMs }: Click,
): Promise<Opened | ClickOutcome> {
  const { userId, seenPrice } = request;
  const { listing } = seen;
  const { totalPriceCents } = listing;
  const priceCapCents = seenPrice === null ? totalPriceCents : parseEurCents(seenPrice);
  // A price that cannot be parsed is no consent to any amount.
  if (priceCapCents === null) return { kind: "price_rose", nowCents: totalPriceCents };
  const wish = { id: newPurchaseId(deps), userId, seen, wishedAtMs: deps.clock.nowMs() };
  const opening = { ...wish, source: "click", filterId: null } as const;
  const outcome = await retryWhileAway(
    deps,
    answerByMs,
    async () =>
      await open(deps, opening, (facts, nowMs) =>
        admitClick({ totalPriceCents, priceCapCents, nowMs }, facts),
      ),
  );
  if (outcome.kind === "opened") return outcome;
  if (outcome.kind === "conflict") return { kind: "taken_by_other" };
  const { refusal } = outcome;
  if (refusal.kind !== "no_account" && refusal.kind !== "no_address") return refusedClick(refusal, listing);
  // The answer names everything that is missing, not only the first thing found.
  const missing = missingForPurchase(await deps.store.settings.get(userId));
  return { kind: "missing", what: missing.length > 0 ? missing : ["account"] };
}

function refusedClick(refusal: Refusal, listing: Listing): ClickOutcome {
  if (refusal.kind === "already_bought") return { kind: "already_bought", purchase: refusal.own };
  if (refusal.kind === "taken")
    return refusal.isOver ? { kind: "failed", reason: "sold" } : { kind: "taken_by_other" };
  if (refusal.kind === "price_rose") return { kind: "price_rose", nowCents: listing.totalPriceCents };
  if (refusal.kind === "limit") return { kind: "limit_reached", limit: refusal.limit };
  if (refusal.kind === "seller_blocked") return { kind: "seller_blocked" };
  if (refusal.kind === "concurrent") return { kind: "limit_reached", limit: "concurrent" };
  // What remains is a stop, or a plan that just ended; reasons of filters do not apply to clicks.
  return { kind: "stopped" };
}

/** The purchase continues in the background; the answer waits for it until its deadline. */
async function outcomeInTime(deps: ClicksDeps, opened: Opened, answerByMs: number): Promise<ClickOutcome> {
  const { promise: ended, resolve: end } = Promise.withResolvers<AttemptEnd | null>();
  deps.background.start("click", async () => {
    let result: AttemptEnd | null = null;
    try {
      result = await runOpened(deps, opened);
    } finally {
      end(result);
    }
  });
  const attempt = await withTimeout(deps.clock, answerByMs - deps.clock.nowMs(), ended, null);
  const record = await settledRecord(deps, attempt?.record ?? opened.record, answerByMs);
  const outcome = outcomeOf(record, attempt);
  if (outcome.kind !== "stopped") return outcome;
  return (await isSellerBlocked(deps, record)) ? { ...outcome, kind: "seller_blocked" } : outcome;
}

/** Distinguishes a blocked seller from a stop: both fail the purchase as `stopped`. */
async function isSellerBlocked(deps: ClicksDeps, { userId, listing }: PurchaseRecord): Promise<boolean> {
  const blocked = await ifReadable(deps, () => deps.store.sellers.blockedOf(userId));
  return blocked?.has(listing.seller) ?? false;
}

/** An unknown outcome may be settled before the click's deadline. */
async function settledRecord(
  deps: ClicksDeps,
  record: PurchaseRecord,
  answerByMs: number,
): Promise<PurchaseRecord> {
  let latest = record;
  while (OPEN.has(latest.state) && deps.clock.nowMs() < answerByMs) {
    await nextChange(deps, record, answerByMs);
    latest = (await ifReadable(deps, () => deps.store.purchases.record(record))) ?? latest;
  }
  return latest;
}

/** Null while the store is unavailable. */
async function ifReadable<Answer>(deps: ClicksDeps, read: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await read();
  } catch (error) {
    if (!deps.isStoreAway(error)) throw error;
    return null;
  }
}

const OPEN: ReadonlySet<PurchaseState> = new Set(["intent", "submitting", "unknown"]);

/** Waits for the next change, or briefly, since it may have been published before the subscription. */
async function nextChange(deps: ClicksDeps, { id }: PurchaseRecord, answerByMs: number): Promise<void> {
  const { promise: changed, resolve } = Promise.withResolvers<null>();
  const unsubscribe = deps.events.subscribe((event) => {
    if (event.kind === "purchase_changed" && event.purchaseId === id) resolve(null);
  });
  await withTimeout(deps.clock, Math.min(answerByMs - deps.clock.nowMs(), RECHECK_MS), changed, null);
  unsubscribe();
}

function outcomeOf(record: PurchaseRecord, attempt: AttemptEnd | null): ClickOutcome {
  if (record.state !== "failed") return { kind: "accepted", purchase: record };
  return { ...failedClick(record, attempt), purchaseId: record.id };
}

function failedClick(record: PurchaseRecord, attempt: AttemptEnd | null): RefusedClick {
  const reason = record.failureReason ?? "marketplace_unavailable";
  if (attempt?.isPaymentMissing === true) return { kind: "missing", what: ["payment"] };
  if (reason === "price_rose")
    return { kind: "price_rose", nowCents: attempt?.quotedItemCents ?? record.listing.totalPriceCents };
  if (reason === "account_refused") return { kind: "missing", what: ["account"] };
  if (reason === "stopped") return { kind: "stopped" };
  if (reason === "marketplace_unavailable") return { kind: "marketplace_unavailable" };
  return { kind: "failed", reason };
}
