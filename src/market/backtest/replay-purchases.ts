/** What a filter would have bought among the articles of a period, decided by the rules of real purchases. */
import { brandById } from "#catalogue/brand-titles.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import type { PlanKey } from "#catalogue/plans.ts";
import type { BuyingRules } from "#domain/buying-rules.ts";
import { asFilterId } from "#domain/ids.ts";
import type { BargainPercent } from "#domain/market/filter.ts";
import { REPLAY_LOSSES, type Replay, type ReplayLoss, type ReplayPurchases } from "#domain/market/replay.ts";
import type { MoneyLimits } from "#domain/settings.ts";
import type { Standing } from "#domain/market/standing.ts";
import { admitAutomatic, type Refusal, refusalOfQuote } from "#purchasing/decide/admit.ts";
import type {
  BudgetTotals,
  FilterTerms,
  GroupTerms,
  ProposalFacts,
  RuleFacts,
  RuleSums,
} from "#store/purchase-facts.ts";
import { createDayCounter, dayOfNumber } from "../paris-days.ts";
import { relistKeyOf } from "../prices/relist-keys.ts";

/** A listing at the first version that the filter holds. */
export interface Article {
  readonly listingId: number;
  readonly seenAtMs: number;
  readonly firstSeenAtMs: number;
  readonly brandId: number;
  readonly conditionId: number;
  readonly sizeId: number;
  readonly totalPriceCents: number;
  readonly foldedTitle: string;
  readonly standing: Standing | null;
  /** First seen in the period: what was on the market before is found, but not bought. */
  readonly isNew: boolean;
  readonly isRelist: boolean;
  readonly sellerHash: number;
}

/** The buyer's plan, limits and terms. */
export interface Buyer {
  readonly plan: PlanKey;
  readonly limits: MoneyLimits;
  readonly priceCapEur: number;
  readonly bargainPercent: BargainPercent | null;
  readonly maxPurchases: number | null;
  readonly paymentMethodId: PaymentMethodId;
  readonly priceFloorEur: number;
  readonly rules: BuyingRules;
  /** Null: no group. */
  readonly group: GroupTerms | null;
  /** Days on which similar listings must have been seen for a usual price to be trusted. */
  readonly minPriceDays: number;
}

/** Assumed delivery cost: the archive has none. */
const DELIVERY_CENTS = 300;

interface Bought {
  readonly ids: ReadonlySet<number>;
  readonly purchases: ReplayPurchases;
  readonly losses: Replay["losses"];
}

/** @param articles in order of time */
export function buyInOrder(articles: readonly Article[], buyer: Buyer): Bought {
  const run = new BuyingRun(buyer);
  for (const article of articles) if (article.isNew) run.offer(article);
  return run.result();
}

class BuyingRun {
  readonly #buyer: Buyer;
  readonly #filter: FilterTerms;
  readonly #limits: MoneyLimits;
  readonly #dayOf = createDayCounter();
  readonly #spentByDay = new Map<string, BudgetTotals>();
  readonly #spentByMonth = new Map<string, BudgetTotals>();
  readonly #bought = new Map<number, Article>();
  readonly #relistKeys = new Set<number>();
  /** The current day, and its purchases by seller. */
  #today = { number: 0, day: "", month: "" };
  readonly #ofSellersToday = new Map<number, number>();
  #spentCents = 0;
  #latestAtMs: number | null = null;
  readonly #losses = new Map<ReplayLoss, number>();
  /** Of the last article; null: they have changed. */
  #facts: ProposalFacts | null = null;

  constructor(buyer: Buyer) {
    const { limits, plan: _, minPriceDays: __, group: ___, ...terms } = buyer;
    this.#buyer = buyer;
    const on = { isActive: true, isAutobuy: true, isSimulation: false } as const;
    this.#filter = { ...terms, ...on, activatedAtMs: 0, criteriaSinceMs: null };
    this.#limits = { ...limits, isStopped: false };
  }

  offer(article: Article): void {
    const loss = this.#refusalOf(article);
    if (loss === null) this.#buy(article);
    else this.#losses.set(loss, (this.#losses.get(loss) ?? 0) + 1);
  }

