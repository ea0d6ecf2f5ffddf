import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { sql, type SQL, type SQLChunk } from "drizzle-orm";
import { z } from "zod";
import type { Log } from "#domain/log.ts";
import { type AuditVerdict, extendAuditChain, verifyAuditChain } from "./audit.ts";
import type { Db, Tx } from "./engines/db.ts";
import { movedStoreDirectory, openEmbedded, storeDirectory } from "./engines/embedded.ts";
import { openPostgres } from "./engines/postgres.ts";
import { StoreError } from "./errors.ts";
import { parsedRows } from "./sql/values.ts";
import { openVault } from "./vault/vault.ts";

export interface MoveOptions {
  /** Contains the embedded store, and the master keys unless they are given. */
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly masterKeys: string | undefined;
  readonly log: Log;
}

export interface Moved {
  /** Rows by table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly audit: AuditVerdict;
  /** The path of the renamed embedded store. */
  readonly oldStore: string;
}

/** Limit of a statement on the embedded store: the checksum of a large table takes minutes. */
const LONGEST_READ_MS = 3_600_000;

/**
 * Copies the embedded store into an empty PostgreSQL database, in one transaction. The keys are not moved;
 * the embedded store is renamed to prevent its accidental use. Throws a StoreError if a process uses the
 * store, if there is none, if the database is not empty, or if the copy differs from the original; `uncertain` if the
 * copy may have been committed all the same.
 */
export async function moveStore({ dataDir, databaseUrl, masterKeys, log }: MoveOptions): Promise<Moved> {
  const directory = storeDirectory(dataDir);
  if (!existsSync(directory)) throw new StoreError("unopenable", `there is no embedded store in ${dataDir}`);
  const oldStore = movedStoreDirectory(dataDir);
  if (existsSync(oldStore))
    throw new StoreError("unopenable", `${oldStore} is in the way: it is left from an earlier move`);
  let isCommitting = false;
  const copied = await copyEverything({ dataDir, databaseUrl, masterKeys, log }, () => {
    isCommitting = true;
  }).catch((cause: unknown) => {
    if (!isCommitting) throw cause;
    const message = `the move broke off at its commit, so PostgreSQL may hold everything: run it again, and if the database is then not empty, everything is there: rename ${directory} to ${oldStore} and start with DATABASE_URL`;
    throw new StoreError("uncertain", message, { cause });
  });
  await rename(directory, oldStore).catch((cause: unknown) => {
    const message = `everything is in PostgreSQL, but ${directory} could not be renamed to ${oldStore}: move it away and start with DATABASE_URL`;
    throw new StoreError("unwritable", message, { cause });
  });
  return { ...copied, oldStore };
}

async function copyEverything(
  options: MoveOptions,
  onCommit: () => void,
): Promise<Pick<Moved, "rows" | "audit">> {
  const { dataDir, databaseUrl, log } = options;
  await using source = await openEmbedded({
    dataDir,
    log,
    timings: { queryTimeoutMs: LONGEST_READ_MS },
    // The statement under way rejects, which ends the move.
    onFatal: () => undefined,
  });
  const vault = await openVault(source.db, options);
  // An unlinked entry could not be distinguished from one inserted during the copy.
  await extendAuditChain(source.db, vault);
  const before = await verifyAuditChain(source.db, vault);
  await using target = await openPostgres({ databaseUrl, log, isUnhurried: true });
  const tables = await tablesOf(source.db);
  return await target.db.transaction(async (tx) => {
    await lockAll(tx, tables);
    // The only rows that the migrations insert.
    await tx.execute(sql`delete from switch_state`);
    await tx.execute(sql`delete from alert_marks`);
    await refuseFilled(tx, tables);
    await switchTriggers(tx, tables, "disable");
    const rows = new Map<string, number>();
    for (const table of tables) rows.set(table.name, await copyTable(source.db, tx, table));
    await switchTriggers(tx, tables, "enable");
    await compare(source.db, tx, tables);
    const audit = await verifyAuditChain(tx, await openVault(tx, options));
    if (JSON.stringify(audit) !== JSON.stringify(before)) throw differs("the audit chain");
    onCommit();
    return { rows, audit };
  });
}

/** Triggers are disabled: the copied rows already contain their effects. */
async function switchTriggers(tx: Tx, tables: readonly Table[], to: "enable" | "disable"): Promise<void> {
  for (const { name } of tables)
    await tx.execute(
      sql`alter table ${sql.identifier(name)} ${to === "disable" ? sql`disable` : sql`enable`} trigger user`,
    );
}

async function refuseFilled(target: Db, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const found = sql`select 1 from ${sql.identifier(name)} limit 1`;
    if ((await parsedRows(target, z.unknown(), found)).length > 0)
      throw new StoreError(
        "unsupported",
        `the database is not empty (table ${name}): a store is moved into an empty one`,
      );
  }
}

async function compare(source: Db, target: Db, tables: readonly Table[]): Promise<void> {
  for (const table of tables)
    if ((await sumOf(source, table)) !== (await sumOf(target, table))) throw differs(`table ${table.name}`);
}

function differs(what: string): StoreError {
  return new StoreError("unopenable", `${what} did not arrive as it left: nothing was moved`);
}

/**
 * The tables are read from the system catalogue, so that a new one cannot be forgotten. Values are copied in
 * PostgreSQL's text representation, so nothing is rounded or converted.
 */

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly references: readonly string[];
}

