import { asPurchaseId, type PurchaseId, type UserId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/listing.ts";
import type { Log } from "#domain/log.ts";
import type { AutobuyWish } from "#domain/match.ts";
import type { Random } from "#domain/clock.ts";
import type { MarketplaceSettings } from "#domain/settings.ts";
import type {
  Admission,
  Proposal,
  ProposalFacts,
  ProposalOutcome,
  PurchaseRecord,
} from "#store/purchase-store.ts";
import { admitAutomatic, type Refusal } from "../decide/admit.ts";
import { INTENT_LEASE_MS, STALE_AFTER_MS } from "../decide/attempt-transitions.ts";
import type { AttemptEnd, Attempts } from "../attempt/attempts.ts";
import { type BuyingStore, retryWhileAway, type StoreRetry } from "../buying-store.ts";
import type { WishOutcome } from "./dispatcher.ts";
import type { Chronicle } from "../chronicle.ts";
import { budgetKeys } from "../decide/limits.ts";
import type { RefusedPayers } from "./refused-payers.ts";
import type { Moves } from "../moves.ts";
import type { RightOfWay } from "./right-of-way.ts";

export interface WishDeps extends StoreRetry {
  readonly store: Pick<BuyingStore, "purchases" | "settings">;
  readonly random: Random;
  readonly log: Log;
  readonly moves: Moves;
  readonly attempts: Attempts;
  readonly chronicle: Chronicle;
  readonly refusedPayers: RefusedPayers;
  readonly rightOfWay: RightOfWay;
  readonly owner: string;
  /** Null: automatic purchases need no mandate. */
  readonly requiredMandate: number | null;
  /** Purchases that this process is working on now. */
  readonly busy: Set<PurchaseId>;
}

type Opening = Pick<Proposal, "source" | "filterId" | "wishedAtMs"> & {
  readonly userId: UserId;
  readonly seen: SeenListing;
};

/** Collisions between people of the product before one of them has the listing. */
const MAX_CONFLICTS = 3;

/** ∅ → INTENT: a purchase that is durable before anything is sent, or the reason against it. */
export async function open(
  { store, clock, random, moves, chronicle, owner }: WishDeps,
  { seen, ...opening }: Opening,
  decide: (facts: ProposalFacts, nowMs: number) => Admission<Refusal>,
): Promise<ProposalOutcome<Refusal>> {
  let outcome: ProposalOutcome<Refusal> = { kind: "conflict" };
  for (let tries = 0; outcome.kind === "conflict" && tries < MAX_CONFLICTS; tries += 1) {
    const nowMs = clock.nowMs();
    outcome = await store.purchases.propose<Refusal>(
      {
        ...opening,
        listing: seen.listing,
        ...budgetKeys(nowMs),
        id: asPurchaseId(random.uuid(nowMs)),
        nowMs,
        owner,
        leaseUntilMs: nowMs + INTENT_LEASE_MS,
      },
      (facts) => decide(facts, nowMs),
    );
  }
  if (outcome.kind === "opened") {
    moves.announceOpened(outcome.record);
    chronicle.opened(outcome.record, seen);
  }
  return outcome;
}

/** Runs a purchase created by this process, excluded from its own follow-ups. */
export async function runOpened(
  { attempts, busy }: WishDeps,
  record: PurchaseRecord,
  settings: MarketplaceSettings,
): Promise<AttemptEnd> {
  busy.add(record.id);
  try {
    return await attempts.run(record, settings);
  } finally {
    busy.delete(record.id);
  }
}

/** One turn of an automatic wish. While the store is unavailable the wish keeps its turn until it expires. */
export async function serveWish(deps: WishDeps, wish: AutobuyWish): Promise<WishOutcome> {
  const { rightOfWay, refusedPayers } = deps;
  if (wish.isSimulation !== true && refusedPayers.isResting(wish.userId))
    return outcomeOfRefusal(deps, wish, { kind: "cannot_pay" });
  let outcome: ProposalOutcome<Refusal>;
  try {
    const staleAtMs = wish.matchedAtMs + STALE_AFTER_MS.auto;
    outcome = await rightOfWay.passStore(wish.lane, () =>
      retryWhileAway(deps, staleAtMs, (isRepeated) => openWish(deps, wish, isRepeated)),
    );
  } catch (error) {
    if (!deps.isStoreAway(error)) throw error;
    deps.chronicle.refused(wish, { kind: "stale" });
    return "over";
  }
  if (outcome.kind === "conflict") return "listing_busy";
  if (outcome.kind === "refused") return outcomeOfRefusal(deps, wish, outcome.refusal);
  if (outcome.record.mode === "simulation") return "over";
  const { record, isUnreadable } = await runOpened(deps, outcome.record, outcome.settings);
  refusedPayers.note(record, isUnreadable);
  return outcomeOfPurchase(record);
}

async function openWish(
  deps: WishDeps,
  wish: AutobuyWish,
  isRepeated: boolean,
): Promise<ProposalOutcome<Refusal>> {
  const { userId, filterId, matchedAtMs } = wish;
  const { totalPriceCents } = wish.listing.listing;
  const outcome = await open(
    deps,
    { source: "auto", userId, seen: wish.listing, filterId, wishedAtMs: matchedAtMs },
    (facts, nowMs) =>
      admitAutomatic({ totalPriceCents, matchedAtMs, nowMs, requiredMandate: deps.requiredMandate }, facts),
  );
  return isRepeated ? await asOpened(deps, outcome) : outcome;
}

/** A retry after a store failure: the refusal may refer to what the first call created. */
export async function asOpened(
  deps: WishDeps,
  outcome: ProposalOutcome<Refusal>,
): Promise<ProposalOutcome<Refusal>> {
  const own = unacknowledged(deps, outcome);
  if (own === null) return outcome;
  return { kind: "opened", record: own, settings: await deps.store.settings.get(own.userId) };
}

/** Created here a moment ago, only the answer was lost: nothing has been sent for it, and no other process has it. */
function unacknowledged(
  { owner, busy, clock }: WishDeps,
  outcome: ProposalOutcome<Refusal>,
): PurchaseRecord | null {
  if (outcome.kind !== "refused" || outcome.refusal.kind !== "already_bought") return null;
  const { own } = outcome.refusal;
  const isHeldHere =
    own.leaseOwner === owner && !busy.has(own.id) && own.dueAtMs !== null && own.dueAtMs > clock.nowMs();
  return isHeldHere && own.state === "intent" && own.attemptCount === 0 ? own : null;
}

function outcomeOfRefusal({ log, chronicle }: WishDeps, wish: AutobuyWish, refusal: Refusal): WishOutcome {
  chronicle.refused(wish, refusal);
  if (refusal.kind === "concurrent") return "person_busy";
  if (refusal.kind === "taken") return refusal.isOver ? "listing_gone" : "listing_busy";
  const { userId, filterId, listingId } = wish;
  log.info({ userId, filterId, listingId, refusal: refusal.kind }, "an automatic wish was not admitted");
  return "over";
}

function outcomeOfPurchase({ state, failureReason }: PurchaseRecord): WishOutcome {
  if (state === "confirmed" || state === "awaiting") return "listing_gone";
  return failureReason === "sold" || failureReason === "withdrawn" ? "listing_gone" : "over";
}
