/**
 * A block of archived versions: columns of numbers and texts, compressed together by zstd with its checksum.
 * Columns are decoded when first read, so a search that compares prices never decodes titles.
 */
import { zstdCompressSync, zstdDecompressSync, constants } from "node:zlib";
import type { Standing } from "#domain/market/standing.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { type LeafSet, leafSetOf } from "./leaf-sets.ts";
import { type Version, VERSION_KINDS, type VersionKind } from "./version.ts";

const FORMAT = 1;

/** About 0.1 MB compressed. On a sorted day, a search for one type skips all blocks of others. */
export const VERSIONS_PER_BLOCK = 4_096;

/** Decompression stops here: no valid block is larger. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;

const COUNTED_BIT = 8;
const RELIST_BIT = 16;
const KIND_MASK = 7;

const BASES = ["type_brand_condition", "type_brand", "type_condition"] as const;

/** In the order of writing; a later format may append columns. */
const COLUMNS = [
  "listingIds",
  "flags",
  "seenAt",
  "firstSeenAt",
  "newSince",
  "leafSets",
  "colours",
  "brands",
  "conditions",
  "sizes",
  "prices",
  "titles",
  "sellers",
  "bases",
  "standings",
] as const;
type Column = (typeof COLUMNS)[number];

/** Cost: about 2 µs a version, and 50 µs a block. */
export function encodeBlock(versions: readonly Version[]): Uint8Array {
  const columns = writeColumns(versions);
  const whole = new ByteWriter();
  whole.whole(FORMAT);
  whole.whole(versions.length);
  for (const name of COLUMNS) {
    const bytes = columns[name].taken();
    whole.whole(bytes.length);
    whole.bytes(bytes);
  }
  return zstdCompressSync(whole.taken(), { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

function writeColumns(versions: readonly Version[]): Readonly<Record<Column, ByteWriter>> {
  const columns = newColumns();
  writeMoments(versions, columns);
  writeLists(
    columns.leafSets,
    versions.map(({ leafIds }) => leafIds),
  );
  writeLists(
    columns.colours,
    versions.map(({ marketplaceColourIds }) => marketplaceColourIds),
  );
  writeLists(
    columns.sizes,
    versions.map(({ sizeIds }) => sizeIds),
  );
  for (const version of versions) {
    columns.flags.whole(
      VERSION_KINDS.indexOf(version.kind) |
        (version.isCounted ? COUNTED_BIT : 0) |
        (version.isRelist ? RELIST_BIT : 0),
    );
    columns.brands.whole(version.brandId);
    columns.conditions.whole(version.conditionId);
    columns.prices.whole(version.totalPriceCents);
    writeStanding(version.standing, columns);
  }
  // Folded titles hold letters, digits and spaces only.
  columns.titles.bytes(Buffer.from(versions.map(({ foldedTitle }) => foldedTitle).join("\n")));
  columns.sellers.bytes(new Uint8Array(Uint32Array.from(versions, ({ sellerHash }) => sellerHash).buffer));
  return columns;
}

function newColumns(): Readonly<Record<Column, ByteWriter>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fromEntries forgets the names of the columns.
  return Object.fromEntries(COLUMNS.map((name) => [name, new ByteWriter()])) as Record<Column, ByteWriter>;
}

/** Delta encoding: ids and times differ little from one version to the next. */
function writeMoments(versions: readonly Version[], columns: Readonly<Record<Column, ByteWriter>>): void {
  let lastId = 0;
  let lastSeen = 0;
  for (const { listingId, seenAtMs, firstSeenAtMs, newSinceMs } of versions) {
    columns.listingIds.signed(listingId - lastId);
    columns.seenAt.signed(seenAtMs - lastSeen);
    columns.firstSeenAt.signed(seenAtMs - firstSeenAtMs);
    columns.newSince.whole(newSinceMs === null ? 0 : 1);
    if (newSinceMs !== null) columns.newSince.signed(firstSeenAtMs - newSinceMs);
    lastId = listingId;
    lastSeen = seenAtMs;
  }
}

function writeStanding(
  standing: Standing | null,
  { bases, standings }: Readonly<Record<Column, ByteWriter>>,
) {
  if (standing === null) {
    bases.whole(0);
    return;
  }
  bases.whole(BASES.indexOf(standing.basis) + 1);
  standings.whole(standing.lowCents);
  standings.whole(standing.medianCents - standing.lowCents);
  standings.whole(standing.highCents - standing.medianCents);
  standings.whole(standing.rank === null ? 0 : standing.rank + 1);
  standings.whole(standing.sampleSize);
  standings.whole(standing.dayCount);
}

/** Dictionary encoding: each distinct list once, then an index per version. */
function writeLists(column: ByteWriter, lists: readonly (readonly number[])[]): void {
  const places = new Map<string, number>();
  /** Versions of one slice share their list. */
  const placesByArray = new Map<readonly number[], number>();
  const distinct: (readonly number[])[] = [];
  const placeOf = (list: readonly number[]): number => {
    const key = list.join();
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, distinct.length);
    return distinct.push(list) - 1;
  };
  const own = lists.map((list) => {
    const place = placesByArray.get(list) ?? placeOf(list);
    placesByArray.set(list, place);
    return place;
  });
  column.whole(distinct.length);
  for (const list of distinct) {
    column.whole(list.length);
    let last = 0;
    for (const value of list) {
      column.signed(value - last);
      last = value;
    }
  }
  for (const place of own) column.whole(place);
}

/** Distinct lists, and the index of each version's own. */
interface SharedLists<List> {
  readonly lists: readonly List[];
  readonly own: Uint32Array;
}

interface Standings {
  readonly lowCents: Uint32Array;
  readonly medianCents: Uint32Array;
  readonly highCents: Uint32Array;
  /** -1: none. */
  readonly ranks: Int16Array;
  readonly sampleSizes: Uint32Array;
  readonly dayCounts: Uint8Array;
}

/** A block; version `index` is at that index in every column. */
export class Block {
  readonly count: number;
  readonly listingIds: () => Float64Array;
  readonly seenAt: () => Float64Array;
  readonly firstSeenAt: () => Float64Array;
  /** -Infinity: unknown. */
  readonly newSince: () => Float64Array;
  readonly flags: () => Uint8Array;
  readonly leafSets: () => SharedLists<LeafSet>;
  readonly colours: () => SharedLists<readonly number[]>;
  readonly sizes: () => SharedLists<readonly number[]>;
  readonly brands: () => Uint32Array;
  readonly conditions: () => Uint8Array;
  readonly prices: () => Uint32Array;
  readonly titles: () => readonly string[];
  readonly sellers: () => Uint32Array;
  readonly bases: () => Uint8Array;
  readonly standings: () => Standings;

  /** @throws RangeError or zlib's error for invalid data or a later format */
  constructor(data: Uint8Array) {
    const whole = new ByteReader(zstdDecompressSync(data, { maxOutputLength: MAX_BLOCK_BYTES }));
    if (whole.whole() !== FORMAT) throw new RangeError("a block of another format");
    const count = whole.whole();
    const bytes = new Map(COLUMNS.map((name) => [name, whole.bytes(whole.whole())]));
    const bytesOf = (name: Column): Uint8Array => bytes.get(name) ?? new Uint8Array();
    const readerOf = (name: Column): ByteReader => new ByteReader(bytesOf(name));
    const lists = (name: Column) => lazy(() => readLists(readerOf(name), count));
    const wholes = (name: Column) => lazy(() => readWholes(readerOf(name), new Uint32Array(count)));
    const octets = (name: Column) => lazy(() => readWholes(readerOf(name), new Uint8Array(count)));
    this.count = count;
    this.listingIds = lazy(() => runningSums(readerOf("listingIds"), count));
    this.seenAt = lazy(() => runningSums(readerOf("seenAt"), count));
    this.firstSeenAt = lazy(() => {
      const column = readerOf("firstSeenAt");
      return this.seenAt().map((seenAtMs) => seenAtMs - column.signed());
    });
    this.newSince = lazy(() => {
      const column = readerOf("newSince");
      return this.firstSeenAt().map((atMs) => (column.whole() === 0 ? -Infinity : atMs - column.signed()));
    });
    this.flags = octets("flags");
    this.leafSets = lazy(() => {
      const { lists: leaves, own } = readLists(readerOf("leafSets"), count);
      return { lists: leaves.map(leafSetOf), own };
    });
    this.colours = lists("colours");
    this.sizes = lists("sizes");
    this.brands = wholes("brands");
    this.conditions = octets("conditions");
    this.prices = wholes("prices");
    this.titles = lazy(() => Buffer.from(bytesOf("titles")).toString().split("\n"));
    this.sellers = lazy(() => new Uint32Array(Uint8Array.from(bytesOf("sellers")).buffer));
    this.bases = octets("bases");
    this.standings = lazy(() => readStandings(readerOf("standings"), this.bases()));
  }

  kindAt(index: number): VersionKind {
    return VERSION_KINDS[(this.flags()[index] ?? 0) & KIND_MASK] ?? "closing";
  }

  isCountedAt(index: number): boolean {
    return ((this.flags()[index] ?? 0) & COUNTED_BIT) !== 0;
  }

  isRelistAt(index: number): boolean {
    return ((this.flags()[index] ?? 0) & RELIST_BIT) !== 0;
  }

  leafSetAt(index: number): LeafSet {
    const { lists, own } = this.leafSets();
    return lists[own[index] ?? 0] ?? NO_LEAVES;
  }

  coloursAt(index: number): readonly number[] {
    return listAt(this.colours(), index);
  }

  sizesAt(index: number): readonly number[] {
    return listAt(this.sizes(), index);
  }

  rankAt(index: number): number | null {
    const rank = this.standings().ranks[index] ?? -1;
    return rank < 0 ? null : rank;
  }

  standingAt(index: number): Standing | null {
    const basis = BASES[(this.bases()[index] ?? 0) - 1];
    if (basis === undefined) return null;
    const { lowCents, medianCents, highCents, sampleSizes, dayCounts } = this.standings();
    return {
      lowCents: lowCents[index] ?? 0,
      medianCents: medianCents[index] ?? 0,
      highCents: highCents[index] ?? 0,
      rank: this.rankAt(index),
      sampleSize: sampleSizes[index] ?? 0,
      dayCount: dayCounts[index] ?? 0,
      basis,
    };
  }

  versionAt(index: number): Version {
    const newSinceMs = this.newSince()[index] ?? -Infinity;
    return {
      listingId: this.listingIds()[index] ?? 0,
      kind: this.kindAt(index),
      seenAtMs: this.seenAt()[index] ?? 0,
      firstSeenAtMs: this.firstSeenAt()[index] ?? 0,
      newSinceMs: newSinceMs === -Infinity ? null : newSinceMs,
      leafIds: this.leafSetAt(index).leafIds,
      marketplaceColourIds: this.coloursAt(index),
      brandId: this.brands()[index] ?? 0,
      conditionId: this.conditions()[index] ?? 0,
      sizeIds: this.sizesAt(index),
      totalPriceCents: this.prices()[index] ?? 0,
      foldedTitle: this.titles()[index] ?? "",
      sellerHash: this.sellers()[index] ?? 0,
      standing: this.standingAt(index),
      isCounted: this.isCountedAt(index),
      isRelist: this.isRelistAt(index),
    };
  }

  versions(): readonly Version[] {
    return Array.from({ length: this.count }, (_, index) => this.versionAt(index));
  }
}

const NO_LEAVES = leafSetOf([]);

function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

function readWholes<Column extends Uint8Array | Uint32Array>(reader: ByteReader, column: Column): Column {
  for (let index = 0; index < column.length; index += 1) column[index] = reader.whole();
  return column;
}

function runningSums(reader: ByteReader, count: number): Float64Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let index = 0; index < count; index += 1) {
    sum += reader.signed();
    sums[index] = sum;
  }
  return sums;
}

