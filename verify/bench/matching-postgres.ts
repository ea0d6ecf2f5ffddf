// The same keys in PostgreSQL, as well as it can have them: one row for each category or any and brand or any, laid
// out in the order of a covering index by category, brand and cap, read by one prepared statement of four ranges.
import { Client } from "pg";
import type { Candidate } from "#matching/candidate.ts";
import { entryRows, sizeBitOf, sizeGroupOf, type Rival } from "./matching-rivals.ts";
import type { WorkloadFilter } from "./matching-workload.ts";

const ROWS_PER_INSERT = 20_000;

const CREATE = `
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

/** The second and third ranges are empty where the brand or the category is unknown: 0 stands for any already. */
const SELECT = [
  range("0", "0"),
  `${range("$1", "0")} AND $1 <> 0`,
  `${range("0", "$2")} AND $2 <> 0`,
  `${range("$1", "$2")} AND $1 <> 0 AND $2 <> 0`,
].join(" UNION ALL ");

/** @param databaseUrl an empty database */
export async function postgresBtree(filters: readonly WorkloadFilter[], databaseUrl: string): Promise<Rival> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(CREATE);
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
        text: SELECT,
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
