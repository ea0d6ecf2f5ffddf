import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

/** Bugs in the purchase engine: timing of calls, turns, recovery. Caught against the real sandbox. */
export const engine: readonly Mutant[] = [
  ...bugsIn("src/store/purchases/decisions.ts", { tests: ["src/purchasing/attempt/durable-first.test.ts"] }, [
    [
      "the checkout is entered before the attempt is durable",
      "const results = await operations.open(decided.map(({ opening }) => opening))",
      "setTimeout(() => void operations.open(decided.map(({ opening }) => opening)), 50);\n  const results: OpenResult[] = decided.map(() => ({ kind: 'opened', stops: [] }))",
    ],
    [
      "a click that waits for another write about its person is told of another buyer",
      'for (const { reject } of waiting) reject(new StoreError("overloaded", TOO_BUSY))',
      'for (const { resolve } of waiting) resolve({ kind: "conflict" })',
      { tests: ["src/purchasing/nodes.postgres.test.ts"], only: "let a click wait", project: "postgres" },
    ],
  ]),
  ...bugsIn(
    "src/purchasing/attempt/attempts.ts",
    { tests: ["src/purchasing/attempt/durable-first.test.ts"] },
    [
      [
        "the paying request leaves before its commit",
        "const moved = await moves.move(record, quotedEvent",
        "await pay(deps, { record, quote, snapshot });\n  const moved = await moves.move(record, quotedEvent",
      ],
      [
        "the paying request is sent twice when its answer is lost",
        "checksum, notAfterMs)",
        "checksum, notAfterMs).catch(() => checkout.pay(paying, quote.checkoutId, quote.checksum, notAfterMs))",
        { tests: ["src/purchasing/attempt/payment-faults.test.ts"] },
      ],
      [
        "a payment leaves ten seconds after its commit",
        "SEND_WITHIN_MS = 1_000",
        "SEND_WITHIN_MS = 10_000",
        { tests: ["src/purchasing/account/stops.test.ts"], only: "lets no automatic payment leave" },
      ],
      [
        "a process that slept sends what it had prepared",
        "clock.nowMs() > notAfterMs",
        "notAfterMs === 0",
        { tests: ["src/purchasing/crashes.test.ts"], only: "does not send it when it wakes" },
      ],
      [
        "a further attempt ships to the address of the first",
        "await openedAgain(deps, { record: end.record, snapshot: null })",
        "{ ...opened, record: end.record, snapshot: null }",
        { tests: ["src/purchasing/attempt/terms-meanwhile.test.ts"], only: "ships to" },
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/reconcile/cancels.ts",
    { tests: ["src/purchasing/attempt/durable-first.test.ts"] },
    [
      [
        "a cancel is asked for before the wish is durable",
        "const leaseUntilMs",
        "await request(deps, { record, transactionId, notAfterMs: Infinity });\n      const leaseUntilMs",
      ],
      [
        "a cancel is sent by a process that was counted out",
        "clock.nowMs() > notAfterMs || !isAlive()",
        "clock.nowMs() > notAfterMs",
        { tests: ["src/purchasing/crashes.test.ts"], only: "it was counted out" },
      ],
    ],
  ),
  ...bugsIn("src/marketplace/http-marketplace.ts", BESIDE, [
    [
      "a cancel is sent after its lease ended",
      "const isTooLate = (): boolean => clock.nowMs() > notAfterMs",
      "const isTooLate = (): boolean => false",
    ],
  ]),
  ...bugsIn("src/marketplace/exchange.ts", BESIDE, [
    [
      "a connection that stands too late is used",
      "connection.isTooLate()",
      "connection.isTooLate() && connection.isOpen",
    ],
  ]),
  ...bugsIn(
    "src/purchasing/engine.ts",
    { tests: ["src/purchasing/reconcile/order-sweep.test.ts"], only: "keeps an account from buying" },
    [
      [
        "an account buys before its orders were read",
        "(userId, connectedAtMs) => readiness.ready(userId, connectedAtMs)",
        "async () => undefined",
      ],
      [
        "nobody takes up what a dead process held",
        "if (deps.isSoleNode) await store.purchases.endForeignLeases(deps.owner, clock.nowMs()",
        "await Promise.resolve(",
        { tests: ["src/purchasing/crashes.test.ts"], only: "pay .before the call" },
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/account/account-readiness.ts",
    { tests: ["src/purchasing/account/account-readiness.test.ts"], only: "was not announced yet" },
    [
      [
        "the orders of one account count as those of another",
        "(await known) === connectedAtMs",
        "(await known) >= 0",
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/account/account-sessions.ts",
    { tests: ["src/purchasing/account/account-sessions.test.ts"], only: "connected since" },
    [
      [
        "a checkout is paid from another account",
        "connectedAtMs !== undefined && tokens.connectedAtMs !== connectedAtMs",
        "connectedAtMs === -1",
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/reconcile/order-sweep.ts",
    { tests: ["src/purchasing/account/account-readiness.test.ts"], only: "had to be reconnected" },
    [
      [
        "an account counts as read although it had to be reconnected",
        'throw new MarketplaceError("session_refused")',
        "return { orders: [], isComplete: !isNaN(0), baselineMs: 0, connectedAtMs: before?.connectedAtMs ?? 0 }",
      ],
      [
        "earlier orders of an account that is connected during a sweep are recorded as made since",
        "if (after?.connectedAtMs !== before.connectedAtMs)",
        "if (after === undefined)",
        { tests: ["src/purchasing/reconcile/order-sweep.test.ts"], only: "in place of another" },
      ],
    ],
  ),
  ...bugsIn("src/purchasing/queue/dispatcher.ts", BESIDE, [
    ["Acquire is served before Thunder", 'thunder", "acquire', 'acquire", "thunder'],
    ["Acquire goes on although Thunder came while it gave way", "return isThunderNext;", "return false;"],
    [
      "a wish that is being served outlives a change of its filter",
      "lanes.forget((wish) =>",
      "lanes.drop((wish) =>",
    ],
  ]),
  ...bugsIn("src/purchasing/attempt/prepare-quote.ts", BESIDE, [
    [
      "a pickup point of the marketplace's own choice",
      'if (folded !== "" && found !== undefined) return found;\n  }\n  return null',
      'if (folded !== "" && found !== undefined) return found;\n  }\n  return points[0] ?? null',
    ],
  ]),
  ...bugsIn("src/purchasing/account/breaker.ts", BESIDE, [
    ["what is at fault never stops everybody", "requests > MAX_FAULT_SHARE", "requests > 1"],
    [
      "books that contradict themselves stop nobody",
      'await purchases.setSwitch({ name: "auditor", isOn: true',
      'await purchases.setSwitch({ name: "auditor", isOn: false',
      { tests: ["src/purchasing/account/stops.test.ts"], only: "failed ledger audit" },
    ],
  ]),
  ...bugsIn("src/purchasing/reconcile/orders.ts", BESIDE, [
    ["a page of orders is taken for all of them", "page.totalPages", "1"],
    ["one old order ends the reading of the orders", "page.orders.every(", "page.orders.some("],
    [
      "a list of orders with a gap proves an absence",
      "=== expectedCount &&\n    distinct(pages).length === expectedCount",
      ">= 0",
    ],
  ]),
  ...bugsIn(
    "src/purchasing/reconcile/order-check.ts",
    { tests: ["src/purchasing/reconcile/order-sweep.test.ts"] },
    [
      [
        "the orders of another account prove an absence",
        'if (order === "not_found" && (await mayBeAnotherAccount(deps, record))) return { kind: "check_failed" }',
        "void mayBeAnotherAccount",
        { only: "of another account" },
      ],
      [
        "a clock that jumps forward shortens the wait for a proof",
        "return Math.min(clock.nowMs(), sinceMs + Math.trunc(lookedAtMs - first.lookedAtMs))",
        "return clock.nowMs()",
        { tests: ["src/purchasing/reconcile/clock-steps.test.ts"], only: "jumps forward" },
      ],
      [
        "an order from before the wish settles a doubt",
        '" && mayBeThisPurchases(record, order)',
        '"',
        { only: "made and cancelled before" },
      ],
      [
        "a cancelled order that the bank never charged uses up limits",
        'return { ...order, state: "failed" }',
        "return order",
        { tests: ["src/purchasing/attempt/payment-faults.test.ts"], only: "bank never charged" },
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/attempt/clicks.ts",
    { tests: ["src/purchasing/store-breaks.postgres.test.ts"], only: "of a click", project: "postgres" },
    [
      [
        "a click whose commit was not heard of is answered as failed",
        "const opening = { ...wish,",
        "const opening = { ...wish, get id() { return newPurchaseId(deps); },",
      ],
    ],
  ),
  ...bugsIn(
    "src/purchasing/queue/wishes.ts",
    { tests: ["src/purchasing/engine.test.ts"], only: "of a simulation" },
    [["a simulation goes to the checkout", 'if (outcome.record.mode === "simulation") return "over";', ""]],
  ),
];
