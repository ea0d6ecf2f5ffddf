/**
 * The backtest of a filter: which listings of a period it would have found, and which of them it would have
 * bought. Takes the archive's blocks in any order, including those before the period, which decide whether an
 * edit was news. Standings are stored with the versions, so there is no look-ahead.
 */
import type { FilterCriteria } from "#domain/market/filter.ts";
import {
  MAX_OTHERS,
  MAX_REPLAY_IDS,
  REPLAY_CONDITIONS,
  type Replay,
  type ReplayArticle,
  type ReplayCondition,
} from "#domain/market/replay.ts";
import type { Block } from "../archive/block.ts";
import { createNumbering } from "../archive/numbering.ts";
import { isFirstSight } from "../archive/version.ts";
import { createDayCounter, dayOfNumber } from "../paris-days.ts";
import { EditStories } from "./edit-stories.ts";
import { withoutIgnoredRelists } from "./ignored-relists.ts";
import { type Article, type Buyer, buyInOrder } from "./replay-purchases.ts";
import {
  compileAtAnyLimit,
  isAtMostOne,
  isOfSeller,
  MISSED,
  type Place,
  VersionMatcher,
} from "./version-matcher.ts";

export interface ReplayInput {
  readonly criteria: FilterCriteria;
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Hashes of blocked sellers. */
  readonly blockedSellers: readonly number[];
  /** Listings of one article first seen within this time were posted together and are not relists. */
  readonly relistApartMs: number;
  /** Null: the filter does not buy. */
  readonly buyer: Buyer | null;
}

/** Upper bound of articles in memory: about 200 MB. */
const MAX_ARTICLES = 500_000;
const MAX_NEAR = 200_000;
const MAX_EXAMPLES = 15;
/** A filter's highest limit (contract §3). */
const MAX_LIMIT_EUR = 100_000;

/** Conditions that alone exclude a listing, as bits, and its lowest price above the limit. */
interface NearMiss {
  bits: number;
  leastCents: number;
}

export class ReplayRun {
  readonly #input: ReplayInput;
  readonly #test: VersionMatcher | null;
  readonly #blocked: ReadonlySet<number>;
  readonly #articles = new Map<number, Article>();
  /** Every version that was news, also before the period, for a filter that ignores relists. */
  readonly #sightings: Article[] = [];
  readonly #edits = new EditStories();
  readonly #near = new Map<number, NearMiss>();
  readonly #uncertain = new Set<number>();
  readonly #numberOf = createNumbering();
  #examinedCount = 0;
  #isTruncated = false;

  constructor(input: ReplayInput) {
    const spec = compileAtAnyLimit(input.criteria);
    this.#input = input;
    this.#test = spec === null ? null : new VersionMatcher(spec);
    this.#blocked = new Set(input.blockedSellers);
  }

