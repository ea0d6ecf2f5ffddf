/**
 * Predicts which slice holds a new listing. The newest page of the whole market shows that something arrived;
 * its words (vocabulary.ts) say where it probably belongs, and that slice is read first. A wrong prediction
 * costs one request, never a listing: every slice is still read in turn.
 *
 * Measured with `npm run bench -- feed` (seed 1): without it the mean delay rises from 2.55 to 4.35 s at the
 * sandbox's rate and from 3.89 to 4.43 s in a busy market; outside, at one request a second, it gains nothing
 * (140 s with it, 134 s without).
 */
import { marketplaceColours } from "#catalogue/colours.ts";
import { foldText } from "#catalogue/fold-text.ts";
import type { ListingId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { isNewlyProven, type News } from "../read/ingest.ts";
import type { SeenEntry, SeenListings } from "../read/seen-listings.ts";
import type { SliceState, SliceStates } from "./slice-states.ts";
import { Vocabulary } from "./vocabulary.ts";

export interface ScoutParts {
  readonly slices: SliceStates;
  readonly memory: SeenListings;
  /** Total weight of the filters that would hold the listing if this leaf and these colours were proven. */
  readonly interestIn: (
    listing: Listing,
    leafId: number | null,
    marketplaceColourIds: readonly number[],
  ) => number;
}

/** A slice that may hold a listing: the probability, and the weight of the people waiting for it there. */
interface Expectation {
  readonly state: SliceState;
  readonly probability: number;
  readonly interest: number;
}

/** Listings with a prediction, or already observed. */
const MAX_REMEMBERED = 5_000;

/** Probability of no known slice, so that the last remaining candidate is not certain. */
const UNKNOWN_PLACE = 0.1;

const MAX_WORDS = 12;

const allColourIds: readonly number[] = marketplaceColours.map(({ id }) => id);

export class Scout {
  readonly #parts: ScoutParts;
  readonly #vocabulary = new Vocabulary();
  /** Predictions by listing, the oldest first. */
  readonly #expectations = new Map<ListingId, readonly Expectation[]>();

  constructor(parts: ScoutParts) {
    this.#parts = parts;
  }

  /** Learns from the news of a slice's page. */
  learn(all: readonly News[], { slice }: SliceState): void {
    for (const news of all) {
      if (!isNewlyProven(news)) continue;
      const { listing } = news.entry.seen;
      if (slice.leafIds.length > 0 || slice.marketplaceColourIds.length > 0)
        this.#vocabulary.learn(slice.key, wordsOf(listing));
      if (news.before === null && news.kind !== "new") continue;
      this.#settle(listing.id);
      const { leafIds, marketplaceColourIds: known } = news.entry.seen.facts;
      if (leafIds.length === 0) this.#expect(listing, known.length === 0 ? allColourIds : known);
      else if (slice.marketplaceColourIds.length === 0) this.#expectColour(news.entry);
    }
  }

  /**
   * Predicts for the newest listings of the market, which are not recorded. @returns how many were unknown
   */
  observePage({ listings }: SearchPage): number {
    const unmet = listings.filter(({ id }) => !this.#expectations.has(id) && !this.#parts.memory.get(id));
    for (const listing of unmet) this.#expect(listing);
    return unmet.length;
  }

  /** A complete reading of the slice did not contain the listings that were expected there. */
  recordMiss(state: SliceState, expectedIds: readonly ListingId[]): void {
    for (const id of expectedIds) {
      const left = (this.#expectations.get(id) ?? []).filter((expectation) => expectation.state !== state);
      if (left.length > 0) this.#setExpectations(id, left);
    }
  }

  /** Forgets slices that are no longer wanted. */
  sweep(): void {
    for (const key of this.#vocabulary.knownPlaces())
      if (this.#parts.slices.get(key) === undefined) this.#vocabulary.forget(key);
  }

  /** Predicts the category, as if the listing had the colours. */
  #expect(listing: Listing, colourIds = allColourIds): void {
    const { slices, interestIn } = this.#parts;
    const anyway = interestIn(listing, null, []);
    const guesses = this.#vocabulary.guess(wordsOf(listing), (key) => {
      const state = slices.get(key);
      return state === undefined || state.slice.marketplaceColourIds.length > 0 ? null : state.arrivalsPerMs;
    });
    this.#setExpectations(
      listing.id,
      guesses.flatMap(({ place, probability }): readonly Expectation[] => {
        const state = slices.get(place);
        if (state === undefined) return [];
        const [leafId = null] = state.slice.leafIds;
        return [{ state, probability, interest: interestIn(listing, leafId, colourIds) - anyway }];
      }),
    );
  }

  /** Predicts the colour, once the category is known. */
  #expectColour({ seen: { listing, facts } }: SeenEntry): void {
    const { slices, interestIn } = this.#parts;
    if (facts.marketplaceColourIds.length > 0) return;
    const [leafId = null] = facts.leafIds;
    const anyway = interestIn(listing, leafId, []);
    if (interestIn(listing, leafId, allColourIds) === anyway) return;
    const guesses = this.#vocabulary.guess(wordsOf(listing), (key) => {
      const state = slices.get(key);
      return state === undefined || state.slice.marketplaceColourIds.length === 0
        ? null
        : state.arrivalsPerMs;
    });
    this.#setExpectations(
      listing.id,
      guesses.flatMap(({ place, probability }): readonly Expectation[] => {
        const state = slices.get(place);
        if (state === undefined) return [];
        const interest = interestIn(listing, leafId, state.slice.marketplaceColourIds) - anyway;
        return [{ state, probability, interest }];
      }),
    );
  }

  #setExpectations(id: ListingId, expectations: readonly Expectation[]): void {
    const total = expectations.reduce((sum, { probability }) => sum + probability, UNKNOWN_PLACE);
    for (const { state, probability, interest } of expectations)
      if (interest > 0) state.expected.set(id, (probability / total) * interest);
    this.#expectations.set(id, expectations);
    for (const oldest of this.#expectations.keys()) {
      if (this.#expectations.size <= MAX_REMEMBERED) return;
      this.#settle(oldest);
      this.#expectations.delete(oldest);
    }
  }

  /** The listing was found, or is no longer waited for. */
  #settle(id: ListingId): void {
    for (const { state } of this.#expectations.get(id) ?? []) state.expected.delete(id);
  }
}

/** Words, pairs of adjacent words, brand and size. */
function wordsOf({ title, brandTitle, sizeTitle }: Listing): readonly string[] {
  const words = foldText(title).split(" ").slice(0, MAX_WORDS);
  const pairs = words.slice(1).map((word, place) => `${words[place]} ${word}`);
  return [...words, ...pairs, `brand ${foldText(brandTitle)}`, `size ${foldText(sizeTitle)}`];
}