  #refusalOf(article: Article): ReplayLoss | null {
    if (article.isRelist && this.#relistKeys.has(keyOf(article))) return "relist";
    const { totalPriceCents, standing, seenAtMs, brandId } = article;
    const facts = this.#factsAt(article);
    const admission = admitAutomatic(
      {
        filterId: THE_FILTER,
        totalPriceCents,
        standing,
        brandTitle: brandById(brandId)?.title ?? "",
        minPriceDays: this.#buyer.minPriceDays,
        matchedAtMs: seenAtMs,
        isSimulation: false,
        nowMs: seenAtMs,
        requiredMandate: null,
      },
      facts,
    );
    if (admission.kind === "refuse") return lossOf(admission.refusal);
    // A real purchase tests limits and budgets again with the quote, which includes the delivery.
    const refusal = refusalOfQuote(facts, this.#filter, totalPriceCents + DELIVERY_CENTS);
    return refusal === null ? null : lossOf(refusal);
  }

  /** Changes only with the day, with a purchase, and from seller to seller. */
  #factsAt({ seenAtMs, sellerHash }: Article): ProposalFacts {
    const { day, month } = this.#keysOf(seenAtMs);
    const sellerCount = this.#ofSellersToday.get(sellerHash) ?? 0;
    if (this.#facts?.ruleFacts.taken.sellerCount !== sellerCount)
      this.#facts = this.#makeFacts({ day, month, sellerCount });
    return this.#facts;
  }

  #makeFacts(of: {
    readonly day: string;
    readonly month: string;
    readonly sellerCount: number;
  }): ProposalFacts {
    const { day, month, sellerCount } = of;
    const { plan } = this.#buyer;
    return {
      user: { plan, planEndsAtMs: null, isSuspended: false },
      settings: { ...READY, limits: this.#limits },
      filter: this.#filter,
      spending: {
        isEveryoneStopped: false,
        isAccountStopped: false,
        limits: this.#limits,
        mandateVersion: null,
        day: this.#spentByDay.get(day) ?? NOTHING,
        month: this.#spentByMonth.get(month) ?? NOTHING,
        recentUnknownOutcomes: 0,
      },
      beingPaidCount: 0,
      awaitingCount: 0,
      own: [],
      rivalState: null,
      isSellerBlocked: false,
      ruleFacts: this.#ruleFacts(day, sellerCount),
    };
  }

  /** Every purchase of the run counts as paid: none is open or can fail. */
  #ruleFacts(day: string, sellerCount: number): RuleFacts {
    const sums: RuleSums = {
      groupCount: this.#bought.size,
      groupCents: this.#spentCents,
      filterCount: this.#bought.size,
      filterCents: this.#spentCents,
      filterDayCents: this.#spentByDay.get(day)?.capturedCents ?? 0,
      latestAtMs: this.#latestAtMs,
      sellerCount,
    };
    return { group: this.#buyer.group, taken: sums, paid: sums };
  }

  #buy(article: Article): void {
    const { day, month } = this.#keysOf(article.seenAtMs);
    const cents = article.totalPriceCents + DELIVERY_CENTS;
    this.#spentByDay.set(day, added(this.#spentByDay.get(day), cents));
    this.#spentByMonth.set(month, added(this.#spentByMonth.get(month), cents));
    const ofSeller = this.#ofSellersToday.get(article.sellerHash) ?? 0;
    this.#ofSellersToday.set(article.sellerHash, ofSeller + 1);
    this.#spentCents += cents;
    this.#latestAtMs = article.seenAtMs;
    this.#bought.set(article.listingId, article);
    this.#relistKeys.add(keyOf(article));
    this.#facts = null;
  }

  #keysOf(atMs: number): { readonly day: string; readonly month: string } {
    const number = this.#dayOf(atMs);
    if (number !== this.#today.number) {
      const day = dayOfNumber(number);
      this.#today = { number, day, month: day.slice(0, 7) };
      this.#ofSellersToday.clear();
      this.#facts = null;
    }
    return this.#today;
  }

  result(): Bought {
    const bought = [...this.#bought.values()];
    const compared = bought.flatMap(({ standing, totalPriceCents }) =>
      standing === null ? [] : [standing.medianCents - totalPriceCents],
    );
    return {
      ids: new Set(this.#bought.keys()),
      purchases: {
        count: bought.length,
        totalCents: bought.reduce((sum, { totalPriceCents }) => sum + totalPriceCents, 0),
        savedCents: compared.reduce((sum, cents) => sum + cents, 0),
        comparedCount: compared.length,
      },
      losses: REPLAY_LOSSES.flatMap((cause) => {
        const count = this.#losses.get(cause) ?? 0;
        return count === 0 ? [] : [{ cause, count }];
      }),
    };
  }
}

/** The same for the listings of one article. */
export function keyOf({ sizeId, ...article }: Article): number {
  return relistKeyOf({ ...article, sizeIds: [sizeId] });
}

const THE_FILTER = asFilterId("replay");

const NOTHING: BudgetTotals = { heldCents: 0, capturedCents: 0, extraCents: 0, purchases: 0 };

/** Assumes that account and address are valid. */
const READY: Omit<ProposalFacts["settings"], "limits"> = {
  paymentMethodId: 1,
  address: { street: "1", city: "1", postalCode: 1, country: "France" },
  pickupPointNames: [],
  account: { state: "connected", tokenTail: "" },
  mandate: null,
};

function added(before: BudgetTotals | undefined, cents: number): BudgetTotals {
  const { capturedCents, purchases, ...rest } = before ?? NOTHING;
  return { ...rest, capturedCents: capturedCents + cents, purchases: purchases + 1 };
}

/** Other refusals that a run can meet count as a rule of the filter: its hours, and its price floor. */
function lossOf(refusal: Refusal): ReplayLoss {
  switch (refusal.kind) {
    case "limit":
      return `limit_${refusal.limit}`;
    case "rule":
      return refusal.rule === "filter_full" ? "filter_full" : "rule";
    case "price_unsure":
    case "too_good":
      return refusal.kind;
    default:
      return "rule";
  }
}
