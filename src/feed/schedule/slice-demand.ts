import { Atoms, type Atom } from "./atoms.ts";
import type { FilterDemand } from "./filter-demand.ts";
import { SCOUT_SLICE, SLICE_RANKS, sliceOf, type Slice, type SliceRank } from "./slice.ts";

/** How many filters of each rank ask for a colour; the colour 0 stands for any. */
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
  /** The colours that are wanted in it; null: somebody takes any. */
  readonly colourIds: readonly number[] | null;
}

/**
 * The slices that all active filters together need, kept up to date edit by edit: filters that name the same leaves
 * share one set, the sets cut the tree into atoms, and an atom is asked for once per colour that somebody wants.
 */
export class SliceDemand {
  readonly #atoms = new Atoms();
  readonly #demands = new Map<number, FilterDemand>();
  readonly #setsByKey = new Map<string, DemandedSet>();
  readonly #setsById = new Map<number, DemandedSet>();
  readonly #wholeMarket: Wants = new Map();
  #nextSetId = 1;

  #slices: readonly Slice[] | null = null;
  #colourSlices: readonly Slice[] | null = null;
  readonly #sliceByAtom = new WeakMap<Atom, AtomSlice>();
  readonly #representatives = new WeakMap<
    readonly number[],
    { readonly revision: number; readonly leafIds: readonly number[] }
  >();

  /** Takes a filter's demand in place of an earlier one. */
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

  /** The same array until the demand changes. Cost after an edit: what the edit touched, and one look at each atom. */
  slices(): readonly Slice[] {
    this.#slices ??= this.#build();
    return this.#slices;
  }

  /**
   * One leaf for each atom that the given leaves reach: a listing known to lie in one of them matches a filter for
   * certain when the filter holds all of the answer. More than one only when the demand was edited since the proof.
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
    const colourSlices = (this.#colourSlices ??= this.#unionsByColour());
    const leafCounts = new Map(
      colourSlices.map(({ leafIds, marketplaceColourIds: [id] }) => [id, leafIds.length]),
    );
    const atomSlices = Array.from(this.#atoms.all(), (atom) => this.#sliceOf(atom))
      // Where a colour is asked for in this atom alone, its own answer proves the category too.
      .filter(
        ({ slice, colourIds }) =>
          colourIds === null || colourIds.some((id) => leafCounts.get(id) !== slice.leafIds.length),
      )
      .map(({ slice }) => slice);
    const isWholeWanted = this.#wholeMarket.has(ANY_COLOUR);
    const whole = isWholeWanted ? [sliceOf([], null, rankOf([this.#wholeMarket], ANY_COLOUR))] : [];
    return withScout([...whole, ...atomSlices, ...colourSlices.map((slice) => this.#withProof(slice))]);
  }

  /** A colour's leaves are worth keeping only while no filter tells them apart. */
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
   * One question for each colour, over all leaves in which anybody wants it: the category is proven by the atoms, so
   * a listing that a colour matters for is proven by two readings, and colours do not multiply the atoms.
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

/** Where a few slices can be read as often as the whole market, a scout finds nothing sooner. */
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

/** The most urgent rank that waits. */
function rankOf(allWants: readonly Wants[], colourId?: number): SliceRank {
  const counts = allWants.flatMap((wants) =>
    colourId === undefined ? [...wants.values()] : [wants.get(colourId)].filter((each) => each !== undefined),
  );
  return SLICE_RANKS.find((each) => counts.some((count) => count[each] > 0)) ?? "rest";
}
