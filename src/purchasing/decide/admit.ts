import type { FilterId, GroupId } from "#domain/ids.ts";
import { missingForPurchase } from "#domain/settings.ts";
import { autobuyLaneNow, levelNow } from "#domain/user.ts";
import { isCancelling, type PurchaseMode, type PurchaseState } from "#domain/purchase.ts";
import { isTooGood, isWellKnown, type Standing } from "#domain/market/standing.ts";
import type { FilterTerms, ProposalFacts, PurchaseRecord, SpendingFacts } from "#store/purchase-facts.ts";
import type { Admission } from "#store/purchase-store.ts";
import { STALE_AFTER_MS } from "./attempt-transitions.ts";
import { capCents, limitAgainst, type ReachedLimit } from "./limits.ts";
import { isWithinHours, type ReachedRule, ruleAgainst, ruleAgainstQuote } from "./rules.ts";

/** Whether a wish may become a purchase: the guards of ∅ → INTENT (docs/purchase.md). Pure. */

export type Refusal =
  | { readonly kind: "no_plan" }
  | { readonly kind: "stale" }
  /** `all`: everyone, or this account; `person`: automatic purchases of this person only. */
  | { readonly kind: "stopped"; readonly scope: "all" | "person" }
  /** The filter was deleted, paused or edited meanwhile, or does not buy automatically (a simulation: for real). */
  | { readonly kind: "filter_off" }
  /** The filter's hours or days. */
  | { readonly kind: "hours" }
  /** Below the filter's price floor. */
  | { readonly kind: "price_floor" }
  | { readonly kind: "rule"; readonly rule: ReachedRule }
  /** Only purchases that may still fail use up the filter's rules: the wish waits. */
  | { readonly kind: "waits"; readonly key: GroupId | FilterId }
  /** Several purchases in a row failed by the filter's rules: the filter is paused. */
  | { readonly kind: "rules_rest" }
  /** The person blocks the listing's seller. */
  | { readonly kind: "seller_blocked" }
  /** The filter requires a good price, but too few similar listings are known to judge it. */
  | { readonly kind: "price_unsure"; readonly standing: Standing | null }
  /** Too cheap to be true: the person is asked. */
  | { readonly kind: "too_good"; readonly standing: Standing }
  /** The person has not consented to automatic purchases, or only to an older text. */
  | { readonly kind: "no_mandate" }
  | { readonly kind: "no_account" }
  | { readonly kind: "no_address" }
  /** Several in a row failed for a reason of the person's own: their automatic purchases are paused. */
  | { readonly kind: "cannot_pay" }
  | { readonly kind: "price_rose" }
  | { readonly kind: "already_bought"; readonly own: PurchaseRecord }
  /** Another person of the product is buying it; `isOver`: has bought it. */
  | { readonly kind: "taken"; readonly isOver: boolean }
  | { readonly kind: "limit"; readonly limit: ReachedLimit }
  | { readonly kind: "concurrent" };

/** Refused by the filter's own terms: another filter of the person may buy the listing all the same. */
export function isOfFilter({ kind }: Refusal): boolean {
  return OF_FILTER.has(kind);
}

const OF_FILTER: ReadonlySet<Refusal["kind"]> = new Set<Refusal["kind"]>([
  "filter_off",
  "hours",
  "price_unsure",
  "price_rose",
  "price_floor",
  "rule",
  "waits",
  "rules_rest",
]);

/** Maximum purchases of a person in INTENT, SUBMITTING or UNKNOWN. */
export const MAX_BEING_PAID = 3;

/**
 * Maximum purchases waiting for the person's bank. Each reserves a listing and is polled with the shared request
 * budget: a person who confirms none starts no more.
 */
const MAX_AWAITING = 10;

export interface AutomaticWish {
  readonly filterId: FilterId;
  readonly totalPriceCents: number;
  readonly matchedAtMs: number;
  /** When the filter was found to hold the listing again; absent: at the match. */
  readonly heldAgainAtMs?: number | undefined;
  /** Whether the filter was to decide only, and pay nothing. */
  readonly isSimulation: boolean;
  readonly nowMs: number;
  /** The current version of the mandate; null: none is needed. */
  readonly requiredMandate: number | null;
  readonly brandTitle: string;
  /** Where the price stands among those of similar listings; null: not known. */
  readonly standing: Standing | null;
  /** Days on which similar listings must have been seen before their price is trusted. */
  readonly minPriceDays: number;
}

export function admitAutomatic(wish: AutomaticWish, facts: ProposalFacts): Admission<Refusal> {
  const { filter, user } = facts;
  const lane = user === null ? null : autobuyLaneNow(user, wish.nowMs);
  if (lane === null) return refuse({ kind: "no_plan" });
  if (wish.nowMs - wish.matchedAtMs > STALE_AFTER_MS.auto) return refuse({ kind: "stale" });
  if (filter === null || !wants(filter, wish)) return refuse({ kind: "filter_off" });
  const stop = stopAgainst(facts);
  if (stop !== null) return refuse(stop);
  if (!isWithinHours(filter.rules, wish.nowMs)) return refuse({ kind: "hours" });
  if (facts.isSellerBlocked) return refuse({ kind: "seller_blocked" });
  const priceRefusal = priceRefusalOf(wish, filter, facts.spending);
  if (priceRefusal !== null) return refuse(priceRefusal);
  const limitCents = capCents(filter.priceCapEur);
  if (wish.totalPriceCents > limitCents) return refuse({ kind: "price_rose" });
  if (wish.totalPriceCents < capCents(filter.priceFloorEur)) return refuse({ kind: "price_floor" });
  const mode: PurchaseMode = filter.isSimulation ? "simulation" : "live";
  // A further epoch requires an explicit click.
  const own = facts.own.find((record) => record.mode === mode);
  if (own !== undefined) return refuse({ kind: "already_bought", own });
  const { totalPriceCents: cents, nowMs, filterId } = wish;
  const rule = ruleAgainst(facts.ruleFacts, filter, { mode, cents, nowMs, filterId });
  if (rule?.kind === "waits") return refuse(rule);
  if (rule !== null) return refuse({ kind: "rule", rule: rule.rule });
  const { paymentMethodId, bargainPercent } = filter;
  // Only this price was judged: a dearer one may no longer be a good price.
  const priceCapCents = bargainPercent === null ? limitCents : wish.totalPriceCents;
  const terms = { mode, lane, epoch: 0, priceCapCents, paymentMethodId, hadUnknownOutcome: false };
  if (mode === "simulation") return { kind: "admit", ...terms, holdCents: 0 };
  const { requiredMandate } = wish;
  if (requiredMandate !== null && facts.spending.mandateVersion !== requiredMandate)
    return refuse({ kind: "no_mandate" });
  return admitLive(facts, { ...terms, holdCents: wish.totalPriceCents });
}

