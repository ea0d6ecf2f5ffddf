/**
 * What a run of many seeds must have reached, or it proves less than it seems to: names as the trace counts them.
 * A change of the product that makes one of them unreachable is news that somebody should hear.
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

/** The rarest is met about once in a hundred hours: a run of fewer than this many need not have met them all. */
export const HOURS_THAT_REACH_ALL = 500;

export function unreached(counts: ReadonlyMap<string, number>): readonly string[] {
  return RARE_STATES.filter((state) => !counts.has(state));
}
