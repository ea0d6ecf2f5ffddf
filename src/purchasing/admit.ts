import { missingForPurchase } from "#domain/settings.ts";
import { autobuyLaneNow, levelNow } from "#domain/user.ts";
import type { PurchaseMode, PurchaseState } from "#domain/purchase.ts";
import type { Admission, FilterTerms, ProposalFacts, PurchaseRecord } from "#store/purchase-store.ts";
import { STALE_AFTER_MS } from "./attempt-transitions.ts";
import { limitAgainst, type ReachedLimit } from "./limits.ts";

/** Whether a wish may become a purchase: the guards of ∅ → INTENT (docs/purchase.md), pure. */

export type Refusal =
  | { readonly kind: "no_plan" }
  | { readonly kind: "stale" }
  /** `all`: everyone or this account; `person`: automatic purchases of this person only. */
  | { readonly kind: "stopped"; readonly scope: "all" | "person" }
  /** The filter is gone, paused, edited meanwhile, or does not buy by itself. */
  | { readonly kind: "filter_off" }
  | { readonly kind: "filter_full" }
  /** The person has not agreed to being bought for automatically, or to an older text only. */
  | { readonly kind: "no_mandate" }
  | { readonly kind: "no_account" }
  | { readonly kind: "no_address" }
  /** Several in a row were not paid for a reason of the person's own: their automatic purchases rest. */
  | { readonly kind: "cannot_pay" }
  | { readonly kind: "price_rose" }
  | { readonly kind: "already_bought"; readonly own: PurchaseRecord }
  /** Somebody else of ours has it; `isOver`: for good. */
  | { readonly kind: "taken"; readonly isOver: boolean }
  | { readonly kind: "limit"; readonly limit: ReachedLimit }
  | { readonly kind: "concurrent" };

/** So many purchases of a person may be in INTENT, SUBMITTING or UNKNOWN at once. */
export const MAX_BEING_PAID = 3;

/**
 * So many may wait for the person's bank. Each keeps a listing from everybody and is looked at again and again, in the
 * calls that all share: whoever confirms none begins no more.
 */
export const MAX_AWAITING = 10;

export interface AutomaticWish {
  readonly totalPriceCents: number;
  readonly matchedAtMs: number;
  readonly nowMs: number;
  /** The version of the mandate that counts; null: none is needed. */
  readonly requiredMandate: number | null;
}

export function admitAutomatic(wish: AutomaticWish, facts: ProposalFacts): Admission<Refusal> {
  const { filter, user } = facts;
  const lane = user === null ? null : autobuyLaneNow(user, wish.nowMs);
  if (lane === null) return refuse({ kind: "no_plan" });
  if (wish.nowMs - wish.matchedAtMs > STALE_AFTER_MS.auto) return refuse({ kind: "stale" });
  if (filter === null || !wants(filter, wish)) return refuse({ kind: "filter_off" });
  const stop = stopAgainst(facts);
  if (stop !== null) return refuse(stop);
  const priceCapCents = filter.priceCapEur * 100;
  if (wish.totalPriceCents > priceCapCents) return refuse({ kind: "price_rose" });
  const mode: PurchaseMode = filter.isSimulation ? "simulation" : "live";
  // A further epoch needs the person's own click.
  const own = facts.own.find((record) => record.mode === mode);
  if (own !== undefined) return refuse({ kind: "already_bought", own });
  if (filter.maxPurchases !== null && facts.filterPurchases[mode] >= filter.maxPurchases)
    return refuse({ kind: "filter_full" });
  const { paymentMethodId } = filter;
  const terms = { mode, lane, epoch: 0, priceCapCents, paymentMethodId, hadDoubt: false };
  if (mode === "simulation") return { kind: "admit", ...terms, holdCents: 0 };
  const { requiredMandate } = wish;
  if (requiredMandate !== null && facts.spending.mandateVersion !== requiredMandate)
    return refuse({ kind: "no_mandate" });
  return admitLive(facts, { ...terms, holdCents: wish.totalPriceCents });
}

/** Switched on before the match, and never off since. */
function wants(filter: FilterTerms, wish: AutomaticWish): boolean {
  return (
    filter.isActive &&
    filter.isAutobuy &&
    filter.activatedAtMs !== null &&
    filter.activatedAtMs <= wish.matchedAtMs
  );
}

function stopAgainst({ spending }: ProposalFacts): Refusal | null {
  if (spending.isEveryoneStopped || spending.isAccountStopped) return { kind: "stopped", scope: "all" };
  return spending.limits.isStopped ? { kind: "stopped", scope: "person" } : null;
}

export interface ClickedWish {
  /** What the listing costs as far as we know. */
  readonly totalPriceCents: number;
  /** The most that the person agreed to. */
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
  if (wish.totalPriceCents > wish.priceCapCents) return refuse({ kind: "price_rose" });
  return admitLive(facts, {
    mode: "live",
    lane: "click",
    epoch: own === undefined ? 0 : own.epoch + 1,
    priceCapCents: wish.priceCapCents,
    holdCents: wish.totalPriceCents,
    paymentMethodId: facts.settings.paymentMethodId,
    hadDoubt: facts.own.some((record) => record.hadDoubt),
  });
}

type Terms = Omit<Extract<Admission<never>, { kind: "admit" }>, "kind">;

/** What every purchase that pays must pass. */
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

/** The marketplace has a paid order: nobody else can have the listing while it stands. */
function isSettled(state: PurchaseState): boolean {
  return state === "confirmed" || state === "cancelling" || state === "cancel_unknown";
}

function refuse(refusal: Refusal): Admission<Refusal> {
  return { kind: "refuse", refusal };
}
