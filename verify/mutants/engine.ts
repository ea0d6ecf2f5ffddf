import { swap, type Mutant } from "./mutant.ts";

/** What is done wrongly: calls at the wrong moment, turns, recovery. Caught against the real sandbox. */
const ATTEMPTS = "src/purchasing/attempts.ts";
const ENGINE = "src/purchasing/engine.ts";

export const engine: readonly Mutant[] = [
  {
    name: "the checkout is entered before the attempt is durable",
    patches: swap(
      ATTEMPTS,
      '  const submitted = await moves.move(intent, { kind: "submit", owner, leaseUntilMs });',
      '  await prepareQuote(deps, intent, settings);\n  const submitted = await moves.move(intent, { kind: "submit", owner, leaseUntilMs });',
    ),
    tests: ["src/purchasing/durable-first.test.ts"],
  },
  {
    name: "the paying request leaves before its commit",
    patches: swap(
      ATTEMPTS,
      "  const moved = await moves.move(record, quotedEvent(deps, record, { quote, transactionId }));",
      "  await pay(deps, record, quote);\n  const moved = await moves.move(record, quotedEvent(deps, record, { quote, transactionId }));",
    ),
    tests: ["src/purchasing/durable-first.test.ts"],
  },
  {
    name: "a cancel is asked for before the wish is durable",
    patches: swap(
      "src/purchasing/cancels.ts",
      "      const leaseUntilMs = deps.clock.nowMs() + CANCEL_LEASE_MS;",
      "      await request(deps, record, transactionId);\n      const leaseUntilMs = deps.clock.nowMs() + CANCEL_LEASE_MS;",
    ),
    tests: ["src/purchasing/durable-first.test.ts"],
  },
  {
    name: "the paying request is sent twice when its answer is lost",
    patches: swap(
      ATTEMPTS,
      "        return await checkout.pay(paying, quote.checkoutId, quote.checksum, notAfterMs);",
      "        return await checkout.pay(paying, quote.checkoutId, quote.checksum, notAfterMs).catch(() => checkout.pay(paying, quote.checkoutId, quote.checksum, notAfterMs));",
    ),
    tests: ["src/purchasing/payment-faults.test.ts"],
  },
  {
    name: "a payment leaves ten seconds after its commit",
    patches: swap(ATTEMPTS, "SEND_WITHIN_MS = 1_000", "SEND_WITHIN_MS = 10_000"),
    tests: ["src/purchasing/stops.test.ts"],
    only: "lets no automatic payment leave",
  },
  {
    name: "a connection that stands too late is used",
    patches: swap(
      "src/marketplace/exchange.ts",
      "if (error === null && connection.isTooLate()) {",
      "if (error === null && connection.isTooLate() && connection.isOpen) {",
    ),
    tests: ["src/marketplace/exchange.test.ts"],
  },
  {
    name: "the paying request waits for its turn after its commit",
    patches: swap(
      "src/marketplace/http-marketplace.ts",
      "...payingCalls(read, clock),",
      "...payingCalls(buy, clock),",
    ),
    tests: ["src/marketplace/http-marketplace.test.ts"],
  },
  {
    name: "a process that slept sends what it had prepared",
    patches: swap(
      ATTEMPTS,
      "if (clock.nowMs() > notAfterMs || deps.isStopping()",
      "if (notAfterMs === 0 || deps.isStopping()",
    ),
    tests: ["src/purchasing/crashes.test.ts"],
    only: "sleeps between",
  },
  {
    name: "an account buys before its orders were read",
    patches: swap(
      ENGINE,
      "accountReady: (userId) => readiness.ready(userId),",
      "accountReady: async () => undefined,",
    ),
    tests: ["src/purchasing/order-sweep.test.ts"],
    only: "keeps an account from buying",
  },
  {
    name: "nobody takes up what a dead process held",
    patches: swap(
      ENGINE,
      "if (deps.isSoleNode) await store.purchases.endForeignLeases(deps.owner, clock.nowMs());",
      "await Promise.resolve();",
    ),
    tests: ["src/purchasing/crashes.test.ts"],
    only: "pay .before the call",
  },
  {
    name: "Acquire is served before Thunder",
    patches: swap(
      "src/purchasing/lanes.ts",
      'readonly LaneName[] = ["thunder", "acquire"]',
      'readonly LaneName[] = ["acquire", "thunder"]',
    ),
    tests: ["src/purchasing/lanes.test.ts"],
  },
  {
    name: "Thunder waits in the store behind whatever Acquire asks",
    patches: swap(
      "src/purchasing/right-of-way.ts",
      "return await urgently(work);\n    } finally",
      "return await work();\n    } finally",
    ),
    tests: ["src/purchasing/right-of-way.test.ts"],
  },
  {
    name: "the store serves what is urgent in the order in which it came",
    patches: swap(
      "src/store/engines/turns.ts",
      "(isUrgent ? this.#urgent : this.#usual).push(begin);",
      "this.#usual.push(begin);",
    ),
    tests: ["src/store/engines/turns.test.ts"],
  },
  {
    name: "the store serves nobody else while anything urgent waits",
    patches: swap(
      "src/store/engines/turns.ts",
      "const letsPass = this.#urgentInARow >= MAX_URGENT_IN_A_ROW",
      "const letsPass = this.#urgentInARow >= Infinity",
    ),
    tests: ["src/store/engines/turns.test.ts"],
  },
  {
    name: "a person's wishes take more than three turns at once",
    patches: swap(
      "src/purchasing/occupancy.ts",
      "(runningOfUser.get(userId) ?? 0) < MAX_BEING_PAID",
      "(runningOfUser.get(userId) ?? 0) < 300",
    ),
    tests: ["src/purchasing/dispatcher.test.ts"],
  },
  {
    name: "a pickup point of the marketplace's own choice",
    patches: swap(
      "src/purchasing/delivery.ts",
      '    if (folded !== "" && found !== undefined) return found;\n  }\n  return null;',
      '    if (folded !== "" && found !== undefined) return found;\n  }\n  return points[0] ?? null;',
    ),
    tests: ["src/purchasing/delivery.test.ts"],
  },
  {
    name: "what is at fault never stops everybody",
    patches: swap(
      "src/purchasing/breaker.ts",
      "faults / requests > MAX_FAULT_SHARE",
      "faults / requests > 1",
    ),
    tests: ["src/purchasing/breaker.test.ts"],
  },
  {
    name: "books that contradict themselves stop nobody",
    patches: swap(
      "src/purchasing/guards.ts",
      'await purchases.setSwitch({ name: "auditor", isOn: true,',
      'await purchases.setSwitch({ name: "auditor", isOn: false,',
    ),
    tests: ["src/purchasing/stops.test.ts"],
    only: "books contradict",
  },
  {
    name: "a page of orders is taken for all of them",
    patches: swap(
      "src/purchasing/orders.ts",
      "if (number >= page.totalPages || isPast)",
      "if (number >= 1 || isPast)",
    ),
    tests: ["src/purchasing/orders.test.ts"],
  },
  {
    name: "a list of orders with a gap proves an absence",
    patches: swap(
      "src/purchasing/orders.ts",
      "    shownCount === expectedCount &&\n    distinct(pages).length === expectedCount",
      "    shownCount >= 0",
    ),
    tests: ["src/purchasing/orders.test.ts"],
  },
  {
    name: "an order of ours from before the account was connected anew is thrown away",
    patches: swap(
      "src/purchasing/order-sweep.ts",
      "(isOfBooks(order, tokens.connectedAtMs) || ofOrder.length > 0)",
      "isOfBooks(order, tokens.connectedAtMs)",
    ),
    tests: ["src/purchasing/order-sweep.test.ts"],
    only: "what we paid ourselves after all",
  },
  {
    name: "an order in another currency is booked by what no page says",
    patches: swap(
      "src/purchasing/order-sweep.ts",
      "return order.totalCents !== null && order",
      "return order",
    ),
    tests: ["src/purchasing/order-sweep.test.ts"],
    only: "another currency",
  },
  {
    name: "the orders of another account prove an absence",
    patches: swap(
      "src/purchasing/looks.ts",
      '  if (order === "not_found" && (await mayBeAnotherAccount(deps, record))) return { kind: "look_failed" };\n',
      "  void mayBeAnotherAccount;\n",
    ),
    tests: ["src/purchasing/order-sweep.test.ts"],
    only: "of another account",
  },
  {
    name: "an order from before the wish settles a doubt",
    patches: swap(
      "src/purchasing/looks.ts",
      ' && order.state !== "open" && mayBeOurs(record, order),',
      ' && order.state !== "open",',
    ),
    tests: ["src/purchasing/order-sweep.test.ts"],
    only: "made and cancelled before",
  },
  {
    name: "one order that the marketplace does not know keeps an account from buying",
    patches: swap(
      "src/purchasing/order-sweep.ts",
      "    if (!isNotFound(error)) throw error;\n    log.warn",
      "    if (error !== null) throw error;\n    log.warn",
    ),
    tests: ["src/purchasing/order-sweep.test.ts"],
    only: "does not know",
  },
  {
    name: "a click whose commit was not heard of is answered as failed",
    patches: swap(
      "src/purchasing/clicks.ts",
      "return isRepeated ? await asOpened(deps, asked) : asked;",
      "return asked;",
    ),
    tests: ["src/purchasing/store-breaks.postgres.test.ts"],
    only: "of a click",
    project: "postgres",
  },
  {
    name: "a change of a purchase that could not be told leaves the page as it was",
    patches: swap("src/realtime/purchase-data.ts", "      deps.cut(userId);\n", ""),
    tests: ["src/realtime/socket-ends.test.ts"],
    only: "cannot be sent",
  },
  {
    name: "a simulation goes to the checkout",
    patches: swap(
      "src/purchasing/wishes.ts",
      '  if (outcome.record.mode === "simulation") return "over";\n',
      "",
    ),
    tests: ["src/purchasing/engine.test.ts"],
    only: "of a simulation",
  },
  {
    name: "a start whose database is not up yet is not tried again later",
    patches: swap(
      "src/server/refusal-of.ts",
      'error instanceof StoreError && error.code === "unreachable" ? error.message : null',
      'error instanceof StoreError && error.code === "closed" ? error.message : null',
    ),
    tests: ["src/server/main.test.ts"],
    only: "does not answer yet",
  },
];
