// Exact alternatives to the index, as one would reasonably write them, on the same filters.
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import type { Candidate } from "#matching/candidate.ts";
import { type FilterSpec, filterHolds } from "#matching/compile-filter.ts";
import { SIZES_PER_GROUP, type WorkloadFilter } from "./matching-workload.ts";

export interface Rival {
  readonly name: string;
  /** The minimum factor by which the index must be faster, at a million filters. */
  readonly bar: number;
  /** Runs in a separate process. */
  readonly isServer: boolean;
  match(candidate: Candidate): number[] | Promise<number[]>;
  close(): void | Promise<void>;
}

function nothingToClose(): void {}

/** A row per category or any and brand or any: category, brand, cap, filter, sizes, conditions, colour. */
function* entryRows(filters: readonly WorkloadFilter[]): Iterable<readonly number[]> {
  for (const [number, { spec }] of filters.entries()) {
    for (const category of spec.categoryIds.length === 0 ? [0] : spec.categoryIds) {
      for (const brand of spec.brandIds.length === 0 ? [0] : spec.brandIds) {
        yield [
          category,
          brand,
          spec.priceCapEur,
          number,
          sizeGroupOf(spec.sizeIds[0] ?? 0),
          spec.sizeIds.reduce((mask, id) => mask | sizeBitOf(id), 0),
          spec.conditionIds.length === 0 ? 127 : spec.conditionIds.reduce((mask, id) => mask | (1 << id), 0),
          spec.marketplaceColourIds[0] ?? 0,
        ];
      }
    }
  }
}

/** The loop of a simple bot. */
export function objectLoop(filters: readonly WorkloadFilter[]): Rival {
  return {
    name: "a loop over filter objects",
    bar: 5_000,
    isServer: false,
    close: nothingToClose,
    match(candidate) {
      const found: number[] = [];
      for (let number = 0; number < filters.length; number += 1) {
        const filter = filters[number];
        if (filter !== undefined && filterHolds(filter.spec, candidate)) found.push(number);
      }
      return found;
    },
  };
}

/** Columns of numbers with a 32-bit signature per list; lists are compared only when signatures match. */
export function columnarScan(filters: readonly WorkloadFilter[]): Rival {
  const caps = Int32Array.from(filters, ({ spec }) => spec.priceCapEur * 100);
  const conditions = Int32Array.from(filters, ({ spec }) => signatureOf(spec.conditionIds));
  const categories = Int32Array.from(filters, ({ spec }) => signatureOf(spec.categoryIds));
  const brands = Int32Array.from(filters, ({ spec }) => signatureOf(spec.brandIds));
  const sizes = Int32Array.from(filters, ({ spec }) => signatureOf(spec.sizeIds));
  return {
    name: "a scan over columns and signatures",
    bar: 1_000,
    isServer: false,
    close: nothingToClose,
    match(candidate) {
      const found: number[] = [];
      const condition = bitOf(candidate.conditionId);
      const category = bitOf(candidate.categoryIds[0] ?? 0);
      const brand = bitOf(candidate.brandId);
      const size = bitOf(candidate.sizeId);
      const price = candidate.totalPriceCents;
      for (let number = 0; number < caps.length; number += 1) {
        if (
          (caps[number] ?? 0) >= price &&
          ((categories[number] ?? 0) & category) !== 0 &&
          ((brands[number] ?? 0) & brand) !== 0 &&
          ((sizes[number] ?? 0) & size) !== 0 &&
          ((conditions[number] ?? 0) & condition) !== 0 &&
          holds(filters[number]?.spec, candidate)
        )
          found.push(number);
      }
      return found;
    },
  };
}

function holds(spec: FilterSpec | undefined, candidate: Candidate): boolean {
  return spec !== undefined && filterHolds(spec, candidate);
}

/** An empty list accepts everything, so it has every bit set. */
function signatureOf(ids: readonly number[]): number {
  return ids.length === 0 ? -1 : ids.reduce((bits, id) => bits | bitOf(id), 0);
}

function bitOf(id: number): number {
  return 1 << (Math.imul(id, 0x9e37_79b1) >>> 27);
}

const CREATE_SQLITE = `
  CREATE TABLE entry (
    category INTEGER NOT NULL, brand INTEGER NOT NULL, cap INTEGER NOT NULL, filter INTEGER NOT NULL,
    size_group INTEGER NOT NULL, sizes INTEGER NOT NULL, conditions INTEGER NOT NULL, colour INTEGER NOT NULL,
    PRIMARY KEY (category, brand, cap, filter)
  ) WITHOUT ROWID`;

/** One range per category or any and brand or any. */
const SELECT_SQLITE = `
  SELECT filter FROM entry
  WHERE category = :category AND brand = :brand AND cap >= :price
    AND (size_group = 0 OR (size_group = :sizeGroup AND sizes & :size <> 0))
    AND conditions & :condition <> 0 AND colour IN (0, :colour)`;

