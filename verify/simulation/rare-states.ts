/**
 * The states that many seeds together must reach, as named by trace counters; otherwise they prove less than
 * they seem to. A state that a change of the product makes unreachable fails the run.
 */
export const RARE_STATES: readonly string[] = [
  "submitting → unknown",
  "unknown → confirmed",
  "unknown → awaiting",
  "unknown → failed",
  "unknown → quarantine",
  "submitting → awaiting",
  "awaiting → confirmed",
  "awaiting → failed",
  "confirmed → cancelling",
  "confirmed → cancelled",
  "cancelling → cancelled",
  "cancelling → confirmed",
  "cancelling → cancel_unknown",
  "cancel_unknown → cancelled",
  "cancel_unknown → confirmed",
  "submitting → intent",
  "failed: stale",
  "failed: stopped",
  "failed: price_rose",
  "failed: limit_reached",
  "failed: rule_reached",
  "failed: sold",
  "failed: insufficient_funds",
  "failed: account_refused",
  "failed: rate_limited",
  "failed: not_confirmed",
  "failed: never_effective",
  "failed: marketplace_unavailable",
  "next in line",
  "second epoch",
  "simulated purchase",
  "external order",
  "overshoot",
  "seller blocked between match and intent",
  "seller blocked between intent and quote",
  "a place waited for and won",
  "bought for the next filter",
  "place freed by a refused confirmation",
  "place freed by a cancel after the end",
  "budget reached at the quote",
  "n lowered below taken",
  "stop: group",
  "stop: failures",
  "stop: max_purchases",
  "refused: price_unsure",
  "refused: too_good",
  "bought at a good price",
  "filter imported over one that buys",
  "held match resumed after a crash",
  "seller unknown at the deadline",
  "two of ours met at one listing",
  "lease takeover: intent",
  "lease takeover: submitting",
  "lease takeover: unknown",
  "lease takeover: awaiting",
  "breaker: one person",
  "breaker: everybody",
  "breaker: an account rests",
  "refresh lost",
  "refresh refused",
  "account connected anew",
  "lost commit answer",
  "crash",
  "crash while paying",
  "left after a takeover",
  "click: accepted",
  "click: already_bought",
  "click: taken_by_other",
  "click: price_rose",
  "click: limit_reached",
  "click: missing",
  "click: stopped",
  "click: failed",
  "click: marketplace_unavailable",
];

/** The smallest share of 320 hours (seeds from 40001) that reached a state, apart from those below. */
const USUAL_CHANCE = 0.057;
/** Measured shares of rarer states; even rarer ones are steered (plan-faults.ts). */
const CHANCES: ReadonlyMap<string, number> = new Map([
  ["left after a takeover", 0.0031],
  ["failed: insufficient_funds", 0.0063],
  ["click: price_rose", 0.0063],
  ["overshoot", 0.0219],
  ["lease takeover: intent", 0.0219],
  ["lease takeover: unknown", 0.0219],
  ["lease takeover: submitting", 0.025],
  ["failed: price_rose", 0.025],
  ["place freed by a refused confirmation", 0.0344],
  ["external order", 0.0375],
  ["cancel_unknown → confirmed", 0.0531],
]);

/** The probability with which a run may fail by chance alone for lack of one state. */
const MOST_LIKELY_MISS = 1e-6;
/** Halves the measured shares: the rarest state was met once in 320 hours. */
const BELIEVED_SHARE = 0.5;

function hoursToReach(state: string): number {
  const chance = (CHANCES.get(state) ?? USUAL_CHANCE) * BELIEVED_SHARE;
  return Math.ceil(Math.log(MOST_LIKELY_MISS) / Math.log(1 - chance));
}

/** @param hours the simulated hours of all seeds; with fewer hours fewer states are required */
export function unreached(counts: ReadonlyMap<string, number>, hours: number): readonly string[] {
  return RARE_STATES.filter((state) => !counts.has(state) && hours >= hoursToReach(state));
}