function readLists(reader: ByteReader, count: number): SharedLists<readonly number[]> {
  const lists: number[][] = [];
  for (let left = reader.whole(); left > 0; left -= 1) {
    const list: number[] = [];
    let value = 0;
    for (let length = reader.whole(); length > 0; length -= 1) list.push((value += reader.signed()));
    lists.push(list);
  }
  return { lists, own: readWholes(reader, new Uint32Array(count)) };
}

function listAt({ lists, own }: SharedLists<readonly number[]>, index: number): readonly number[] {
  return lists[own[index] ?? 0] ?? [];
}

function readStandings(reader: ByteReader, bases: Uint8Array): Standings {
  const count = bases.length;
  const standings = {
    lowCents: new Uint32Array(count),
    medianCents: new Uint32Array(count),
    highCents: new Uint32Array(count),
    ranks: new Int16Array(count).fill(-1),
    sampleSizes: new Uint32Array(count),
    dayCounts: new Uint8Array(count),
  };
  for (let index = 0; index < count; index += 1) {
    if (bases[index] === 0) continue;
    const low = reader.whole();
    const median = low + reader.whole();
    standings.lowCents[index] = low;
    standings.medianCents[index] = median;
    standings.highCents[index] = median + reader.whole();
    standings.ranks[index] = reader.whole() - 1;
    standings.sampleSizes[index] = reader.whole();
    standings.dayCounts[index] = reader.whole();
  }
  return standings;
}
