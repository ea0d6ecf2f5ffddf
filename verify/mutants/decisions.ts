import { swap, type Mutant } from "./mutant.ts";

/** What is decided wrongly: from the intent to the end of a purchase. */
const ATTEMPT = "src/purchasing/attempt-transitions.ts";
const WATCH = "src/purchasing/watch-transitions.ts";
const SCHEDULE = "src/purchasing/watch-schedule.ts";
const CHANGE = "src/purchasing/change.ts";
const ADMIT = "src/purchasing/admit.ts";
const LIMITS = "src/purchasing/limits.ts";
const DECIDE = ["src/purchasing/decide.test.ts", "src/purchasing/decide-doubt.test.ts"];

export const decisions: readonly Mutant[] = [
  {
    name: "a doubtful payment gives its hold back",
    patches: swap(
      CHANGE,
      '    state: "unknown",\n    hadDoubt: true,',
      '    state: "unknown",\n    holdCents: 0,\n    hadDoubt: true,',
    ),
    tests: DECIDE,
  },
  {
    name: "a doubtful payment counts as failed",
    patches: swap(
      ATTEMPT,
      "  return doubt(record, at, event.evidence);",
      '  return fail(record, at, "payment_refused");',
    ),
    tests: DECIDE,
  },
  {
    name: "a takeover sends again what may have been sent",
    patches: swap(
      ATTEMPT,
      '  if (record.attemptPhase === "paying") return doubt(record, at, { cause: "lease_ended" });\n',
      "",
    ),
    tests: DECIDE,
  },
  {
    name: "the listing's price is held against the cap instead of the quote's",
    patches: swap(
      ATTEMPT,
      "if (event.itemTotalCents > capCentsNow(record, at))",
      "if (record.listing.totalPriceCents > record.priceCapCents)",
    ),
    tests: DECIDE,
  },
  {
    name: "a filter's lowered limit does not bind a purchase under way",
    patches: swap(
      ATTEMPT,
      "return Math.min(priceCapCents, capCents(facts.filter.priceCapEur));",
      "return priceCapCents;",
    ),
    tests: DECIDE,
  },
  {
    name: "a filter that was off meanwhile pays",
    patches: swap(
      ATTEMPT,
      "return filter.activatedAtMs !== null && filter.activatedAtMs <= wishedAtMs;",
      "return filter.activatedAtMs !== null && wishedAtMs > 0;",
    ),
    tests: DECIDE,
  },
  {
    name: "a filter that only simulates meanwhile pays",
    patches: swap(ATTEMPT, " || filter.isSimulation) return false;", ") return false;"),
    tests: DECIDE,
  },
  {
    name: "a click that its person was told to try again is paid later",
    patches: swap(ATTEMPT, " || isUnheardClick(record)) return", ") return"),
    tests: DECIDE,
  },
  {
    name: "the switch is not read again before paying",
    patches: swap(
      ATTEMPT,
      '  if (isStopped(record, at)) return fail(record, at, "stopped", atCheckout);\n',
      "",
    ),
    tests: DECIDE,
  },
  {
    name: "the switch is not read when the attempt begins",
    patches: swap(ATTEMPT, '  if (isStopped(record, at)) return fail(record, at, "stopped");\n', ""),
    tests: DECIDE,
  },
  {
    name: "a stale wish is still bought",
    patches: swap(
      ATTEMPT,
      '  if (isStale(record, at.nowMs)) return fail(record, at, "stale");\n  const n',
      "  const n",
    ),
    tests: DECIDE,
  },
  {
    name: "a second quote of the same attempt may pay too",
    patches: swap(
      ATTEMPT,
      'isOfAttempt(record, event) || record.attemptPhase !== "preparing") return null;\n  if (record.leaseOwner',
      "isOfAttempt(record, event)) return null;\n  if (record.leaseOwner",
    ),
    tests: DECIDE,
  },
  {
    name: "the hold stays at the item's price when the quote is higher",
    patches: swap(ATTEMPT, "      holdCents: event.totalCents,\n", ""),
    tests: DECIDE,
  },
  {
    name: "whoever lost the lease may still pay",
    patches: swap(
      ATTEMPT,
      "  if (record.leaseOwner !== event.owner) return null;\n  const atCheckout",
      "  const atCheckout",
    ),
    tests: DECIDE,
  },
  {
    name: "'sold' is believed after a doubt",
    patches: swap(
      ATTEMPT,
      'failure.reason === "sold" && record.hadDoubt',
      'failure.reason === "sold" && false',
    ),
    tests: DECIDE,
  },
  {
    name: "an attempt is made before the marketplace allows it again",
    patches: swap(
      ATTEMPT,
      "if (record.leaseOwner !== event.owner || at.nowMs < record.notBeforeMs) return null;",
      "if (record.leaseOwner !== event.owner) return null;",
    ),
    tests: DECIDE,
  },
  {
    name: "attempts have no end",
    patches: swap(ATTEMPT, "record.attemptCount < MAX_ATTEMPTS && !isStale", "!isStale"),
    tests: DECIDE,
  },
  {
    name: "one read without the order proves its absence",
    patches: swap(SCHEDULE, "NEGATIVE_READS_NEEDED = 3", "NEGATIVE_READS_NEEDED = 1"),
    tests: DECIDE,
  },
  {
    name: "reads count before the longest time to effect is over",
    patches: swap(SCHEDULE, "return watch.sinceMs + reconcileMs;", "return watch.sinceMs;"),
    tests: DECIDE,
  },
  {
    name: "three reads at one moment prove an absence",
    patches: swap(SCHEDULE, "return reconcileMs / 10;", "return 0;"),
    tests: DECIDE,
  },
  {
    name: "a failed order settles a doubt at once",
    patches: swap(
      WATCH,
      '  return negative(record, event, at, () =>\n    order.state === "cancelled"',
      '  return ((_r: unknown, _e: unknown, _a: unknown, settle: () => Change) => settle())(record, event, at, () =>\n    order.state === "cancelled"',
    ),
    tests: DECIDE,
  },
  {
    name: "a doubt that lasts frees its money instead of asking a person",
    patches: swap(
      WATCH,
      'if (record.state === "unknown" && isLong) return watching(record, at, { state: "quarantine", watch });',
      'if (record.state === "unknown" && isLong) return fail(record, at, "never_effective");',
    ),
    tests: DECIDE,
  },
  {
    name: "a cancel that was asked for counts as granted",
    patches: swap(
      WATCH,
      'if (order.state === "cancelled" || order.state === "failed") return cancelled(record, at);\n  if (order.cancellation',
      'if (order.cancellation !== "none") return cancelled(record, at);\n  if (order.cancellation',
    ),
    tests: DECIDE,
  },
  {
    name: "an order that still awaits the bank without a link counts as failed",
    patches: swap(
      WATCH,
      'if (order.state !== "awaiting") return fail(record, at, "not_confirmed");',
      'if (order.confirmUrl === null) return fail(record, at, "not_confirmed");',
    ),
    tests: DECIDE,
  },
  {
    name: "what was charged beyond the hold is hidden",
    patches: swap(
      CHANGE,
      "return overshootCents > 0 ? [capture, {",
      "return overshootCents > 1e9 ? [capture, {",
    ),
    tests: DECIDE,
  },
  {
    name: "an overshoot does not stop the person's purchases",
    patches: swap(CHANGE, "stopsUser: overshootCents > 0 };", "stopsUser: false };"),
    tests: DECIDE,
  },
  {
    name: "doubts never throw the person's stop",
    patches: swap(CHANGE, "DOUBTS_THAT_STOP = 3", "DOUBTS_THAT_STOP = 300"),
    tests: DECIDE,
  },
  {
    name: "a final purchase is bought again without a click",
    patches: swap(
      ADMIT,
      "facts.own.find((record) => record.mode === mode);",
      "facts.own.find((record) => record.mode === mode && !isOver(record.state));",
    ),
    tests: ["src/purchasing/admit.test.ts"],
  },
  {
    name: "a fourth purchase is paid beside three",
    patches: swap(ADMIT, "facts.beingPaidCount >= MAX_BEING_PAID", "facts.beingPaidCount > MAX_BEING_PAID"),
    tests: ["src/purchasing/admit.test.ts"],
  },
  {
    name: "a filter buys what was matched before it was switched on",
    patches: swap(
      ADMIT,
      "    filter.activatedAtMs !== null &&\n    filter.activatedAtMs <= wish.matchedAtMs",
      "    filter.activatedAtMs !== null",
    ),
    tests: ["src/purchasing/admit.test.ts"],
  },
  {
    name: "what is held does not count against the limits",
    patches: swap(LIMITS, "return totals.heldCents + totals.capturedCents", "return totals.capturedCents"),
    tests: ["src/purchasing/limits.test.ts"],
  },
  {
    name: "one purchase a day too many",
    patches: swap(
      LIMITS,
      "day.purchases + 1 > limits.purchasesPerDay",
      "day.purchases > limits.purchasesPerDay",
    ),
    tests: ["src/purchasing/limits.test.ts"],
  },
  {
    name: "a lowered number of purchases a day does not bind the one under way",
    patches: swap(LIMITS, "    day.purchases <= limits.purchasesPerDay &&\n", ""),
    tests: DECIDE,
  },
  {
    name: "days end at midnight in UTC",
    patches: swap(LIMITS, 'timeZone: "Europe/Paris"', 'timeZone: "UTC"'),
    tests: ["src/purchasing/limits.test.ts"],
  },
];
