import { swap, type Mutant } from "./mutant.ts";

/** What is kept wrongly: rows, locks, budgets, the ledger. */
const FACTS = "src/store/purchases-facts.ts";
const MONEY = "src/store/purchases-money.ts";
const TABLES = "src/store/migrations/0000_initial.sql";
const BOOKS = ["src/store/purchases.test.ts"];
const POSTGRES = ["src/store/purchases.postgres.test.ts"];

export const books: readonly Mutant[] = [
  {
    name: "two of our people may race for one listing: no unique index",
    patches: swap(
      TABLES,
      'CREATE UNIQUE INDEX "purchases_one_live_per_listing"',
      'CREATE INDEX "purchases_one_live_per_listing"',
    ),
    tests: BOOKS,
    only: "conflict in the table itself",
  },
  {
    name: "one person may buy a listing twice at once: no unique index",
    patches: swap(TABLES, 'CREATE UNIQUE INDEX "purchases_once"', 'CREATE INDEX "purchases_once"'),
    tests: BOOKS,
    only: "a proposal",
  },
  {
    name: "the table does not refuse to overspend",
    patches: swap(
      TABLES,
      'CHECK ("budgets"."held_cents" + "budgets"."captured_cents" <= "budgets"."cap_cents")',
      'CHECK ("budgets"."cap_cents" >= 0)',
    ),
    tests: BOOKS,
    only: "refused by the table itself",
  },
  {
    name: "decisions about one person's money run beside one another",
    patches: swap(FACTS, "pg_advisory_xact_lock(place), set_config", "place, set_config"),
    tests: POSTGRES,
    project: "postgres",
    only: "however many come at once|one after another",
  },
  {
    name: "what goes wrong with one proposal goes wrong with all of its turn",
    patches: swap(
      "src/store/purchases-proposals.ts",
      "if (group.length > 1 || isConflict(error)) return null;",
      "if (isConflict(error)) return null;",
    ),
    tests: BOOKS,
    only: "whatever goes wrong with another",
  },
  {
    name: "whoever is locked keeps everybody of the same turn waiting",
    patches: swap(
      "src/store/purchases-proposals.ts",
      "group.length > 1 ? PATIENCE_MS : undefined",
      "0 * PATIENCE_MS",
    ),
    tests: ["src/store/store-faults.postgres.test.ts"],
    project: "postgres",
    only: "keeps nobody waiting",
  },
  {
    name: "a transaction whose only write failed counts as committed",
    patches: swap(
      "src/store/engines/only-write.ts",
      'return text === "commit" ? before.then(() => over) : over;',
      "void before;\n    return over;",
    ),
    tests: POSTGRES,
    project: "postgres",
    only: "a conflict in the table itself|refused by the table itself",
  },
  {
    name: "a switch commits between a decision and its commit",
    patches: swap(
      FACTS,
      "await tx.execute(sql`select pg_advisory_xact_lock(${SWITCHES_LOCK}::bigint)`);",
      "await tx.execute(sql`select 1`);",
    ),
    tests: POSTGRES,
    project: "postgres",
    only: "stop switches",
  },
  {
    name: "what a left join did not find is somebody whose columns are all null",
    patches: swap(
      "src/store/prepared-read.ts",
      "group, firstColumn) === null)",
      "group, firstColumn) === undefined)",
    ),
    tests: ["src/store/store.test.ts"],
    only: "prepared read|settings",
  },
  {
    name: "the person's own stop commits between a decision and its commit",
    patches: swap(
      FACTS,
      'eq(filters.userId, users.id)))\n    .for("share", { of: settings }),',
      "eq(filters.userId, users.id))),",
    ),
    tests: POSTGRES,
    project: "postgres",
    only: "stop switches",
  },
  {
    name: "a refund re-opens the day's limit",
    patches: swap(MONEY, "external: 1, refund: 0 }", "external: 1, refund: -1 }"),
    tests: ["src/purchasing/engine.test.ts"],
    only: "re-opens no limit",
  },
  {
    name: "the ledger does not hear of what is released",
    patches: swap(
      MONEY,
      "  const entries = moves.map((move) =>",
      '  const entries = moves.filter(({ kind }) => kind !== "release").map((move) =>',
    ),
    tests: ["src/purchasing/engine.test.ts"],
    only: "never pays more for the item",
  },
  {
    name: "the books are never compared",
    patches: swap(
      "src/store/purchases-audit.ts",
      "...(row.kept === row.told",
      "...(row.kept === row.told || row.period !== ''",
    ),
    tests: BOOKS,
    only: "are found out",
  },
  {
    name: "an order of ours is booked a second time as made elsewhere",
    patches: swap(
      "src/store/purchases-external.ts",
      "    if (await isExplained(tx, order)) return false;\n",
      "    await isExplained(tx, order);\n",
    ),
    tests: BOOKS,
    only: "orders made elsewhere",
  },
  {
    name: "an attempt's row is not written",
    patches: swap(
      "src/store/purchases-advance-write.ts",
      "...(attempt === null ? [] : [attemptWords(attempt, slot)])",
      "...(attempt === null ? [] : [])",
    ),
    tests: BOOKS,
    only: "an advance",
  },
  {
    name: "a breaker's stop is not written with the change that asks for it",
    patches: swap(
      "src/store/purchases-transitions.ts",
      "    if (change.stopsUser) await throwStop(tx, userId, nowMs);\n",
      "    void throwStop;\n",
    ),
    tests: BOOKS,
    only: "throws the person's stop",
  },
  {
    name: "the ledger can be rewritten",
    patches: swap(
      "src/store/migrations/0005_append-only-books.sql",
      'BEFORE UPDATE OR DELETE ON "ledger"',
      'BEFORE UPDATE OF "id" ON "ledger"',
    ),
    tests: BOOKS,
    only: "refuse to be rewritten",
  },
  {
    name: "an attempt that has ended can be told anew",
    patches: swap(
      "src/store/migrations/0005_append-only-books.sql",
      'AND (OLD."outcome" IS NULL OR NEW."outcome" IS NOT DISTINCT FROM OLD."outcome")',
      "",
    ),
    tests: BOOKS,
    only: "refuse to be rewritten",
  },
  {
    name: "the audit does not hear of what was told",
    patches: swap(
      "src/store/purchases-reads.ts",
      "(entry === null ? [] : [entry])",
      "(entry === null ? [] : [])",
    ),
    tests: BOOKS,
    only: "what nobody was told",
  },
];
