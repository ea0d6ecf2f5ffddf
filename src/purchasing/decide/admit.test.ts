import { describe, expect, it } from "vitest";
import { type BuyingRules, NO_RULES } from "#domain/buying-rules.ts";
import { asFilterId, asGroupId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { Standing } from "#domain/market/standing.ts";
import { DEFAULT_LIMITS, EMPTY_ADDRESS, type MarketplaceSettings } from "#domain/settings.ts";
import { aStanding } from "#verify/testing/a-listing.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { aPurchaseRecord, aSpending, someRuleFacts } from "#verify/testing/a-purchase-record.ts";
import type { FilterTerms, ProposalFacts } from "#store/purchase-facts.ts";
import { admitAutomatic, admitClick, type AutomaticWish } from "./admit.ts";

const FILTER = asFilterId("0193-filter");

const NOTHING = { heldCents: 0, capturedCents: 0, extraCents: 0, purchases: 0 };

const filter = (traits: Partial<FilterTerms> = {}): FilterTerms => ({
  isActive: true,
  isAutobuy: true,
  isSimulation: false,
  bargainPercent: null,
  priceCapEur: 20,
  priceFloorEur: 0,
  maxPurchases: null,
  paymentMethodId: 11,
  activatedAtMs: A_MOMENT_MS - 1_000,
  criteriaSinceMs: null,
  rules: NO_RULES,
  ...traits,
});

const ruled = (rules: Partial<BuyingRules>): FilterTerms => filter({ rules: { ...NO_RULES, ...rules } });
const group = { id: asGroupId("g1"), maxPurchases: 2, budgetEur: null };
const paused = { latestAtMs: A_MOMENT_MS };

const settings = (traits: Partial<MarketplaceSettings> = {}): MarketplaceSettings => ({
  paymentMethodId: 1,
  address: { street: "1 rue du Lac", city: "Annecy", postalCode: 74_000, country: "France" },
  pickupPointNames: [],
  account: { state: "connected", tokenTail: "" },
  limits: DEFAULT_LIMITS,
  mandate: null,
  ...traits,
});
const withoutAddress = settings({ address: EMPTY_ADDRESS });
const withoutAccount = settings({ account: { state: "reconnect", tokenTail: "" } });

const facts = (traits: Partial<ProposalFacts> = {}): ProposalFacts => ({
  user: { plan: "acquire", planEndsAtMs: null, isSuspended: false },
  settings: settings(),
  filter: filter(),
  spending: aSpending({ day: NOTHING, month: NOTHING }),
  beingPaidCount: 0,
  awaitingCount: 0,
  own: [],
  rivalState: null,
  isSellerBlocked: false,
  ruleFacts: someRuleFacts(),
  ...traits,
});

const wish = (traits: Partial<AutomaticWish> = {}): AutomaticWish => ({
  filterId: FILTER,
  totalPriceCents: 1_500,
  matchedAtMs: A_MOMENT_MS,
  nowMs: A_MOMENT_MS + 10,
  requiredMandate: null,
  brandTitle: "",
  standing: null,
  minPriceDays: 7,
  isSimulation: false,
  ...traits,
});

const limits = aSpending().limits;
const stopped = aSpending({ day: NOTHING, month: NOTHING, limits: { ...limits, isStopped: true } });
const own = aPurchaseRecord({ state: "failed", holdCents: 0 });

describe("admitAutomatic()", () => {
  it("admits with the filter's limit as cap, the item total as hold and the filter's way to pay", () => {
    expect(admitAutomatic(wish(), facts())).toEqual({
      kind: "admit",
      mode: "live",
      lane: "acquire",
      epoch: 0,
      priceCapCents: 2_000,
      holdCents: 1_500,
      paymentMethodId: 11,
      hadUnknownOutcome: false,
    });
  });

  it("admits by a filter for good prices with the price that was judged as cap", () => {
    const standing = aStanding();
    const own = facts({ filter: filter({ bargainPercent: 10 }) });
    const admission = admitAutomatic(wish({ standing }), own);
    expect(admission).toMatchObject({ kind: "admit", priceCapCents: 1_500 });
    const dearer = admitAutomatic(wish({ standing, totalPriceCents: 2_001 }), own);
    expect(dearer).toMatchObject({ refusal: { kind: "price_rose" } });
  });

  it("admits a wish of before an edit if the listing was found to satisfy the new criteria", () => {
    const edited = facts({ filter: filter({ criteriaSinceMs: A_MOMENT_MS + 1 }) });
    const again = wish({ heldAgainAtMs: A_MOMENT_MS + 1 });
    expect(admitAutomatic(again, edited)).toMatchObject({ kind: "admit" });
  });

  it("gives the lane of the plan as it stands now", () => {
    const thunder = { plan: "thunder", planEndsAtMs: null, isSuspended: false } as const;
    expect(admitAutomatic(wish(), facts({ user: thunder }))).toMatchObject({ lane: "thunder" });
  });

  it.each<[string, Partial<ProposalFacts>, Partial<AutomaticWish>, object]>([
    ["nobody", { user: null }, {}, { kind: "no_plan" }],
    [
      "a plan without auto-buy",
      { user: { plan: "seeker", planEndsAtMs: null, isSuspended: false } },
      {},
      { kind: "no_plan" },
    ],
    [
      "a plan that ended",
      { user: { plan: "thunder", planEndsAtMs: A_MOMENT_MS, isSuspended: false } },
      {},
      { kind: "no_plan" },
    ],
    [
      "a suspended person",
      { user: { plan: "thunder", planEndsAtMs: null, isSuspended: true } },
      {},
      { kind: "no_plan" },
    ],
    ["a wish of half a minute ago", {}, { nowMs: A_MOMENT_MS + 30_001 }, { kind: "stale" }],
    ["a filter that is gone", { filter: null }, {}, { kind: "filter_off" }],
    ["a paused filter", { filter: filter({ isActive: false }) }, {}, { kind: "filter_off" }],
    ["a filter that only shows", { filter: filter({ isAutobuy: false }) }, {}, { kind: "filter_off" }],
    [
      "a filter that was activated after the match",
      { filter: filter({ activatedAtMs: A_MOMENT_MS + 1 }) },
      {},
      { kind: "filter_off" },
    ],
    [
      "a filter whose criteria changed since the match",
      { filter: filter({ criteriaSinceMs: A_MOMENT_MS + 1 }) },
      {},
      { kind: "filter_off" },
    ],
    ["a filter that only simulated at the match", {}, { isSimulation: true }, { kind: "filter_off" }],
    [
      "a filter that simulates since the match",
      { filter: filter({ isSimulation: true }) },
      {},
      { kind: "filter_off" },
    ],
    ["the person's stop", { spending: stopped }, {}, { kind: "stopped", scope: "person" }],
    [
      "everybody's stop",
      { spending: aSpending({ isEveryoneStopped: true }) },
      {},
      { kind: "stopped", scope: "all" },
    ],
    [
      "the account's stop",
      { spending: aSpending({ isAccountStopped: true }) },
      {},
      { kind: "stopped", scope: "all" },
    ],
    ["a seller whom the person blocks", { isSellerBlocked: true }, {}, { kind: "seller_blocked" }],
    [
      "a seller whom the person blocks, in a simulation",
      { isSellerBlocked: true, filter: filter({ isSimulation: true }) },
      { isSimulation: true },
      { kind: "seller_blocked" },
    ],
    ["nobody's mandate, where one is needed", {}, { requiredMandate: 1 }, { kind: "no_mandate" }],
    [
      "a mandate of an older text",
      { spending: aSpending({ day: NOTHING, month: NOTHING, mandateVersion: 1 }) },
      { requiredMandate: 2 },
      { kind: "no_mandate" },
    ],
    ["a price above the limit", {}, { totalPriceCents: 2_001 }, { kind: "price_rose" }],
    ["a limit of 0", { filter: filter({ priceCapEur: 0 }) }, {}, { kind: "price_rose" }],
    ["a purchase that there was, even a failed one", { own: [own] }, {}, { kind: "already_bought", own }],
    [
      "a filter that has bought enough",
      {
        filter: filter({ maxPurchases: 2 }),
        ruleFacts: someRuleFacts({ taken: { filterCount: 2 }, paid: { filterCount: 2 } }),
      },
      {},
      { kind: "rule", rule: "filter_full" },
    ],
    ["a price below the floor", { filter: filter({ priceFloorEur: 16 }) }, {}, { kind: "price_floor" }],
    ["a day that is not the filter's", { filter: ruled({ days: [1] }) }, {}, { kind: "hours" }],
    [
      "the hours before a blocked seller",
      { filter: ruled({ days: [1] }), isSellerBlocked: true },
      {},
      { kind: "hours" },
    ],
    [
      "a blocked seller before a pause",
      {
        filter: ruled({ pauseMinutes: 5 }),
        ruleFacts: someRuleFacts({ taken: paused, paid: paused }),
        isSellerBlocked: true,
      },
      {},
      { kind: "seller_blocked" },
    ],
    [
      "the group's places",
      { ruleFacts: someRuleFacts({ group, taken: { groupCount: 2 }, paid: { groupCount: 2 } }) },
      {},
      { kind: "rule", rule: "group_full" },
    ],
    [
      "a place that may still become free: it waits",
      { ruleFacts: someRuleFacts({ group, taken: { groupCount: 2 }, paid: { groupCount: 1 } }) },
      {},
      { kind: "waits", key: group.id },
    ],
    ["an address that is not complete", { settings: withoutAddress }, {}, { kind: "no_address" }],
    ["an account to reconnect", { settings: withoutAccount }, {}, { kind: "no_account" }],
    ["somebody else's attempt", { rivalState: "submitting" }, {}, { kind: "taken", isOver: false }],
    ["somebody else's purchase", { rivalState: "confirmed" }, {}, { kind: "taken", isOver: true }],
    ["three that are being paid", { beingPaidCount: 3 }, {}, { kind: "concurrent" }],
    ["ten that wait for the bank", { awaitingCount: 10 }, {}, { kind: "concurrent" }],
    [
      "the day's count",
      { spending: aSpending({ day: { ...NOTHING, purchases: 20 }, month: NOTHING }) },
      {},
      { kind: "limit", limit: "count" },
    ],
  ])("refuses for %s", (_, fact, of, refusal) => {
    expect(admitAutomatic(wish(of), facts(fact))).toEqual({ kind: "refuse", refusal });
  });

  it("simulates without account, address or money, and apart from what is live", () => {
    const simulated = wish({ isSimulation: true });
    const dry = facts({
      filter: filter({ isSimulation: true, maxPurchases: 1 }),
      settings: settings({ address: EMPTY_ADDRESS, account: { state: "absent", tokenTail: "" } }),
      spending: aSpending({ limits: { ...limits, dayEur: 0, purchasesPerDay: 0 } }),
      own: [aPurchaseRecord()],
      rivalState: "confirmed",
    });
    expect(admitAutomatic(simulated, dry)).toMatchObject({
      kind: "admit",
      mode: "simulation",
      holdCents: 0,
    });
    const again = { ...dry, own: [aPurchaseRecord({ mode: "simulation", state: "confirmed" })] };
    expect(admitAutomatic(simulated, again)).toMatchObject({ refusal: { kind: "already_bought" } });
    expect(admitAutomatic(simulated, { ...dry, spending: stopped })).toMatchObject({
      refusal: { kind: "stopped" },
    });
  });
});

describe("admitClick()", () => {
  const click = {
    totalPriceCents: 1_500,
    priceCapCents: 1_500,
    nowMs: A_MOMENT_MS,
  };

  it("is free to every plan, passes the person's own stop, and pays in the person's way", () => {
    const seeker = { plan: "seeker", planEndsAtMs: null, isSuspended: false } as const;
    expect(admitClick(click, facts({ user: seeker, spending: stopped }))).toMatchObject({
      kind: "admit",
      epoch: 0,
      priceCapCents: 1_500,
      paymentMethodId: 1,
    });
  });

  it("refuses a seller whom the person blocks", () => {
    expect(admitClick(click, facts({ isSellerBlocked: true }))).toMatchObject({
      refusal: { kind: "seller_blocked" },
    });
  });

  it("refuses without an account or an address", () => {
    const refusals = [withoutAccount, withoutAddress].map((bad) =>
      admitClick(click, facts({ settings: bad })),
    );
    expect(refusals).toMatchObject([
      { refusal: { kind: "no_account" } },
      { refusal: { kind: "no_address" } },
    ]);
  });

  it.each<[PurchaseState, "admit" | "refuse"]>([
    ["intent", "refuse"],
    ["submitting", "refuse"],
    ["unknown", "refuse"],
    ["awaiting", "refuse"],
    ["confirmed", "refuse"],
    ["cancelling", "refuse"],
    ["cancel_unknown", "refuse"],
    ["quarantine", "refuse"],
    ["failed", "admit"],
    ["cancelled", "admit"],
  ])(
    "after a purchase that is %s answers %s: only a final one may be followed by a new epoch",
    (state, kind) => {
      const earlier = aPurchaseRecord({ state, epoch: 4 });
      const admission = admitClick(click, facts({ own: [earlier, aPurchaseRecord({ epoch: 3 })] }));
      expect(admission.kind).toBe(kind);
      if (admission.kind === "admit") expect(admission.epoch).toBe(5);
    },
  );

  it("carries over the unknown outcome of any earlier epoch", () => {
    const earlier = [
      aPurchaseRecord({ state: "failed", epoch: 1 }),
      aPurchaseRecord({ state: "failed", epoch: 0, hadUnknownOutcome: true }),
    ];
    expect(admitClick(click, facts({ own: earlier }))).toMatchObject({
      kind: "admit",
      hadUnknownOutcome: true,
    });
  });

  it("does not count a simulation as bought", () => {
    const dry = aPurchaseRecord({ mode: "simulation", state: "confirmed" });
    expect(admitClick(click, facts({ own: [dry] }))).toMatchObject({ kind: "admit", epoch: 0 });
  });

  it("is refused by the operator's stops and above what the person agreed to", () => {
    const everyone = facts({ spending: aSpending({ isEveryoneStopped: true }) });
    expect(admitClick(click, everyone)).toMatchObject({ refusal: { kind: "stopped", scope: "all" } });
    expect(admitClick({ ...click, totalPriceCents: 1_501 }, facts())).toMatchObject({
      refusal: { kind: "price_rose" },
    });
  });
});

describe("an implausibly low price", () => {
  const standing: Standing = {
    lowCents: 4_000,
    medianCents: 10_001,
    highCents: 14_000,
    rank: 95,
    sampleSize: 20,
    dayCount: 7,
    basis: "type_brand_condition",
  };
  const refusal = (of: Partial<Standing> | null, traits: Partial<AutomaticWish>, own: FilterTerms) => {
    const known = of === null ? null : { ...standing, ...of };
    const { isSimulation } = own;
    const admission = admitAutomatic(
      wish({ standing: known, isSimulation, ...traits }),
      facts({ filter: own }),
    );
    return admission.kind === "refuse" ? admission.refusal.kind : "admitted";
  };

  it("keeps filters that ask for a good price from buying, simulations too", () => {
    for (const isSimulation of [false, true]) {
      const own = filter({ bargainPercent: 10, isSimulation });
      expect(refusal({}, {}, own)).toBe("too_good");
      expect(refusal({ medianCents: 3_000 }, {}, own)).toBe("admitted");
      expect(refusal(null, {}, own)).toBe("price_unsure");
      expect(refusal({ sampleSize: 19 }, {}, own)).toBe("price_unsure");
      expect(refusal({ dayCount: 6 }, {}, own)).toBe("price_unsure");
      expect(refusal({ dayCount: 6, medianCents: 3_000 }, { minPriceDays: 6 }, own)).toBe("admitted");
      expect(refusal({ rank: null }, {}, own)).toBe("price_unsure");
    }
  });

  it("is one far below the usual price, for costly brands sooner, unless the person wants it", () => {
    const cheap = { totalPriceCents: 1_500 };
    expect(refusal({}, cheap, filter())).toBe("too_good");
    expect(refusal({ medianCents: 10_000 }, cheap, filter())).toBe("admitted");
    expect(refusal({ medianCents: 6_001 }, { ...cheap, brandTitle: "Gucci" }, filter())).toBe("too_good");
    expect(refusal({ medianCents: 6_000 }, { ...cheap, brandTitle: "Gucci" }, filter())).toBe("admitted");
    expect(refusal({ sampleSize: 5 }, cheap, filter())).toBe("too_good");
    expect(refusal({ sampleSize: 19, basis: "type_brand" }, cheap, filter())).toBe("admitted");
    expect(refusal(null, cheap, filter())).toBe("admitted");
    const imprudent = facts({
      spending: aSpending({ day: NOTHING, month: NOTHING, limits: { ...DEFAULT_LIMITS, isPrudent: false } }),
    });
    expect(admitAutomatic(wish({ ...cheap, standing }), imprudent).kind).toBe("admit");
  });

  it("comes after the stops, and before everything that a person may change meanwhile", () => {
    const stopped = facts({
      spending: aSpending({ day: NOTHING, month: NOTHING, isEveryoneStopped: true }),
    });
    const admission = admitAutomatic(wish({ standing }), stopped);
    expect(admission).toMatchObject({ refusal: { kind: "stopped" } });
  });
});
