import { bugsIn, type Mutant } from "./mutant.ts";

/** Bugs in the purchase store: rows, locks, budgets, the ledger. */
export const ledger: readonly Mutant[] = [
  ...bugsIn("src/store/migrations/0000_initial.sql", { tests: ["src/store/purchases/purchases.test.ts"] }, [
    [
      "two of our people may race for one listing: no unique index",
      'CREATE UNIQUE INDEX "purchases_one_live_per_listing',
      'CREATE INDEX "purchases_one_live_per_listing',
      { only: "conflict with a unique index" },
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
      { only: "refused by a constraint" },
    ],
  ]),
  ...bugsIn("src/store/sql/open.sql", { tests: ["src/store/purchases/purchases.postgres.test.ts"] }, [
    [
      "a purchase is opened whatever has changed of its person",
      "where b.version = w.version and",
      "where",
      { only: "invalidate a decision taken before", project: "postgres" },
    ],
    [
      "a purchase is opened whatever switch was thrown",
      "version = $2 for share",
      "version >= coalesce($2, 0) * 0 for share",
      { only: "invalidate a decision taken before", project: "postgres" },
    ],
    [
      "an opening does not count towards what others have read",
      "version = b.version + 1 from opened",
      "version = b.version from opened",
      { only: "of several processes about one person", project: "postgres" },
    ],
  ]),
  ...bugsIn(
    "src/store/migrations/0011_blocked-sellers.sql",
    { tests: ["src/store/purchases/purchases.test.ts"], only: "invalidate a decision taken before" },
    [
      [
        "a block outdates no decision",
        'NEW TABLE AS "changed"\n  FOR EACH STATEMENT',
        'NEW TABLE AS "changed"\n  FOR EACH STATEMENT WHEN (false)',
      ],
    ],
  ),
  ...bugsIn("src/store/sql/facts.sql", { tests: ["src/store/purchases/purchases.postgres.test.ts"] }, [
    [
      "a seller who is blocked by login is bought from",
      "and k.folded_login = a.seller_login",
      "and false",
      { only: "is known to intents", project: "postgres" },
    ],
  ]),
  ...bugsIn("src/store/sql/move.sql", { tests: ["src/store/purchases/purchases.postgres.test.ts"] }, [
    [
      "a step is written whatever has changed of its person",
      "b.version = n.version and",
      "",
      { only: "invalidate a decision taken before", project: "postgres" },
    ],
    [
      "a step is written over another one",
      "and p.revision = n.revision",
      "",
      { only: "before its lease was ended", project: "postgres" },
    ],
    [
      "an attempt's row is not written",
      "where a.started_at_ms is not null",
      "where false",
      { only: "an advance", project: "postgres" },
    ],
    [
      "a breaker's stop is not written with the change that asks for it",
      "where n.stops_user and s.user_id = m.user_id and",
      "where not n.stops_user and s.user_id = m.user_id and",
      { only: "sets the person's stop", project: "postgres" },
    ],
    [
      "the ledger does not hear of what is released",
      "  order by l.n",
      "  where l.kind <> 'release'\n  order by l.n",
      { tests: ["src/purchasing/engine.test.ts"], only: "never pays more for the item" },
    ],
    [
      "a filter buys beyond its own maximum",
      "f.max_purchases <= 1 +",
      "f.max_purchases < 1 +",
      { only: "with the purchase that reaches its maximum", project: "postgres" },
    ],
  ]),
  ...bugsIn(
    "src/store/migrations/0009_purchase-versions.sql",
    { tests: ["src/store/purchases/purchases.test.ts"], only: "invalidate a decision taken before" },
    [
      [
        "a stop switch outdates no decision",
        'CREATE TRIGGER "stop_switches_version" AFTER INSERT OR UPDATE',
        'CREATE TRIGGER "stop_switches_version" AFTER TRUNCATE',
      ],
      ["the person's own stop outdates no decision", "WHEN (NEW.* IS DISTINCT FROM OLD.*)", "WHEN (false)"],
    ],
  ),
  ...bugsIn("src/store/purchases/operations.ts", { tests: ["src/purchasing/engine.test.ts"] }, [
    [
      "a refund re-opens the day's limit",
      "external: 1, refund: 0 }",
      "external: 1, refund: -1 }",
      { only: "re-opens no limit" },
    ],
  ]),
  ...bugsIn(
    "src/store/purchases/purchases.ts",
    { tests: ["src/store/purchases/purchases.test.ts"], only: "contradicts its ledger" },
    [
      [
        "the books are never compared",
        "...(row.budget === row.ledger",
        "...(row.budget === row.ledger || row.period !== ''",
      ],
      [
        "an order of ours is booked a second time as made elsewhere",
        "if (await isExplained(tx, order)) return null",
        "await isExplained(tx, order)",
        { tests: ["src/store/purchases/purchases.test.ts"], only: "orders made outside" },
      ],
    ],
  ),
  ...bugsIn(
    "src/store/migrations/0005_append-only-books.sql",
    { tests: ["src/store/purchases/purchases.test.ts"], only: "are append-only" },
    [
      [
        "the ledger can be rewritten",
        'BEFORE UPDATE OR DELETE ON "ledger',
        'BEFORE UPDATE OF "id" ON "ledger',
      ],
    ],
  ),
];
