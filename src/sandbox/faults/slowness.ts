import { ROUTE_NAMES } from "../http/routes.ts";
import type { Draws } from "../world/draws.ts";
import type { FaultKind } from "./fault-kind.ts";

const TAIL_SHARE = 0.05;
const MEDIAN_MS = 120;
const LOG_SIGMA = 0.8;
const TAIL_FROM_MS = 1_000;
/** Below the time that a sandbox's late effects are waited for. */
const USUAL_MOST_MS = 4_500;
const HEAVY_MOST_MS = 30_000;

/** Answers that take their time. */
export const slowness: readonly FaultKind[] = [
  {
    kind: "latency",
    variants: ["usual", "heavy"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    twist: ({ variant, delayMs, isDelayGiven, draws }) => ({
      holdMs: isDelayGiven
        ? delayMs
        : drawnLatencyMs(draws, variant === "heavy" ? HEAVY_MOST_MS : USUAL_MOST_MS),
    }),
  },
  {
    kind: "drip",
    variants: ["body", "headers", "silence"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 4_000,
    twist: ({ variant, delayMs }) =>
      variant === "silence"
        ? { delivery: { kind: "cut", afterMs: delayMs, isHalfSent: false } }
        : { delivery: { kind: "drip", part: variant === "headers" ? "headers" : "body", forMs: delayMs } },
  },
];

/** Log-normal, with a Pareto tail of exponent 1. */
function drawnLatencyMs(draws: Draws, mostMs: number): number {
  const isTail = draws.chance(TAIL_SHARE);
  const drawnMs = isTail
    ? TAIL_FROM_MS / (1 - draws.next())
    : MEDIAN_MS * Math.exp(LOG_SIGMA * draws.normal());
  return Math.round(Math.min(drawnMs, mostMs));
}
