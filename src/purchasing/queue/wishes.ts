import { asPurchaseId, type PurchaseId, type UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { Log } from "#domain/log.ts";
import { type AutobuyWish, filterIdsOf } from "#domain/market/match.ts";
import type { Random } from "#domain/clock.ts";
import type { ProposalFacts, PurchaseRecord } from "#store/purchase-facts.ts";
import type { Admission, Proposal, ProposalOutcome } from "#store/purchase-store.ts";
import { admitAutomatic, isOfFilter, type Refusal } from "../decide/admit.ts";
import { INTENT_LEASE_MS, STALE_AFTER_MS } from "../decide/attempt-transitions.ts";
import type { AttemptEnd, Attempts } from "../attempt/attempts.ts";
import { type BuyingStore, retryWhileAway, type StoreRetry } from "../buying-store.ts";
import type { LeaveLane, Turn, WishOutcome } from "./dispatcher.ts";
import { type MissRecorder, originOf } from "../miss-recorder.ts";
import { budgetKeys } from "../decide/limits.ts";
import type { RefusedPayers, RestingFilters } from "./refused-payers.ts";
import type { Moves } from "../moves.ts";
import type { RightOfWay } from "./right-of-way.ts";

export interface WishDeps extends StoreRetry {
  readonly store: Pick<BuyingStore, "purchases" | "settings">;
  readonly random: Random;
  readonly log: Log;
  readonly moves: Moves;
  readonly attempts: Attempts;
  readonly misses: MissRecorder;
  readonly refusedPayers: RefusedPayers;
  readonly restingFilters: RestingFilters;
  readonly rightOfWay: RightOfWay;
  readonly owner: string;
  /** Null: automatic purchases need no mandate. */
  readonly requiredMandate: number | null;
  /** Days on which similar listings must have been seen before a usual price is trusted. */
  readonly minPriceDays: number;
  /** Purchases that this process is working on now. */
  readonly busy: Set<PurchaseId>;
}

type Opening = Pick<Proposal, "id" | "source" | "filterId" | "wishedAtMs"> & {
  readonly userId: UserId;
  readonly seen: SeenListing;
};

/** Lost races against other people of the product for a listing before the wish gives up its turn. */
const MAX_CONFLICTS = 3;

/**
 * ∅ → INTENT, with the first attempt of an automatic purchase: it is durable before anything is sent. Or the
 * reason against it.
 * @param id constant over all tries of a wish: a retry finds the purchase of an unacknowledged try
 */
export async function open(
  { store, clock, moves, attempts, owner }: WishDeps,
  { seen, ...opening }: Opening,
  decide: (facts: ProposalFacts, nowMs: number) => Admission<Refusal>,
): Promise<ProposalOutcome<Refusal>> {
  let outcome: ProposalOutcome<Refusal> = { kind: "conflict" };
  for (let tries = 0; outcome.kind === "conflict" && tries < MAX_CONFLICTS; tries += 1) {
    const nowMs = clock.nowMs();
    // Beginning a click takes a statement of its own, which proves that its commit was acknowledged.
    const begins = opening.source !== "click" && attempts.mayBegin() ? { owner } : null;
    outcome = await store.purchases.propose<Refusal>(
      {
        ...opening,
        listing: seen.listing,
        ...budgetKeys(nowMs),
        nowMs,
        owner,
        leaseUntilMs: nowMs + INTENT_LEASE_MS,
        origin: originOf(seen),
        begin: (intent, facts) => moves.opening(intent, facts, begins),
      },
      (facts) => decide(facts, nowMs),
    );
  }
  if (outcome.kind === "opened") moves.announceOpened(outcome);
  return outcome;
}

/** The id of a wish's purchase, should it become one. */
export function newPurchaseId({ random, clock }: WishDeps): PurchaseId {
  return asPurchaseId(random.uuid(clock.nowMs()));
}

/** Runs a purchase created by this process, excluded from its own follow-ups. */
export async function runOpened(
  { attempts, busy }: WishDeps,
  opened: Extract<ProposalOutcome<never>, { kind: "opened" }>,
  leaveLane?: LeaveLane,
): Promise<AttemptEnd> {
  const { id } = opened.record;
  busy.add(id);
  try {
    return await attempts.run(opened, leaveLane);
  } finally {
    busy.delete(id);
  }
}

/**
 * One turn of an automatic wish: the first of the person's filters whose terms allow it buys. While the store
 * is unavailable the wish keeps its turn until it expires.
 */
export async function serveWish(deps: WishDeps, wish: AutobuyWish, turn: Turn): Promise<WishOutcome> {
  const isSimulation = wish.isSimulation === true;
  if (!isSimulation && deps.refusedPayers.isResting(wish.userId))
    return outcomeOfRefusal(deps, wish, { kind: "cannot_pay" });
  const refusals: Refusal[] = [];
  for (const filterId of filterIdsOf(wish)) {
    const isResting = !isSimulation && deps.restingFilters.isResting(filterId);
    const outcome: TurnOutcome = isResting
      ? { kind: "refused", refusal: { kind: "rules_rest" } }
      : await tryFilter(deps, { ...wish, filterId }, turn);
    if (outcome.kind !== "refused") return await outcomeOfTurn(deps, outcome, turn);
    if (!isOfFilter(outcome.refusal)) return outcomeOfRefusal(deps, wish, outcome.refusal);
    refusals.push(outcome.refusal);
  }
  // A filter that waits for room keeps the wish queued; otherwise the oldest filter's refusal is reported.
  const reported = refusals.find(({ kind }) => kind === "waits") ?? refusals[0];
  return reported === undefined ? "over" : outcomeOfRefusal(deps, wish, reported);
}

type TurnOutcome = ProposalOutcome<Refusal> | { readonly kind: "overtaken" };

async function tryFilter(deps: WishDeps, wish: AutobuyWish, turn: Turn): Promise<TurnOutcome> {
  try {
    const staleAtMs = wish.matchedAtMs + STALE_AFTER_MS.auto;
    const id = newPurchaseId(deps);
    return await deps.rightOfWay.runOnStore(wish.lane, async () =>
      // After an Acquire wish has yielded to Thunder purchases.
      turn.isOvertaken()
        ? { kind: "overtaken" }
        : await retryWhileAway(deps, staleAtMs, () => openWish(deps, wish, id)),
    );
  } catch (error) {
    if (!deps.isStoreAway(error)) throw error;
    return { kind: "refused", refusal: { kind: "stale" } };
  }
}

async function outcomeOfTurn(
  deps: WishDeps,
  outcome: Exclude<TurnOutcome, { kind: "refused" }>,
  { leaveLane }: Turn,
): Promise<WishOutcome> {
  if (outcome.kind === "overtaken") return "overtaken";
  if (outcome.kind === "conflict") return "listing_busy";
  if (outcome.record.mode === "simulation") return "over";
  const { record, isUnreadable } = await runOpened(deps, outcome, leaveLane);
  deps.refusedPayers.note(record.userId, record, isUnreadable);
  if (record.filterId !== null) deps.restingFilters.note(record.filterId, record);
  return outcomeOfPurchase(record);
}

async function openWish(
  deps: WishDeps,
  wish: AutobuyWish,
  id: PurchaseId,
): Promise<ProposalOutcome<Refusal>> {
  const { userId, filterId, matchedAtMs, heldAgainAtMs, isSimulation = false } = wish;
  const { listing, standing = null } = wish.listing;
  const { totalPriceCents, brandTitle } = listing;
  const { requiredMandate, minPriceDays } = deps;
  return await open(
    deps,
    { id, source: "auto", userId, seen: wish.listing, filterId, wishedAtMs: matchedAtMs },
    (facts, nowMs) =>
      admitAutomatic(
        {
          filterId,
          totalPriceCents,
          brandTitle,
          standing,
          minPriceDays,
          matchedAtMs,
          heldAgainAtMs,
          isSimulation,
          nowMs,
          requiredMandate,
        },
        facts,
      ),
  );
}

function outcomeOfRefusal({ log, misses }: WishDeps, wish: AutobuyWish, refusal: Refusal): WishOutcome {
  misses.refused(wish, refusal);
  if (refusal.kind === "concurrent") return "person_busy";
  if (refusal.kind === "waits") return { waitsFor: refusal.key };
  if (refusal.kind === "taken") return refusal.isOver ? "listing_gone" : "listing_busy";
  const { userId, filterId, listingId } = wish;
  log.info({ userId, filterId, listingId, refusal: refusal.kind }, "an automatic wish was not admitted");
  return "over";
}

function outcomeOfPurchase({ state, failureReason }: PurchaseRecord): WishOutcome {
  // The bank may still refuse what it is asked to confirm: the listing would be free again.
  if (state === "confirmed") return "listing_gone";
  return failureReason === "sold" || failureReason === "withdrawn" ? "listing_gone" : "over";
}