/** Equivalent to the index's keys in an embedded database, clustered by category, brand and cap. */
export function sqliteClustered(filters: readonly WorkloadFilter[]): Rival {
  const database = new DatabaseSync(":memory:");
  database.exec(CREATE_SQLITE);
  const insert = database.prepare("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  database.exec("BEGIN");
  for (const row of entryRows(filters)) insert.run(...row);
  database.exec("COMMIT");
  const select = database.prepare(SELECT_SQLITE);
  select.setReturnArrays(true);
  return {
    name: "SQLite clustered by category, brand and cap",
    bar: 80,
    isServer: false,
    close: () => database.close(),
    match(candidate) {
      const found: number[] = [];
      const [category = 0] = candidate.categoryIds;
      for (const each of category === 0 ? [0] : [0, category]) {
        for (const brand of candidate.brandId === 0 ? [0] : [0, candidate.brandId]) {
          const rows = select.all({
            category: each,
            brand,
            price: Math.ceil(candidate.totalPriceCents / 100),
            sizeGroup: sizeGroupOf(candidate.sizeId),
            size: sizeBitOf(candidate.sizeId),
            condition: 1 << candidate.conditionId,
            colour: candidate.marketplaceColourIds[0] ?? 0,
          });
          for (const row of rows) found.push(Number(Object.values(row)[0]));
        }
      }
      return found;
    },
  };
}

/** 0 without a size. */
function sizeGroupOf(sizeId: number): number {
  return sizeId === 0 ? 0 : 1 + Math.floor((sizeId - 1) / SIZES_PER_GROUP);
}

function sizeBitOf(sizeId: number): number {
  return sizeId === 0 ? 0 : 1 << ((sizeId - 1) % SIZES_PER_GROUP);
}

// The same in PostgreSQL, tuned: one row per pair of (category or any) and (brand or any), a covering index
// by category, brand and cap, and one prepared statement of four ranges.

const ROWS_PER_INSERT = 20_000;

const CREATE_POSTGRES = `
  CREATE UNLOGGED TABLE entry (
    category int4 NOT NULL, brand int4 NOT NULL, cap int4 NOT NULL, filter int4 NOT NULL,
    size_group int4 NOT NULL, sizes int4 NOT NULL, conditions int4 NOT NULL, colour int4 NOT NULL)`;

const FILL = `
  INSERT INTO entry SELECT * FROM unnest(
    $1::int4[], $2::int4[], $3::int4[], $4::int4[], $5::int4[], $6::int4[], $7::int4[], $8::int4[])`;

const INDEX = `
  CREATE INDEX entry_key ON entry (category, brand, cap)
  INCLUDE (filter, size_group, sizes, conditions, colour)`;

/** $1 category, $2 brand, $3 price, $4 size group, $5 size, $6 condition, $7 colour. */
function range(category: string, brand: string): string {
  return `
    SELECT filter FROM entry
    WHERE category = ${category} AND brand = ${brand} AND cap >= $3
      AND (size_group = 0 OR (size_group = $4 AND sizes & $5 <> 0))
      AND conditions & $6 <> 0 AND colour IN (0, $7)`;
}

/** The second and third ranges are empty when the brand or category is unknown: 0 already means any. */
const SELECT_POSTGRES = [
  range("0", "0"),
  `${range("$1", "0")} AND $1 <> 0`,
  `${range("0", "$2")} AND $2 <> 0`,
  `${range("$1", "$2")} AND $1 <> 0 AND $2 <> 0`,
].join(" UNION ALL ");

/** @param databaseUrl an empty database */
export async function postgresBtree(filters: readonly WorkloadFilter[], databaseUrl: string): Promise<Rival> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(CREATE_POSTGRES);
  let rows: (readonly number[])[] = [];
  const fill = async (): Promise<void> => {
    await client.query(
      FILL,
      Array.from({ length: 8 }, (_, column) => rows.map((row) => row[column])),
    );
    rows = [];
  };
  for (const row of entryRows(filters)) {
    rows.push(row);
    if (rows.length === ROWS_PER_INSERT) await fill();
  }
  await fill();
  await client.query(INDEX);
  await client.query("CLUSTER entry USING entry_key");
  await client.query("VACUUM ANALYZE entry");
  await client.query("SET plan_cache_mode = force_generic_plan");
  return {
    name: "PostgreSQL, four ranges of one index, prepared",
    bar: 200,
    isServer: true,
    async match(candidate: Candidate) {
      const { rows: found } = await client.query<number[]>({
        name: "match",
        text: SELECT_POSTGRES,
        rowMode: "array",
        values: [
          candidate.categoryIds[0] ?? 0,
          candidate.brandId,
          Math.ceil(candidate.totalPriceCents / 100),
          sizeGroupOf(candidate.sizeId),
          sizeBitOf(candidate.sizeId),
          1 << candidate.conditionId,
          candidate.marketplaceColourIds[0] ?? 0,
        ],
      });
      return found.map(([number]) => Number(number));
    },
    close: async () => await client.end(),
  };
}
