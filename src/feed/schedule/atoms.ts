/**
 * Partitions the category tree by what the active filters select. An atom is a maximal set of leaves that every given
 * set contains entirely or not at all, so reading one atom proves the category of its listings for every filter. Pure;
 * an edit changes only the atoms that the edited set overlaps.
 */
export interface Atom {
  readonly leafIds: ReadonlySet<number>;
  /** Ids of the sets that contain it, never empty. */
  readonly setIds: ReadonlySet<number>;
  /** Increases with every change of the atom, and with `touch`. */
  readonly revision: number;
}

interface GrowingAtom extends Atom {
  readonly leafIds: Set<number>;
  readonly setIds: Set<number>;
  /** XOR of the hashes of its sets: atoms of the same sets have the same hash. */
  hash: number;
  revision: number;
}

export class Atoms {
  readonly #setsById = new Map<number, ReadonlySet<number>>();
  readonly #atomByLeaf = new Map<number, GrowingAtom>();
  readonly #atomsByHash = new Map<number, Set<GrowingAtom>>();
  #revision = 0;

  /** Increases with every change of any atom. */
  get revision(): number {
    return this.#revision;
  }

  /** Throws if the id is in use. An empty set splits nothing. */
  add(setId: number, leafIds: Iterable<number>): void {
    if (this.#setsById.has(setId)) throw new RangeError(`the set ${setId} is there already`);
    const set = new Set(leafIds);
    this.#setsById.set(setId, set);
    for (const [atom, held] of Map.groupBy(set, (leafId) => this.#atomByLeaf.get(leafId))) {
      if (atom === undefined) this.#create(held, [setId]);
      else this.#cut(atom, held, setId);
    }
  }

  remove(setId: number): void {
    for (const atom of this.#atomsOf(setId)) this.#release(atom, setId);
    this.#setsById.delete(setId);
  }

  /** Gives the atoms of a set a new revision, because something other than the set's leaves changed. */
  touch(setId: number): void {
    for (const atom of this.#atomsOf(setId)) atom.revision = this.#nextRevision();
  }

  /** Undefined for a leaf that is in no set. */
  atomOf(leafId: number): Atom | undefined {
    return this.#atomByLeaf.get(leafId);
  }

  /** Every atom once, unordered. */
  *all(): Iterable<Atom> {
    for (const sharing of this.#atomsByHash.values()) yield* sharing;
  }

  /** Splits off the part of an atom that a new set contains, unless that is the whole atom. */
  #cut(atom: GrowingAtom, heldLeafIds: readonly number[], setId: number): void {
    this.#unfile(atom);
    const isWhole = heldLeafIds.length === atom.leafIds.size;
    if (isWhole) {
      atom.setIds.add(setId);
      atom.hash ^= hashOf(setId);
    } else {
      for (const leafId of heldLeafIds) atom.leafIds.delete(leafId);
      this.#create(heldLeafIds, [...atom.setIds, setId]);
    }
    this.#file(atom);
  }

  /** Removes a set from an atom: the atom disappears, or merges with the one that differed only by this set. */
  #release(atom: GrowingAtom, setId: number): void {
    this.#unfile(atom);
    atom.setIds.delete(setId);
    atom.hash ^= hashOf(setId);
    if (atom.setIds.size === 0) {
      this.#nextRevision();
      for (const leafId of atom.leafIds) this.#atomByLeaf.delete(leafId);
      return;
    }
    const equalAtom = findEqualAtom(atom, this.#atomsByHash.get(atom.hash));
    if (equalAtom === undefined) {
      this.#file(atom);
      return;
    }
    this.#unfile(equalAtom);
    for (const leafId of atom.leafIds) {
      equalAtom.leafIds.add(leafId);
      this.#atomByLeaf.set(leafId, equalAtom);
    }
    this.#file(equalAtom);
  }

  #create(leafIds: Iterable<number>, setIds: Iterable<number>): void {
    const atom: GrowingAtom = { leafIds: new Set(leafIds), setIds: new Set(setIds), hash: 0, revision: 0 };
    for (const setId of atom.setIds) atom.hash ^= hashOf(setId);
    for (const leafId of atom.leafIds) this.#atomByLeaf.set(leafId, atom);
    this.#file(atom);
  }

  #file(atom: GrowingAtom): void {
    atom.revision = this.#nextRevision();
    const sharing = this.#atomsByHash.get(atom.hash);
    if (sharing === undefined) this.#atomsByHash.set(atom.hash, new Set([atom]));
    else sharing.add(atom);
  }

  #unfile(atom: GrowingAtom): void {
    const sharing = this.#atomsByHash.get(atom.hash);
    sharing?.delete(atom);
    if (sharing?.size === 0) this.#atomsByHash.delete(atom.hash);
  }

  #atomsOf(setId: number): ReadonlySet<GrowingAtom> {
    const leafIds = this.#setsById.get(setId) ?? [];
    return new Set(
      Array.from(leafIds, (leafId) => this.#atomByLeaf.get(leafId)).filter((atom) => atom !== undefined),
    );
  }

  #nextRevision(): number {
    this.#revision += 1;
    return this.#revision;
  }
}

function findEqualAtom(
  atom: GrowingAtom,
  sharingHash: ReadonlySet<GrowingAtom> | undefined,
): GrowingAtom | undefined {
  for (const other of sharingHash ?? []) {
    if (other.setIds.symmetricDifference(atom.setIds).size === 0) return other;
  }
  return undefined;
}

/** Spreads consecutive ids over 32 bits (the finalizer of MurmurHash3). */
function hashOf(setId: number): number {
  let mixed = setId + 0x9e37_79b9;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}
