import { NO_RULES } from "#domain/buying-rules.ts";
import type { PurchaseFacts, PurchaseRecord, RuleFacts, RuleSums } from "#store/purchase-facts.ts";
import { NEW_PURCHASE } from "#store/purchases/rows.ts";
import { aPurchase } from "./a-purchase.ts";
import { A_MOMENT_MS } from "./fake-clock.ts";

/** A newly decided automatic purchase, holding the price of its listing. */
export function aPurchaseRecord(traits: Partial<PurchaseRecord> = {}): PurchaseRecord {
  const purchase = aPurchase({ source: "auto", lane: "acquire", ...traits });
  return {
    ...NEW_PURCHASE,
    ...purchase,
    state: "intent",
    chargedCents: null,
    transactionId: null,
    reachedCheckout: false,
    holdCents: purchase.listing.totalPriceCents,
    wishedAtMs: A_MOMENT_MS,
    dayKey: "2026-11-20",
    monthKey: "2026-11",
    leaseOwner: "node-1",
    dueAtMs: A_MOMENT_MS + 30_000,
    ...traits,
  };
}

const NOTHING_TAKEN: RuleSums = {
  groupCount: 0,
  groupCents: 0,
  filterCount: 0,
  filterCents: 0,
  filterDayCents: 0,
  latestAtMs: null,
  sellerCount: 0,
};

/** No group, and no purchases except those given. */
export function someRuleFacts(
  traits: Partial<Pick<RuleFacts, "group">> & {
    readonly taken?: Partial<RuleSums>;
    readonly paid?: Partial<RuleSums>;
  } = {},
): RuleFacts {
  const { group = null, taken = {}, paid = {} } = traits;
  return { group, taken: { ...NOTHING_TAKEN, ...taken }, paid: { ...NOTHING_TAKEN, ...paid } };
}

/** The default limits of a person with only this purchase in flight, for a filter that still wants it. */
export function aSpending(traits: Partial<PurchaseFacts> = {}): PurchaseFacts {
  const totals = { heldCents: 1_120, capturedCents: 0, extraCents: 0, purchases: 1 };
  return {
    isEveryoneStopped: false,
    isAccountStopped: false,
    filter: {
      isActive: true,
      isAutobuy: true,
      isSimulation: false,
      maxPurchases: null,
      priceCapEur: 100,
      activatedAtMs: A_MOMENT_MS,
      criteriaSinceMs: null,
      rules: NO_RULES,
    },
    limits: { dayEur: 300, monthEur: 2_000, purchasesPerDay: 20, isStopped: false, isPrudent: true },
    mandateVersion: null,
    day: totals,
    month: totals,
    recentUnknownOutcomes: 0,
    isSellerBlocked: false,
    ruleFacts: someRuleFacts(),
    ...traits,
  };
}
