import {
  categoryPath,
  leafIds as allLeafIds,
  leafIdsUnder,
  leafIdsWithSizeGroup,
} from "#catalogue/categories.ts";
import { sizeById, sizeGroups } from "#catalogue/sizes.ts";
import type { FilterSpec } from "#matching/compile-filter.ts";
import { type Atom, Atoms } from "./atoms.ts";
import { PREVIEW_SLICE, SCOUT_SLICE, type Slice, SLICE_RANKS, sliceOf, type SliceRank } from "./slice.ts";

/** What must be read to find the listings of one filter. */
export interface FilterDemand {
  /** Sets of leaves that must be distinguishable from all others; null: the filter selects neither category nor size. */
  readonly leafSets: readonly (readonly number[])[] | null;
  /** Each needs a separate query; empty: the filter selects no colour. */
  readonly marketplaceColourIds: readonly number[];
  readonly rank: SliceRank;
}

const leafIdsBySizeGroup: ReadonlyMap<number, ReadonlySet<number>> = new Map(
  sizeGroups.map(({ id }) => [id, new Set(leafIdsWithSizeGroup(id))]),
);

/**
 * The chosen leaves of each root separately: a listing that may be in either of two roots has no type to
 * compare its price by. A size title is only unique within a size group, which depends on the leaf. A filter
 * with sizes needs the leaves of each of its size groups separately, within its categories or, if it has none,
 * in the whole tree.
 */
export function demandOf(spec: FilterSpec, rank: SliceRank): FilterDemand {
  const { marketplaceColourIds } = spec;
  const chosen = spec.categoryIds.length === 0 ? null : leafIdsByRoot(spec);
  if (spec.sizeIds.length === 0) return { leafSets: chosen, marketplaceColourIds, rank };
  const leafSets = sizeGroupIdsOf(spec)
    .map((groupId) => leafIdsBySizeGroup.get(groupId) ?? new Set<number>())
    .flatMap((ofGroup) => (chosen ?? [allLeafIds]).map((set) => set.filter((leafId) => ofGroup.has(leafId))))
    .filter((set) => set.length > 0);
  return { leafSets, marketplaceColourIds, rank };
}

function leafIdsByRoot({ categoryIds }: FilterSpec): readonly (readonly number[])[] {
  const byRoot = Map.groupBy(categoryIds, (id) => categoryPath(id)[0]?.id);
  return Array.from(byRoot.values(), (ids) => ids.flatMap(leafIdsUnder));
}

function sizeGroupIdsOf({ sizeIds }: FilterSpec): readonly number[] {
  const groupIds = sizeIds.map((id) => sizeById(id)?.sizeGroupId).filter((id) => id !== undefined);
  return [...new Set(groupIds)];
}

/** The number of filters of each rank per colour; colour 0 means any. */
type Wants = Map<number, Record<SliceRank, number>>;

const ANY_COLOUR = 0;

interface DemandedSet {
  readonly id: number;
  readonly key: string;
  readonly leafIds: readonly number[];
  readonly wants: Wants;
}

interface AtomSlice {
  readonly revision: number;
  readonly slice: Slice;
  /** Colours wanted in this atom; null: at least one filter takes any colour. */
  readonly colourIds: readonly number[] | null;
}

/**
 * The slices that all active filters together need, updated incrementally. Filters with the same leaves share a set,
 * the sets partition the tree into atoms, and each wanted colour is one more query.
 */
export class SliceDemand {
  readonly #atoms = new Atoms();
  readonly #demands = new Map<number, FilterDemand>();
  readonly #setsByKey = new Map<string, DemandedSet>();
  readonly #setsById = new Map<number, DemandedSet>();
  readonly #wholeMarket: Wants = new Map();
  #nextSetId = 1;
  #isPreviewed = false;

  #slices: readonly Slice[] | null = null;
  #colourSlices: readonly Slice[] | null = null;
  readonly #sliceByAtom = new WeakMap<Atom, AtomSlice>();
  readonly #representatives = new WeakMap<
    readonly number[],
    { readonly revision: number; readonly leafIds: readonly number[] }
  >();