  take(block: Block): void {
    const test = this.#test;
    if (test === null) return;
    const { sinceMs, untilMs } = this.#input;
    const seenAt = block.seenAt();
    const { lists, own } = block.leafSets();
    const places = lists.map((leaves) => test.placeOf(leaves));
    for (let index = 0; index < block.count; index += 1) {
      const seenAtMs = seenAt[index] ?? 0;
      if (seenAtMs > untilMs || block.kindAt(index) === "closing") continue;
      if (seenAtMs >= sinceMs) this.#examinedCount += 1;
      const place = places[own[index] ?? 0] ?? "outside";
      if (place !== "outside" && !isOfSeller(this.#blocked, block, index))
        this.#examine(test, block, { index, place });
    }
  }

  #examine(test: VersionMatcher, block: Block, of: { readonly index: number; readonly place: Place }): void {
    const { index, place } = of;
    const missed = test.missed(block, index);
    const isHeld = place === "inside" && missed === 0 && test.holds(block, index);
    const kind = block.kindAt(index);
    const number = this.#numberOf(block.listingIds()[index] ?? 0);
    const seenAtMs = block.seenAt()[index] ?? 0;
    const decidesLater = isHeld || !isFirstSight(kind);
    const { sinceMs } = this.#input;
    if (seenAtMs < sinceMs) {
      if (decidesLater) this.#edits.before(number, { kind, seenAtMs, isHeld });
      // What follows in the period may be a relist of it.
      if (isHeld && this.#input.criteria.ignoresRelists) this.#found(articleAt(block, index, sinceMs));
      return;
    }
    const isOld = kind === "past" && !isNewSince(sinceMs, block, index);
    if (isHeld && !isOld && kind !== "changed") this.#found(articleAt(block, index, sinceMs));
    else if (decidesLater) {
      const article = isHeld && kind === "changed" ? articleAt(block, index, sinceMs) : null;
      const firstSeenAtMs = block.firstSeenAt()[index] ?? 0;
      this.#edits.within(number, { kind, seenAtMs, firstSeenAtMs, isHeld, article });
    }
    if (isOld || missed === null || !isAtMostOne(missed)) return;
    if (this.#input.criteria.ignoresRelists && block.isRelistAt(index)) return;
    if (missed !== 0 && place === "inside") this.#miss(number, missed, block.prices()[index] ?? 0);
    else if (missed === 0 && place === "partly") this.#uncertain.add(number);
  }

  /** Which relists are ignored depends on all earlier ones. */
  #found(article: Article): void {
    if (!this.#input.criteria.ignoresRelists) this.#add(article);
    else if (this.#sightings.length < MAX_ARTICLES) this.#sightings.push(article);
    else this.#isTruncated = true;
  }

  /** The earliest version that was news counts. */
  #add(article: Article): void {
    const number = this.#numberOf(article.listingId);
    const known = this.#articles.get(number);
    if (known !== undefined && known.seenAtMs <= article.seenAtMs) return;
    if (known === undefined && this.#articles.size >= MAX_ARTICLES) this.#isTruncated = true;
    else this.#articles.set(number, article);
  }

  #miss(number: number, bit: number, cents: number): void {
    const known = this.#near.get(number);
    if (known === undefined) {
      if (this.#near.size < MAX_NEAR)
        this.#near.set(number, { bits: bit, leastCents: bit === MISSED.limit ? cents : Infinity });
      return;
    }
    known.bits |= bit;
    if (bit === MISSED.limit) known.leastCents = Math.min(known.leastCents, cents);
  }

  finish(): Replay {
    const { sinceMs, buyer, relistApartMs } = this.#input;
    for (const article of this.#edits.newlyHeld()) this.#found(article);
    const sightings = this.#sightings.toSorted(inOrder);
    for (const article of withoutIgnoredRelists(sightings, relistApartMs))
      if (article.seenAtMs >= sinceMs) this.#add(article);
    const articles = [...this.#articles.values()].toSorted(inOrder);
    const bought = buyer === null ? null : buyInOrder(articles, buyer);
    const boughtIds = bought?.ids ?? new Set<number>();
    const ids = articles.slice(0, MAX_REPLAY_IDS).map(({ listingId }) => listingId);
    const shown = atTheEnds(articles);
    const present = (article: Article): ReplayArticle => ({
      ...article,
      isBought: boughtIds.has(article.listingId),
    });
    return {
      examinedCount: this.#examinedCount,
      articleCount: articles.length,
      relistCount: articles.filter(({ isRelist }) => isRelist).length,
      uncertainCount: this.#uncertain.difference(this.#articles).size,
      purchases: bought?.purchases ?? null,
      losses: bought?.losses ?? [],
      days: this.#days(articles, boughtIds),
      cheapest: shown.slice(0, MAX_EXAMPLES).map(present),
      dearest: shown.slice(-MAX_EXAMPLES).toReversed().map(present),
      without: this.#without(),
      cheapestCents: this.#cheapestCents(shown[0]?.totalPriceCents ?? Infinity),
      higherLimits: this.#higherLimits(),
      ids,
      boughtIds: ids.filter((id) => boughtIds.has(id)),
      isTruncated: this.#isTruncated || articles.length > ids.length,
    };
  }

  #days(articles: readonly Article[], boughtIds: ReadonlySet<number>): Replay["days"] {
    const dayOf = createDayCounter();
    const first = dayOf(this.#input.sinceMs);
    const days = Array.from({ length: dayOf(this.#input.untilMs) - first + 1 }, (_, index) => ({
      day: dayOfNumber(first + index),
      articleCount: 0,
      purchaseCount: 0,
    }));
    for (const { seenAtMs, listingId } of articles) {
      const day = days[dayOf(seenAtMs) - first];
      if (day === undefined) continue;
      day.articleCount += 1;
      if (boughtIds.has(listingId)) day.purchaseCount += 1;
    }
    return days;
  }

  #without(): Replay["without"] {
    const { criteria } = this.#input;
    const isSet: Readonly<Record<ReplayCondition, boolean>> = {
      brands: criteria.brandIds.length > 0,
      sizes: criteria.sizeIds.length > 0,
      status: criteria.conditionIds.length > 0,
      color: criteria.colourName !== null,
      mots: criteria.includeWords.length > 0,
      exclure: criteria.excludeWords.length > 0,
      bon_prix: criteria.bargainPercent !== null,
    };
    return REPLAY_CONDITIONS.filter((condition) => isSet[condition]).map((condition) => ({
      condition,
      count: this.#count(({ bits }) => (bits & MISSED[condition]) !== 0),
    }));
  }

  #higherLimits(): Replay["higherLimits"] {
    const { priceCapEur } = this.#input.criteria;
    const limits = [priceCapEur + 5, priceCapEur + 10, priceCapEur + 20, Math.round(priceCapEur * 1.5)];
    return [...new Set(limits)]
      .filter((limitEur) => limitEur > priceCapEur && limitEur <= MAX_LIMIT_EUR)
      .toSorted((one, other) => one - other)
      .map((limitEur) => ({
        limitEur,
        count: this.#count(({ leastCents }) => leastCents <= limitEur * 100),
      }));
  }

  /** Counts near misses that are no articles. */
  #count(isCounted: (near: NearMiss) => boolean): number {
    let count = 0;
    for (const [number, near] of this.#near) {
      if (!isCounted(near) || this.#articles.has(number)) continue;
      count += 1;
      if (count === MAX_OTHERS) break;
    }
    return count;
  }

  #cheapestCents(ofArticles: number): number | null {
    let least = ofArticles;
    for (const { leastCents } of this.#near.values()) least = Math.min(least, leastCents);
    return least === Infinity ? null : least;
  }
}

function inOrder(one: Article, other: Article): number {
  return one.seenAtMs - other.seenAtMs || one.listingId - other.listingId;
}

/** By price, at least the cheapest and the dearest that are shown: sorting all takes too long. */
function atTheEnds(articles: readonly Article[]): readonly Article[] {
  const prices = new Uint32Array(articles.map(({ totalPriceCents }) => totalPriceCents)).sort();
  const [low = Infinity, high = 0] = [prices[MAX_EXAMPLES - 1], prices.at(-MAX_EXAMPLES)];
  return articles
    .filter(({ totalPriceCents: cents }) => cents <= low || cents >= high)
    .toSorted((one, other) => one.totalPriceCents - other.totalPriceCents);
}

function articleAt(block: Block, index: number, sinceMs: number): Article {
  return {
    listingId: block.listingIds()[index] ?? 0,
    seenAtMs: block.seenAt()[index] ?? 0,
    firstSeenAtMs: block.firstSeenAt()[index] ?? 0,
    brandId: block.brands()[index] ?? 0,
    conditionId: block.conditions()[index] ?? 0,
    sizeId: block.sizesAt(index)[0] ?? 0,
    totalPriceCents: block.prices()[index] ?? 0,
    foldedTitle: block.titles()[index] ?? "",
    standing: block.standingAt(index),
    isNew: isNewSince(sinceMs, block, index),
    isRelist: block.isRelistAt(index),
    sellerHash: block.sellers()[index] ?? 0,
  };
}

/** Whether a listing is new to a filter of that moment (`isNewSince` in publish/wishes.ts). */
function isNewSince(sinceMs: number, block: Block, index: number): boolean {
  return (block.firstSeenAt()[index] ?? 0) >= sinceMs && (block.newSince()[index] ?? -Infinity) >= sinceMs;
}
