import { Atoms, type Atom } from "./atoms.ts";
import type { FilterDemand } from "./filter-demand.ts";
import { SLICE_RANKS, sliceOf, type Slice, type SliceRank } from "./slice.ts";

/** How many filters of each rank ask for a colour; the colour 0 stands for any. */
type Wants = Map<number, Record<SliceRank, number>>;

const ANY_COLOUR = 0;

interface DemandedSet {
  readonly id: number;
  readonly key: string;
  readonly wants: Wants;
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
  readonly #slicesByAtom = new WeakMap<
    Atom,
    { readonly revision: number; readonly slices: readonly Slice[] }
  >();
  readonly #representatives = new WeakMap<
    readonly number[],
    { readonly revision: number; readonly leafIds: readonly number[] }
  >();

  /** Takes a filter's demand in place of an earlier one. */
  put(filterNumber: number, demand: FilterDemand): void {
    this.drop(filterNumber);
    this.#demands.set(filterNumber, demand);
    this.#slices = null;
    if (demand.leafSets === null) count(this.#wholeMarket, demand, 1);
    for (const leafIds of demand.leafSets ?? []) this.#want(leafIds, demand);
  }

  drop(filterNumber: number): void {
    const demand = this.#demands.get(filterNumber);
    if (demand === undefined) return;
    this.#demands.delete(filterNumber);
    this.#slices = null;
    if (demand.leafSets === null) count(this.#wholeMarket, demand, -1);
    for (const leafIds of demand.leafSets ?? []) this.#unwant(leafIds, demand);
  }

  /** The same array until the demand changes. Cost after an edit: what the edit touched, and one look at each atom. */
  slices(): readonly Slice[] {
    this.#slices ??= [
      ...slicesFor([], [this.#wholeMarket]),
      ...Array.from(this.#atoms.all(), (atom) => this.#slicesOf(atom)).flat(),
    ];
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
      set = { id: this.#nextSetId, key, wants: new Map() };
      this.#nextSetId += 1;
      this.#setsByKey.set(key, set);
      this.#setsById.set(set.id, set);
      this.#atoms.add(set.id, leafIds);
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

  #slicesOf(atom: Atom): readonly Slice[] {
    const known = this.#slicesByAtom.get(atom);
    if (known?.revision === atom.revision) return known.slices;
    const sets = Array.from(atom.setIds, (id) => this.#setsById.get(id)).filter((set) => set !== undefined);
    const slices = slicesFor(
      [...atom.leafIds],
      sets.map(({ wants }) => wants),
    );
    this.#slicesByAtom.set(atom, { revision: atom.revision, slices });
    return slices;
  }
}

function count(wants: Wants, { marketplaceColourIds, rank }: FilterDemand, change: 1 | -1): void {
  for (const colourId of marketplaceColourIds.length === 0 ? [ANY_COLOUR] : marketplaceColourIds) {
    const counts = wants.get(colourId) ?? { thunder: 0, acquire: 0, watched: 0, rest: 0 };
    counts[rank] += change;
    if (SLICE_RANKS.some((each) => counts[each] > 0)) wants.set(colourId, counts);
    else wants.delete(colourId);
  }
}

/** A slice for each colour that any of the wants asks for, with the most urgent rank that waits for it. */
function slicesFor(leafIds: readonly number[], allWants: readonly Wants[]): readonly Slice[] {
  const colourIds = new Set(allWants.flatMap((wants) => [...wants.keys()]));
  return Array.from(colourIds, (colourId) => {
    const rank = SLICE_RANKS.find((each) => allWants.some((wants) => (wants.get(colourId)?.[each] ?? 0) > 0));
    return sliceOf(leafIds, colourId === ANY_COLOUR ? null : colourId, rank ?? "rest");
  });
}
