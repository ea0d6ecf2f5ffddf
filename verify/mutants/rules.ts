import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

const RULES_SUITE = ["src/store/purchases/purchases.test.ts"];

/** Bugs in groups and purchase rules: what occupies a place, what counts against a limit, what ends. */
export const rules: readonly Mutant[] = [
  ...bugsIn("src/purchasing/decide/rules.ts", BESIDE, [
    [
      "a filter's number that was lowered does not bind what is under way",
      'if (isFull(maxPurchases, taken)) return "filter_full";',
      "",
    ],
    [
      "only confirmed purchases take a place",
      "firstReached(facts.group, facts.taken, terms, wish)",
      "firstReached(facts.group, facts.paid, terms, wish)",
    ],
    [
      "a group buys one more than it says",
      "sums.groupCount + 1 > group.maxPurchases",
      "sums.groupCount > group.maxPurchases",
    ],
    ["hours and days are those of UTC", 'timeZone: "Europe/Paris"', 'timeZone: "UTC"'],
    ["a night belongs to the day on which it ends", "beganYesterday ? ((day + 5) % 7) + 1 : day", "day"],
    [
      "a wish never waits for a place that may become free",
      "terms, wish) === null)\n",
      "terms, wish) === undefined)\n",
    ],
    ["a budget binds simulations", 'mode === "live" && budgetEur !== null', "budgetEur !== null"],
  ]),
  ...bugsIn(
    "src/purchasing/decide/attempt-transitions.ts",
    { tests: ["src/purchasing/decide/rule-transitions.test.ts"] },
    [
      [
        "a group's budget does not cover the shipping",
        "isAgainstRules(record, at, event.totalCents)",
        "isAgainstRules(record, at, event.itemTotalCents)",
      ],
      [
        "a purchase of a group that is gone is paid",
        "at.facts.ruleFacts.group === null;",
        "at.facts.filter === null;",
      ],
      [
        "a click is bound by the rules of a filter",
        'source !== "auto" || facts.filter === null) return false',
        'facts.filter === null) return source === "click"',
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/decide/change.ts",
    { tests: ["src/purchasing/decide/rule-transitions.test.ts"] },
    [
      [
        "an order that is undone months later counts as a failure",
        "nowMs - decidedAtMs <= SETBACK_WITHIN_MS",
        "nowMs > 0",
      ],
      ["being late counts as a failure", "SETBACKS.has(reason) &&", ""],
    ],
  ),
  ...bugsIn("src/purchasing/decide/admit.ts", BESIDE, [
    [
      "a price below the floor is bought",
      "wish.totalPriceCents < capCents(filter.priceFloorEur)",
      "wish.totalPriceCents < 0",
    ],
  ]),
  ...bugsIn(
    "src/store/sql/facts.sql",
    { tests: RULES_SUITE, only: "are decided with counts of taken places" },
    [
      [
        "a doubtful purchase frees its place in the group",
        "where p.group_id = g.id and p.mode = w.mode\n      and p.state not in ('failed', 'cancelled')",
        "where p.group_id = g.id and p.mode = w.mode\n      and p.state not in ('failed', 'cancelled', 'unknown', 'intent')",
      ],
      [
        "a purchase is counted twice at its own quote",
        "where p.group_id = g.id and p.mode = w.mode\n      and p.state not in ('failed', 'cancelled') and p.id is distinct from a.purchase_id",
        "where p.group_id = g.id and p.mode = w.mode\n      and p.state not in ('failed', 'cancelled')",
      ],
    ],
  ),
  ...bugsIn("src/store/sql/move.sql", { tests: RULES_SUITE }, [
    [
      "the end of a group leaves its other filters on",
      "f.is_autobuy and (f.group_id = g.id or f.id = o.id)",
      "f.is_autobuy and f.id = coalesce(o.id, (select filter_id from moved))",
      { only: "end a group with the purchase" },
    ],
    [
      "failures from before autobuy was switched on count",
      "          and p.decided_at_ms >= coalesce(f.autobuy_since_ms, 0)) then 'failures'",
      ") then 'failures'",
      { only: "end a filter by its failures" },
    ],
    [
      "an end is not in the audit",
      "from stops s cross join next n",
      "from stops s cross join next n where false",
      { only: "end a group with the purchase" },
    ],
  ]),
  ...bugsIn(
    "src/store/migrations/0015_buying-rules.sql",
    { tests: RULES_SUITE, only: "invalidate a decision that is made while a group changes" },
    [
      [
        "a group that changed outdates no decision",
        'CREATE TRIGGER "groups_version" AFTER UPDATE ON "groups" REFERENCING NEW TABLE AS "changed"\n  FOR EACH STATEMENT',
        'CREATE TRIGGER "groups_version" AFTER UPDATE ON "groups" REFERENCING NEW TABLE AS "changed"\n  FOR EACH STATEMENT WHEN (false)',
      ],
    ],
  ),
  ...bugsIn("src/store/market/filter-rows.ts", { tests: RULES_SUITE, only: "stay ended when a page saves" }, [
    [
      "a page that read a filter before its end switches it on again",
      "and not ${hasEnded})",
      "or ${hasEnded})",
    ],
    [
      "a filter that has bought all it may is switched on again",
      "f.max_purchases <= of_filter.n",
      "f.max_purchases < of_filter.n",
      { only: "stay ended when a filter is switched on again" },
    ],
    [
      "what a filter matched in simulation precedes no beginning of its automatic buying",
      "case when ${beginsToPay} then",
      "case when ${beginsToPay} and false then",
      { only: "begin anew" },
    ],
  ]),
  ...bugsIn(
    "src/store/market/groups.ts",
    { tests: RULES_SUITE, only: "stay ended when a filter is switched on" },
    [
      [
        "a group that becomes complete by an edit goes on buying",
        "await endAutobuyAtLimit(tx, group.userId, nowMs);",
        "",
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/reconcile/order-sweep.ts",
    { tests: ["src/purchasing/reconcile/order-sweep.test.ts"], only: "by its filter" },
    [
      [
        "an order that was paid after all counts for no filter",
        "filterId: paidBy?.filterId ?? null",
        "filterId: null",
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/queue/dispatcher.ts",
    { tests: ["src/purchasing/queue/rules.test.ts"], only: "tries the second" },
    [
      [
        "a wish that waits for a place is forgotten",
        "occupancy.wait(wish, outcome.waitsFor);\n      lanes.giveBack(wish);",
        "occupancy.wait(wish, outcome.waitsFor);\n      lanes.finish(wish);",
      ],
    ],
  ),
];
