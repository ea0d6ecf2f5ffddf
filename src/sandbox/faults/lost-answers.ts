import { INTERNAL_ERROR, jsonAnswer, type Answer } from "../http/answer.ts";
import { ROUTE_NAMES } from "../http/routes.ts";
import type { FaultKind } from "./fault-kind.ts";

/** The calls that change something: where an answer that is lost leaves a question. */
const CHANGING_ROUTES = ["conversation", "build", "checkout", "payment", "transaction", "refresh"] as const;

/** Answers that never come, or come to nobody: whether the call had its effect cannot be seen from outside. */
export const lostAnswers: readonly FaultKind[] = [
  {
    kind: "timeout_before_effect",
    variants: ["silence"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 4_000,
    twist: ({ delayMs }) => ({
      isWithoutEffect: true,
      delivery: { kind: "cut", afterMs: delayMs, isHalfSent: false },
    }),
  },
  {
    kind: "timeout_after_effect",
    variants: ["silence"],
    routes: CHANGING_ROUTES,
    defaultDelayMs: 4_000,
    twist: ({ delayMs }) => ({ delivery: { kind: "cut", afterMs: delayMs, isHalfSent: false } }),
  },
  {
    kind: "late_effect",
    variants: ["reset", "error_500", "odd_400"],
    routes: CHANGING_ROUTES,
    strikesChangesOnly: true,
    defaultDelayMs: 2_000,
    twist: ({ variant, delayMs }) => ({ late: { afterMs: delayMs, heard: MISLEADING[variant] ?? null } }),
  },
  {
    kind: "reset",
    variants: ["before_headers", "after_effect", "mid_body"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    twist: ({ variant, delayMs }) => ({
      isWithoutEffect: variant === "before_headers",
      delivery: { kind: "cut", afterMs: delayMs, isHalfSent: variant === "mid_body" },
    }),
  },
];

const MISLEADING: Readonly<Record<string, Answer>> = {
  error_500: INTERNAL_ERROR,
  odd_400: jsonAnswer(400, { error: "Bad Request" }),
};