type Column = z.output<typeof columnRow>;

const PAGE_SIZE = 500;
const BEFORE_THE_FIRST = "(0,0)";

const columnRow = z.object({
  table: z.string(),
  name: z.string(),
  type: z.string(),
  /** The sequence that fills the column; null: none. */
  sequence: z.string().nullable(),
});
const referenceRow = z.object({ from: z.string(), to: z.string() });

/** Every table, in an order that satisfies the foreign keys. */
async function tablesOf(db: Db): Promise<readonly Table[]> {
  const columns = await parsedRows(
    db,
    columnRow,
    sql`
      select c.relname::text as "table", a.attname::text as "name", t.typname::text as "type",
        s.relname::text as "sequence"
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid
      left join pg_class s on s.oid = pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      order by c.relname, a.attname`,
  );
  const references = await parsedRows(
    db,
    referenceRow,
    sql`
      select f.relname::text as "from", t.relname::text as "to"
      from pg_constraint r join pg_class f on f.oid = r.conrelid join pg_class t on t.oid = r.confrelid
      where r.contype = 'f'`,
  );
  const tables = Map.groupBy(columns, ({ table }) => table);
  return inOrder(
    Array.from(tables, ([name, own]) => ({
      name,
      columns: own,
      references: references.filter(({ from, to }) => from === name && to !== name).map(({ to }) => to),
    })),
  );
}

function inOrder(tables: readonly Table[]): readonly Table[] {
  const ordered: Table[] = [];
  while (ordered.length < tables.length) {
    const known = new Set(ordered.map(({ name }) => name));
    const next = tables.filter(
      ({ name, references }) => !known.has(name) && references.every((other) => known.has(other)),
    );
    if (next.length === 0) throw new Error("tables refer to one another in a circle");
    ordered.push(...next);
  }
  return ordered;
}

/** Exclusive locks until the end of the transaction, which may take long. */
async function lockAll(tx: Tx, tables: readonly Table[]): Promise<void> {
  await tx.execute(sql`set local statement_timeout = 0`);
  await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
  await tx.execute(
    sql`lock table ${listOf(tables, ({ name }) => sql.identifier(name))} in access exclusive mode`,
  );
}

/** Joins the parts of an SQL list with commas. */
function listOf<Each>(all: readonly Each[], partOf: (one: Each, index: number) => SQLChunk): SQL {
  return sql.join(all.map(partOf), sql`, `);
}

const valueRow = z.object({ place: z.string(), values: z.array(z.string().nullable()) });

/** Pages by physical position (ctid), so the source must not be written meanwhile. @returns how many rows were copied */
async function copyTable(source: Db, target: Tx, table: Table): Promise<number> {
  const { name, columns } = table;
  const texts = listOf(columns, (column) => sql`${sql.identifier(column.name)}::text`);
  let place = BEFORE_THE_FIRST;
  let copied = 0;
  for (;;) {
    const rows = await parsedRows(
      source,
      valueRow,
      sql`
        select ctid::text as "place", array[${texts}]::text[] as "values" from ${sql.identifier(name)}
        where ctid > ${place}::tid order by ctid limit ${PAGE_SIZE}`,
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    place = last.place;
    copied += rows.length;
    await insert(
      target,
      table,
      rows.map(({ values }) => values),
    );
  }
  await copySequences(source, target, columns);
  return copied;
}

type Values = readonly (string | null)[];

async function insert(target: Tx, { name, columns }: Table, rows: readonly Values[]): Promise<void> {
  const listed = listOf(columns, (column) => sql.identifier(column.name));
  const typed = listOf(
    columns,
    (column) => sql`given.${sql.identifier(column.name)}::${sql.identifier(column.type)}`,
  );
  const given = listOf(
    columns,
    (_, index) => sql`${sql.param(rows.map((values) => values[index] ?? null))}::text[]`,
  );
  await target.execute(
    sql`insert into ${sql.identifier(name)} (${listed}) select ${typed} from unnest(${given}) as given (${listed})`,
  );
}

const countingRow = z.object({ last: z.string(), called: z.boolean() });

/** Continues the sequences, so that a number is never assigned twice, even if its row was deleted. */
async function copySequences(source: Db, target: Tx, columns: readonly Column[]): Promise<void> {
  for (const { sequence } of columns) {
    if (sequence === null) continue;
    const state = sql`select last_value::text as "last", is_called as "called" from ${sql.identifier(sequence)}`;
    const [counted] = await parsedRows(source, countingRow, state);
    if (counted === undefined) throw differs(`sequence ${sequence}`);
    const { last, called } = counted;
    await target.execute(
      sql`select setval(quote_ident(${sequence})::regclass, ${last}::bigint, ${called}::boolean)`,
    );
  }
}

/** The row count and an order-independent checksum over all values. */
async function sumOf(db: Db, { name, columns }: Table): Promise<string> {
  const texts = listOf(columns, (column) => sql`${sql.identifier(column.name)}::text`);
  const [row] = await parsedRows(
    db,
    z.object({ sum: z.string() }),
    sql`
      select count(*)::text || ' ' || coalesce(sum(('x' || left(md5(array[${texts}]::text), 15))::bit(60)::bigint), 0)::text
        as "sum" from ${sql.identifier(name)}`,
  );
  if (row === undefined) throw differs(`table ${name}`);
  return row.sum;
}
