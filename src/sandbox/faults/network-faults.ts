import { ROUTE_NAMES } from "../http/routes.ts";
import type { Draws } from "../world/draws.ts";
import type { FaultKind } from "./injection.ts";
import { INTERNAL_ERROR, jsonAnswer, type Answer } from "../http/answer.ts";

const TAIL_SHARE = 0.05;
const MEDIAN_MS = 120;
const LOG_SIGMA = 0.8;
const TAIL_FROM_MS = 1_000;
/** Shorter than the time the product waits for late effects. */
const USUAL_MOST_MS = 4_500;
const HEAVY_MOST_MS = 30_000;

/** Slow answers. */
export const slowness: readonly FaultKind[] = [
  {
    kind: "latency",
    variants: ["usual", "heavy"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    inject: ({ variant, delayMs, isDelayGiven, draws }) => ({
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
    inject: ({ variant, delayMs }) =>
      variant === "silence"
        ? { delivery: { kind: "cut", afterMs: delayMs, isHalfSent: false } }
        : { delivery: { kind: "drip", part: variant === "headers" ? "headers" : "body", forMs: delayMs } },
  },
];

/** A log-normal latency with a Pareto tail of exponent 1. */
function drawnLatencyMs(draws: Draws, mostMs: number): number {
  const isTail = draws.chance(TAIL_SHARE);
  const drawnMs = isTail
    ? TAIL_FROM_MS / (1 - draws.next())
    : MEDIAN_MS * Math.exp(LOG_SIGMA * draws.normal());
  return Math.round(Math.min(drawnMs, mostMs));
}

/** Calls with side effects, whose outcome is unknown when the answer is lost. */
const CHANGING_ROUTES = ["conversation", "build", "checkout", "payment", "transaction", "refresh"] as const;

/** Lost answers: the client cannot see whether the call was executed. */
export const lostAnswers: readonly FaultKind[] = [
  {
    kind: "timeout_before_effect",
    variants: ["silence"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 4_000,
    inject: ({ delayMs }) => ({
      isSkipped: true,
      delivery: { kind: "cut", afterMs: delayMs, isHalfSent: false },
    }),
  },
  {
    kind: "timeout_after_effect",
    variants: ["silence"],
    routes: CHANGING_ROUTES,
    defaultDelayMs: 4_000,
    inject: ({ delayMs }) => ({ delivery: { kind: "cut", afterMs: delayMs, isHalfSent: false } }),
  },
  {
    kind: "late_effect",
    variants: ["reset", "error_500", "odd_400"],
    routes: CHANGING_ROUTES,
    strikesChangesOnly: true,
    defaultDelayMs: 2_000,
    inject: ({ variant, delayMs }) => ({ late: { afterMs: delayMs, heard: MISLEADING[variant] ?? null } }),
  },
  {
    kind: "reset",
    variants: ["before_headers", "after_effect", "mid_body"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    inject: ({ variant, delayMs }) => ({
      isSkipped: variant === "before_headers",
      delivery: { kind: "cut", afterMs: delayMs, isHalfSent: variant === "mid_body" },
    }),
  },
];

const MISLEADING: Readonly<Record<string, Answer>> = {
  error_500: INTERNAL_ERROR,
  odd_400: jsonAnswer(400, { error: "Bad Request" }),
};
