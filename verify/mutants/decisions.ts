import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

const DECIDE = ["src/purchasing/decide/decide.test.ts", "src/purchasing/decide/decide-unknown.test.ts"];

/** Bugs in decisions, from the intent to the end of a purchase. */
export const decisions: readonly Mutant[] = [
  ...bugsIn("src/purchasing/decide/change.ts", { tests: DECIDE }, [
    [
      "a doubtful payment gives its hold back",
      'state: "unknown",\n    hadUnknownOutcome',
      'state: "unknown",\n    holdCents: 0,\n    hadUnknownOutcome',
    ],
    [
      "what was charged beyond the hold is hidden",
      "return overshootCents > 0",
      "return overshootCents > 1e9",
    ],
    ["an overshoot does not stop the person's purchases", ": overshootCents > 0", ": false"],
    [
      "one read without the order proves its absence",
      "NEGATIVE_READS_NEEDED = 3",
      "NEGATIVE_READS_NEEDED = 1",
    ],
    ["reads count before the longest time to effect is over", "sinceMs + reconcileMs", "sinceMs"],
    ["three reads at one moment prove an absence", "return reconcileMs / 10;", "return 0;"],
  ]),
  ...bugsIn("src/purchasing/decide/attempt-transitions.ts", { tests: DECIDE }, [
    [
      "a doubtful payment counts as failed",
      "becomeUnknown(record, at, event.evidence",
      'fail(record, at, "payment_refused"',
    ],
    [
      "a takeover sends again what may have been sent",
      'if (record.attemptPhase === "paying") return becomeUnknown(record, at, { cause: "lease_ended" });',
      "",
    ],
    [
      "the listing's price is held against the cap instead of the quote's",
      "event.itemTotalCents > capCentsNow(record, at)",
      "record.listing.totalPriceCents > record.priceCapCents",
    ],
    [
      "a filter's lowered limit does not bind a purchase under way",
      "Math.min(priceCapCents, capCents(facts.filter.priceCapEur))",
      "priceCapCents",
    ],
    ["a filter that was off meanwhile pays", "filter.activatedAtMs <= wishedAtMs", "wishedAtMs > 0"],
    [
      "a filter that was edited meanwhile pays",
      "(filter.criteriaSinceMs ?? 0) > decidedAtMs",
      "decidedAtMs < 0",
    ],
    ["a click that its person was told to try again is paid later", "|| isUnacknowledgedClick(record)", ""],
    [
      "the switch is not read again before paying",
      'if (isStopped(record, at)) return fail(record, at, "stopped", atCheckout);',
      "",
    ],
    [
      "a seller who was blocked after the intent is paid",
      "facts.isAccountStopped || facts.isSellerBlocked) return true",
      "facts.isAccountStopped) return true",
    ],
    [
      "a stale wish is still bought",
      'if (isStale(record, at.nowMs)) return fail(record, at, "stale");\n  const',
      "const",
    ],
    [
      "a second quote of the same attempt may pay too",
      'isOfAttempt(record, event) || record.attemptPhase !== "preparing") return null;\n  if',
      "isOfAttempt(record, event)) return null;\n  if",
    ],
    ["the hold stays at the item's price when the quote is higher", "holdCents: event.totalCents,", ""],
    [
      "whoever lost the lease may still pay",
      "if (record.leaseOwner !== event.owner) return null;\n  const",
      "const",
    ],
    ["'sold' is believed after a doubt", "record.hadUnknownOutcome", "false"],
    ["attempts have no end", "record.attemptCount < MAX_ATTEMPTS && !", "!"],
  ]),
  ...bugsIn("src/purchasing/decide/watch-transitions.ts", { tests: DECIDE }, [
    [
      "a failed order settles a doubt at once",
      "return negative(record, event, at, () =>\n    order",
      "return ((_r: unknown, _e: unknown, _a: unknown, settle: () => Change) => settle())(record, event, at, () =>\n    order",
    ],
    [
      "a doubt that lasts frees its money instead of asking a person",
      'watching(record, at, { state: "quarantine", watch }',
      'fail(record, at, "never_effective"',
    ],
    [
      "a cancel that was asked for counts as granted",
      'state === "cancelled" || order.state === "failed',
      'cancellation !== "none',
    ],
    [
      "an order that still awaits the bank without a link counts as failed",
      'state !== "awaiting"',
      "confirmUrl === null",
    ],
    [
      "an order that was charged and cancelled while the bank was asked counts as never confirmed",
      'if (order.state === "cancelled") return confirmedAndCancelled(record, at, order);',
      "",
    ],
  ]),
  ...bugsIn("src/purchasing/decide/admit.ts", BESIDE, [
    [
      "a final purchase is bought again without a click",
      ".mode === mode",
      ".mode === mode && !isOver(record.state)",
    ],
    [
      "a seller is looked up at the match alone, not at the intent",
      '  if (facts.isSellerBlocked) return refuse({ kind: "seller_blocked" });\n  const priceRefusal',
      "  const priceRefusal",
    ],
    [
      "a click buys from a blocked seller",
      '  if (facts.isSellerBlocked) return refuse({ kind: "seller_blocked" });\n  if (wish.totalPriceCents > wish.priceCapCents)',
      "  if (wish.totalPriceCents > wish.priceCapCents)",
    ],
    ["a fourth purchase is paid beside three", "beingPaidCount >=", "beingPaidCount >"],
    [
      "a filter buys what was matched before it was switched on",
      "null &&\n    filter.activatedAtMs <= wish.matchedAtMs",
      "null",
    ],
    [
      "a filter buys what it matched before it was edited",
      "(filter.criteriaSinceMs ?? 0) <= (wish.heldAgainAtMs ?? wish.matchedAtMs)",
      "wish.matchedAtMs > 0",
    ],
    ["what a filter wished in simulation is paid", "    filter.isSimulation === wish.isSimulation &&\n", ""],
  ]),
  ...bugsIn("src/purchasing/decide/limits.ts", BESIDE, [
    ["what is held does not count against the limits", "heldCents + totals.", ""],
    ["one purchase a day too many", "day.purchases + 1 >", "day.purchases >"],
    ["days end at midnight in UTC", 'timeZone: "Europe/Paris"', 'timeZone: "UTC"'],
  ]),
];
