/**
 * Looking ahead: the newest page of the whole market shows that something came, and the words on it where it
 * probably lies; where somebody waits for it, that slice is read first, and the reading proves it or not. A wrong
 * guess costs one reading and never a listing: every slice keeps its turn.
 */
import { foldText } from "#catalogue/fold-text.ts";
import { marketplaceColours } from "#catalogue/colours.ts";
import type { ListingId } from "#domain/ids.ts";
import type { Listing } from "#domain/listing.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { isNewlyProven, type News } from "../read/ingest.ts";
import type { SeenEntry, SeenListings } from "../read/seen-listings.ts";
import type { SliceStates, SliceState } from "./slice-states.ts";
import { Vocabulary } from "./vocabulary.ts";

export interface ScoutParts {
  readonly book: SliceStates;
  readonly memory: SeenListings;
  /** The weight of all who hold a listing in this leaf and with these colours, were both proven. */
  readonly interestIn: (
    listing: Listing,
    leafId: number | null,
    marketplaceColourIds: readonly number[],
  ) => number;
}

/** Where a listing may lie: its share of likelihood, and what people would care. */
interface Hunch {
  readonly state: SliceState;
  readonly probability: number;
  readonly interest: number;
}

/** Listings that are expected somewhere, or were met by the scout. */
const MAX_REMEMBERED = 5_000;

/** A hunch that is left when all likelier ones were wrong must not look certain: there may be no place at all. */
const NOWHERE = 0.1;

const MAX_WORDS = 12;

const allColourIds: readonly number[] = marketplaceColours.map(({ id }) => id);

export class Scout {
  readonly #parts: ScoutParts;
  readonly #vocabulary = new Vocabulary();
  /** Where a listing is still expected; the oldest first. */
  readonly #hunches = new Map<ListingId, readonly Hunch[]>();

  constructor(parts: ScoutParts) {
    this.#parts = parts;
  }

  /** Takes in what a page of a slice told. */
  takeNews(all: readonly News[], { slice }: SliceState): void {
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

  /** Takes in the newest of the market, which is recorded nowhere; answers how much of it was never met. */
  takePage({ listings }: SearchPage): number {
    const unmet = listings.filter(({ id }) => !this.#hunches.has(id) && !this.#parts.memory.get(id));
    for (const listing of unmet) this.#expect(listing);
    return unmet.length;
  }

  /** A slice was read to its end: what was expected there and was not found lies elsewhere. */
  disappoint(state: SliceState, expectedIds: readonly ListingId[]): void {
    for (const id of expectedIds) {
      const left = (this.#hunches.get(id) ?? []).filter((hunch) => hunch.state !== state);
      if (left.length > 0) this.#hold(id, left);
    }
  }

  /** Forgets slices that are asked for no more. */
  sweep(): void {
    for (const key of this.#vocabulary.knownPlaces())
      if (this.#parts.book.get(key) === undefined) this.#vocabulary.forget(key);
  }

  /** In which category? Whose colours matter counts as if it had them. */
  #expect(listing: Listing, colourIds = allColourIds): void {
    const { book, interestIn } = this.#parts;
    const anyway = interestIn(listing, null, []);
    const guesses = this.#vocabulary.guess(wordsOf(listing), (key) => {
      const state = book.get(key);
      return state === undefined || state.slice.marketplaceColourIds.length > 0 ? null : state.arrivalsPerMs;
    });
    this.#hold(
      listing.id,
      guesses.flatMap(({ place, probability }): readonly Hunch[] => {
        const state = book.get(place);
        if (state === undefined) return [];
        const [leafId = null] = state.slice.leafIds;
        return [{ state, probability, interest: interestIn(listing, leafId, colourIds) - anyway }];
      }),
    );
  }

  /** Of which colour, now that the category is known? */
  #expectColour({ seen: { listing, facts } }: SeenEntry): void {
    const { book, interestIn } = this.#parts;
    if (facts.marketplaceColourIds.length > 0) return;
    const [leafId = null] = facts.leafIds;
    const anyway = interestIn(listing, leafId, []);
    if (interestIn(listing, leafId, allColourIds) === anyway) return;
    const guesses = this.#vocabulary.guess(wordsOf(listing), (key) => {
      const state = book.get(key);
      return state === undefined || state.slice.marketplaceColourIds.length === 0
        ? null
        : state.arrivalsPerMs;
    });
    this.#hold(
      listing.id,
      guesses.flatMap(({ place, probability }): readonly Hunch[] => {
        const state = book.get(place);
        if (state === undefined) return [];
        const interest = interestIn(listing, leafId, state.slice.marketplaceColourIds) - anyway;
        return [{ state, probability, interest }];
      }),
    );
  }

  #hold(id: ListingId, hunches: readonly Hunch[]): void {
    const total = hunches.reduce((sum, { probability }) => sum + probability, NOWHERE);
    for (const { state, probability, interest } of hunches)
      if (interest > 0) state.expected.set(id, (probability / total) * interest);
    this.#hunches.set(id, hunches);
    for (const oldest of this.#hunches.keys()) {
      if (this.#hunches.size <= MAX_REMEMBERED) return;
      this.#settle(oldest);
      this.#hunches.delete(oldest);
    }
  }

  /** It was found, or is not waited for any longer. */
  #settle(id: ListingId): void {
    for (const { state } of this.#hunches.get(id) ?? []) state.expected.delete(id);
  }
}

/** Words, neighbouring words, brand and size. */
function wordsOf({ title, brandTitle, sizeTitle }: Listing): readonly string[] {
  const words = foldText(title).split(" ").slice(0, MAX_WORDS);
  const pairs = words.slice(1).map((word, place) => `${words[place]} ${word}`);
  return [...words, ...pairs, `brand ${foldText(brandTitle)}`, `size ${foldText(sizeTitle)}`];
}