  /** Replaces the filter's earlier demand. */
  put(filterNumber: number, demand: FilterDemand): void {
    this.drop(filterNumber);
    this.#demands.set(filterNumber, demand);
    this.#outdate(demand);
    if (demand.leafSets === null) count(this.#wholeMarket, demand, 1);
    for (const leafIds of demand.leafSets ?? []) this.#want(leafIds, demand);
  }

  drop(filterNumber: number): void {
    const demand = this.#demands.get(filterNumber);
    if (demand === undefined) return;
    this.#demands.delete(filterNumber);
    this.#outdate(demand);
    if (demand.leafSets === null) count(this.#wholeMarket, demand, -1);
    for (const leafIds of demand.leafSets ?? []) this.#unwant(leafIds, demand);
  }

  /** Whether a filter needs a slice. */
  get isNeeded(): boolean {
    return this.slices().some(({ isPreview }) => !isPreview);
  }

  /** Whether a person has an open stream: the market is then read for them even if no filter is active. */
  setPreviewed(isPreviewed: boolean): void {
    if (this.#isPreviewed === isPreviewed) return;
    this.#isPreviewed = isPreviewed;
    this.#slices = null;
  }

  /** Cached until the demand changes. Cost after an edit: the edited atoms, plus one step per atom. */
  slices(): readonly Slice[] {
    this.#slices ??= this.#build();
    return this.#slices;
  }

  /**
   * One leaf for each atom that the given leaves overlap. A listing known to be in one of the leaves certainly matches
   * a filter that holds every returned leaf. More than one only if the demand changed after the proof.
   */
  representatives(leafIds: readonly number[]): readonly number[] {
    if (leafIds.length < 2) return leafIds;
    const known = this.#representatives.get(leafIds);
    if (known?.revision === this.#atoms.revision) return known.leafIds;
    const leafByAtom = new Map<Atom | undefined, number>();
    for (const leafId of leafIds) {
      const atom = this.#atoms.atomOf(leafId);
      if (!leafByAtom.has(atom)) leafByAtom.set(atom, leafId);
    }
    const answer = [...leafByAtom.values()];
    this.#representatives.set(leafIds, { revision: this.#atoms.revision, leafIds: answer });
    return answer;
  }

  #want(leafIds: readonly number[], demand: FilterDemand): void {
    const key = leafIds.join();
    let set = this.#setsByKey.get(key);
    if (set === undefined) {
      set = { id: this.#nextSetId, key, leafIds, wants: new Map() };
      this.#nextSetId += 1;
      this.#setsByKey.set(key, set);
      this.#setsById.set(set.id, set);
      count(set.wants, demand, 1);
      this.#atoms.add(set.id, leafIds);
      return;
    }
    count(set.wants, demand, 1);
    this.#atoms.touch(set.id);
  }

  #unwant(leafIds: readonly number[], demand: FilterDemand): void {
    const set = this.#setsByKey.get(leafIds.join());
    if (set === undefined) return;
    count(set.wants, demand, -1);
    this.#atoms.touch(set.id);
    if (set.wants.size > 0) return;
    this.#atoms.remove(set.id);
    this.#setsByKey.delete(set.key);
    this.#setsById.delete(set.id);
  }

  #outdate({ marketplaceColourIds }: FilterDemand): void {
    this.#slices = null;
    if (marketplaceColourIds.length > 0) this.#colourSlices = null;
  }

  #build(): readonly Slice[] {
    if (this.#demands.size === 0) return this.#isPreviewed ? [PREVIEW_SLICE] : [];
    const colourSlices = (this.#colourSlices ??= this.#unionsByColour());
    const leafCounts = new Map(
      colourSlices.map(({ leafIds, marketplaceColourIds: [id] }) => [id, leafIds.length]),
    );
    const atomSlices = Array.from(this.#atoms.all(), (atom) => this.#sliceOf(atom))
      // The query of a colour that is wanted in this atom alone proves the category too.
      .filter(
        ({ slice, colourIds }) =>
          colourIds === null || colourIds.some((id) => leafCounts.get(id) !== slice.leafIds.length),
      )
      .map(({ slice }) => slice);
    const isWholeWanted = this.#wholeMarket.has(ANY_COLOUR);
    const whole = isWholeWanted ? [sliceOf([], null, rankOf([this.#wholeMarket], ANY_COLOUR))] : [];
    return withScout([...whole, ...atomSlices, ...colourSlices.map((slice) => this.#withProof(slice))]);
  }

  /** A colour's query proves a category only if all of its leaves are in one atom. */
  #withProof(slice: Slice): Slice {
    const [first] = slice.leafIds;
    if (first === undefined) return slice;
    const atom = this.#atoms.atomOf(first);
    return slice.leafIds.every((id) => this.#atoms.atomOf(id) === atom)
      ? slice
      : { ...slice, provenLeafIds: [] };
  }

  #sliceOf(atom: Atom): AtomSlice {
    const known = this.#sliceByAtom.get(atom);
    if (known?.revision === atom.revision) return known;
    const sets = Array.from(atom.setIds, (id) => this.#setsById.get(id)).filter((set) => set !== undefined);
    const wantedColourIds = new Set(sets.flatMap(({ wants }) => [...wants.keys()]));
    const made: AtomSlice = {
      revision: atom.revision,
      slice: sliceOf([...atom.leafIds], null, rankOf(sets.map(({ wants }) => wants))),
      colourIds: wantedColourIds.has(ANY_COLOUR) ? null : [...wantedColourIds],
    };
    this.#sliceByAtom.set(atom, made);
    return made;
  }

  /**
   * One query per colour, over all leaves in which it is wanted. The atoms' own queries prove the category,
   * so a filter with a colour needs two readings to match, but colours do not multiply the atoms.
   */
  #unionsByColour(): readonly Slice[] {
    const sets = [...this.#setsById.values()];
    const allWants = [this.#wholeMarket, ...sets.map(({ wants }) => wants)];
    const colourIds = new Set(allWants.flatMap((wants) => [...wants.keys()]));
    colourIds.delete(ANY_COLOUR);
    return Array.from(colourIds, (colourId) => {
      const wanting = sets.filter(({ wants }) => wants.has(colourId));
      const rank = rankOf([this.#wholeMarket, ...wanting.map(({ wants }) => wants)], colourId);
      const leafIds = this.#wholeMarket.has(colourId)
        ? []
        : new Set(wanting.flatMap(({ leafIds: own }) => own));
      return sliceOf([...leafIds], colourId, rank);
    });
  }
}

/**
 * With fewer slices each is read about as often as the whole market would be, so the scout would gain
 * nothing.
 */
const SCOUTED_FROM = 12;

function withScout(slices: readonly Slice[]): readonly Slice[] {
  const isRead = slices.some(
    ({ leafIds, marketplaceColourIds }) => leafIds.length === 0 && marketplaceColourIds.length === 0,
  );
  return isRead || slices.length < SCOUTED_FROM ? slices : [SCOUT_SLICE, ...slices];
}

function count(wants: Wants, { marketplaceColourIds, rank }: FilterDemand, change: 1 | -1): void {
  for (const colourId of marketplaceColourIds.length === 0 ? [ANY_COLOUR] : marketplaceColourIds) {
    const counts = wants.get(colourId) ?? { thunder: 0, acquire: 0, watched: 0, rest: 0 };
    counts[rank] += change;
    if (SLICE_RANKS.some((each) => counts[each] > 0)) wants.set(colourId, counts);
    else wants.delete(colourId);
  }
}

/** The most urgent rank with a waiting filter. */
function rankOf(allWants: readonly Wants[], colourId?: number): SliceRank {
  const counts = allWants.flatMap((wants) =>
    colourId === undefined ? [...wants.values()] : [wants.get(colourId)].filter((each) => each !== undefined),
  );
  return SLICE_RANKS.find((each) => counts.some((count) => count[each] > 0)) ?? "rest";
}