/** Why an automatic purchase must not pay its quote, which unlike the listing's price includes the delivery. */
export function refusalOfQuote(
  { spending, ruleFacts }: Pick<ProposalFacts, "spending" | "ruleFacts">,
  filter: FilterTerms,
  cents: number,
): Refusal | null {
  const limit = limitAgainst(spending, cents);
  if (limit !== null) return { kind: "limit", limit };
  const rule = ruleAgainstQuote(ruleFacts, filter, cents);
  return rule === null ? null : { kind: "rule", rule };
}

/**
 * Auto-buy was switched on before the match and has stayed on since, and the criteria are those of the match. What was
 * wished in simulation is never paid.
 */
function wants(filter: FilterTerms, wish: AutomaticWish): boolean {
  return (
    filter.isActive &&
    filter.isAutobuy &&
    filter.isSimulation === wish.isSimulation &&
    filter.activatedAtMs !== null &&
    filter.activatedAtMs <= wish.matchedAtMs &&
    (filter.criteriaSinceMs ?? 0) <= (wish.heldAgainAtMs ?? wish.matchedAtMs)
  );
}

function stopAgainst({ spending }: ProposalFacts): Refusal | null {
  if (spending.isEveryoneStopped || spending.isAccountStopped) return { kind: "stopped", scope: "all" };
  return spending.limits.isStopped ? { kind: "stopped", scope: "person" } : null;
}

/** Why the price must not be trusted. */
function priceRefusalOf(
  wish: AutomaticWish,
  { bargainPercent }: FilterTerms,
  { limits }: Pick<SpendingFacts, "limits">,
): Refusal | null {
  const { standing } = wish;
  if (bargainPercent !== null && !isWellKnown(standing, wish.minPriceDays))
    return { kind: "price_unsure", standing };
  return limits.isPrudent && standing !== null && isTooGood(wish, standing)
    ? { kind: "too_good", standing }
    : null;
}

export interface ClickedWish {
  /** The price of the listing as far as it is known. */
  readonly totalPriceCents: number;
  /** The maximum that the person agreed to. */
  readonly priceCapCents: number;
  readonly nowMs: number;
}

export function admitClick(wish: ClickedWish, facts: ProposalFacts): Admission<Refusal> {
  const { spending, user } = facts;
  if (user === null || levelNow(user, wish.nowMs) === 0) return refuse({ kind: "no_plan" });
  const own = facts.own.find((record) => record.mode === "live");
  if (own !== undefined && !isOver(own.state)) return refuse({ kind: "already_bought", own });
  if (spending.isEveryoneStopped || spending.isAccountStopped)
    return refuse({ kind: "stopped", scope: "all" });
  if (facts.isSellerBlocked) return refuse({ kind: "seller_blocked" });
  if (wish.totalPriceCents > wish.priceCapCents) return refuse({ kind: "price_rose" });
  return admitLive(facts, {
    mode: "live",
    lane: "click",
    epoch: own === undefined ? 0 : own.epoch + 1,
    priceCapCents: wish.priceCapCents,
    holdCents: wish.totalPriceCents,
    paymentMethodId: facts.settings.paymentMethodId,
    hadUnknownOutcome: facts.own.some((record) => record.hadUnknownOutcome),
  });
}

type Terms = Omit<Extract<Admission<never>, { kind: "admit" }>, "kind">;

/** Required of every purchase that pays. */
function admitLive(facts: ProposalFacts, terms: Terms): Admission<Refusal> {
  const { rivalState, spending } = facts;
  if (rivalState !== null) return refuse({ kind: "taken", isOver: isSettled(rivalState) });
  const [missing] = missingForPurchase(facts.settings);
  if (missing !== undefined) return refuse({ kind: `no_${missing}` });
  const limit = limitAgainst(spending, terms.holdCents);
  if (limit !== null) return refuse({ kind: "limit", limit });
  if (facts.beingPaidCount >= MAX_BEING_PAID) return refuse({ kind: "concurrent" });
  if (facts.awaitingCount >= MAX_AWAITING) return refuse({ kind: "concurrent" });
  return { kind: "admit", ...terms };
}

/** Final: a new epoch may begin. */
export function isOver(state: PurchaseState): boolean {
  return state === "failed" || state === "cancelled";
}

/** A paid order exists: while it does, the marketplace sells the listing to no other person. */
function isSettled(state: PurchaseState): boolean {
  return state === "confirmed" || isCancelling(state);
}

function refuse(refusal: Refusal): Admission<Refusal> {
  return { kind: "refuse", refusal };
}
