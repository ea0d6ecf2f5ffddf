import { bugsIn, type Mutant } from "./mutant.ts";

/** What is kept wrongly: rows, locks, budgets, the ledger. */
export const books: readonly Mutant[] = [
  ...bugsIn("src/store/migrations/0000_initial.sql", { tests: ["src/store/purchases/purchases.test.ts"] }, [
    [
      "two of our people may race for one listing: no unique index",
      'CREATE UNIQUE INDEX "purchases_one_live_per_listing',
      'CREATE INDEX "purchases_one_live_per_listing',
      { only: "conflict in the table itself" },
    ],
    [
      "one person may buy a listing twice at once: no unique index",
      'CREATE UNIQUE INDEX "purchases_once',
      'CREATE INDEX "purchases_once',
      { only: "a proposal" },
    ],
    [
      "the table does not refuse to overspend",
      'held_cents" + "budgets"."captured_cents" <= "budgets"."cap_cents"',
      'cap_cents" >= 0',
      { only: "refused by the table itself" },
    ],
  ]),
  ...bugsIn("src/store/purchases/locks.ts", { tests: ["src/store/purchases/purchases.postgres.test.ts"] }, [
    [
      "decisions about one person's money run beside one another",
      "pg_advisory_xact_lock(place)",
      "place",
      { only: "however many come at once|one after another", project: "postgres" },
    ],
    [
      "a switch commits between a decision and its commit",
      "pg_advisory_xact_lock(${SWITCHES_LOCK}::bigint)",
      "1",
      { only: "stop switches", project: "postgres" },
    ],
  ]),
  ...bugsIn("src/store/purchases/facts.ts", { tests: ["src/store/purchases/purchases.postgres.test.ts"] }, [
    [
      "the person's own stop commits between a decision and its commit",
      ')\n    .for("share", { of: settings })',
      ")",
      { only: "stop switches", project: "postgres" },
    ],
  ]),
  ...bugsIn(
    "src/store/engines/only-write.ts",
    {
      tests: ["src/store/purchases/purchases.postgres.test.ts"],
      only: "a conflict in the table itself|refused by the table itself",
      project: "postgres",
    },
    [
      [
        "a transaction whose only write failed counts as committed",
        'return text === "commit" ? before.then(() => over) :',
        "void before;\n    return",
      ],
    ],
  ),
  ...bugsIn("src/store/purchases/money.ts", { tests: ["src/purchasing/engine.test.ts"] }, [
    [
      "a refund re-opens the day's limit",
      "external: 1, refund: 0 }",
      "external: 1, refund: -1 }",
      { only: "re-opens no limit" },
    ],
    [
      "the ledger does not hear of what is released",
      "entries = moves.",
      'entries = moves.filter(({ kind }) => kind !== "release").',
      { only: "never pays more for the item" },
    ],
  ]),
  ...bugsIn(
    "src/store/purchases/purchases.ts",
    { tests: ["src/store/purchases/purchases.test.ts"], only: "are found out" },
    [
      [
        "the books are never compared",
        "...(row.budget === row.ledger",
        "...(row.budget === row.ledger || row.period !== ''",
      ],
    ],
  ),
  ...bugsIn(
    "src/store/purchases/external.ts",
    { tests: ["src/store/purchases/purchases.test.ts"], only: "orders made elsewhere" },
    [
      [
        "an order of ours is booked a second time as made elsewhere",
        "if (await isExplained(tx, order)) return false",
        "await isExplained(tx, order)",
      ],
    ],
  ),
  ...bugsIn(
    "src/store/purchases/advance.ts",
    { tests: ["src/store/purchases/purchases.test.ts"], only: "an advance" },
    [["an attempt's row is not written", "attemptSql(attempt, slot)", ""]],
  ),
  ...bugsIn(
    "src/store/purchases/advance.ts",
    { tests: ["src/store/purchases/purchases.test.ts"], only: "throws the person's stop" },
    [
      [
        "a breaker's stop is not written with the change that asks for it",
        "if (change.stopsUser) await stopUser(tx, userId, nowMs)",
        "void stopUser",
      ],
    ],
  ),
  ...bugsIn(
    "src/store/migrations/0005_append-only-books.sql",
    { tests: ["src/store/purchases/purchases.test.ts"], only: "refuse to be rewritten" },
    [
      [
        "the ledger can be rewritten",
        'BEFORE UPDATE OR DELETE ON "ledger',
        'BEFORE UPDATE OF "id" ON "ledger',
      ],
    ],
  ),
];
