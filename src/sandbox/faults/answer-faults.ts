import { parseJson } from "#domain/json.ts";
import { ROUTE_NAMES, type RouteName } from "../http/endpoint.ts";
import type { Draws } from "../world/draws.ts";
import { type FaultKind, changeAt, isObject, renameAt } from "./injection.ts";
import { INTERNAL_ERROR, jsonAnswer, type Answer } from "../http/messages.ts";
import { gzipSync } from "node:zlib";

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
    inject: ({ variant, delayMs }) => ({ late: { afterMs: delayMs, answer: MISLEADING[variant] ?? null } }),
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

/** Answers that violate the wire format: damaged bytes or a changed schema. The call is executed. */
export const garbage: readonly FaultKind[] = [
  {
    kind: "malformed",
    variants: ["truncated", "html", "wrong_type", "bom", "proto", "huge_ids", "deep", "gzip_bomb"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    inject: ({ variant }) => ({ rewriteAnswer: (answer) => damaged(answer, variant) }),
  },
  {
    kind: "drift",
    variants: ["field_gone", "renamed", "null_field", "new_status"],
    routes: ROUTE_NAMES,
    defaultDelayMs: 0,
    inject: ({ variant, route }) => ({ contentRewrites: [(content) => drifted(content, route, variant)] }),
  },
];

const DEEP_LEVELS = 100_000;

function damaged(answer: Answer, variant: string): Answer {
  const text = Buffer.from(answer.body).toString("utf8");
  switch (variant) {
    case "html":
      return {
        ...answer,
        headers: { ...answer.headers, "content-type": "text/html; charset=utf-8" },
        body: "<!doctype html><title>Maintenance</title><p>Nous revenons tout de suite.</p>",
      };
    case "wrong_type": {
      const content = parseJson(text);
      // Another fault's HTML has no types.
      return content === undefined ? answer : { ...answer, body: JSON.stringify(wrongTypes(content)) };
    }
    case "bom":
      return { ...answer, body: `\uFEFF${text}` };
    case "proto":
      return {
        ...answer,
        body: text.replace("{", '{"__proto__":{"code":0,"isAdmin":true},"constructor":null,'),
      };
    case "huge_ids":
      // 2^53 + 1 has no exact representation as a number.
      return { ...answer, body: text.replaceAll(/"((?:\w+_)?id)":\d+/g, '"$1":9007199254740993') };
    case "deep":
      return { ...answer, body: `${"[".repeat(DEEP_LEVELS)}${"]".repeat(DEEP_LEVELS)}` };
    case "gzip_bomb":
      return { ...answer, headers: { ...answer.headers, "content-encoding": "gzip" }, body: gzipBomb() };
    default:
      return { ...answer, body: text.slice(0, Math.floor(text.length * 0.6)) };
  }
}

/** Turns lists into strings and everything else into lists. */
function wrongTypes(content: unknown): unknown {
  if (!isObject(content)) return [content];
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [name, Array.isArray(value) ? "aucun" : [value]]),
  );
}

const BOMB_MEMBER_BYTES = 1_048_576;
const BOMB_MEMBERS = 256;

/** Inflates 256 kB to 256 MB by concatenating gzip members. */
function gzipBomb(): Buffer {
  const member = gzipSync(Buffer.alloc(BOMB_MEMBER_BYTES, " "));
  return Buffer.concat(Array.from({ length: BOMB_MEMBERS }, () => member));
}

/** A field that clients require in the answer of each route. */
const ESSENTIAL: Readonly<Record<RouteName, readonly string[]>> = {
  catalog: ["items", "*", "total_item_price"],
  conversation: ["conversation", "transaction"],
  build: ["checkout", "checksum"],
  checkout: ["checkout", "checksum"],
  points: ["shipping_points"],
  payment: ["payment", "transaction_id"],
  orders: ["my_orders", "*", "transaction_id"],
  transaction: ["transaction", "status"],
  user: ["user", "feedback_count"],
  refresh: ["access_token"],
};

const STATUS_PATHS: Partial<Readonly<Record<RouteName, { path: readonly string[]; status: unknown }>>> = {
  catalog: { path: ["items", "*", "status"], status: "Comme neuf" },
  conversation: { path: ["conversation", "transaction", "status"], status: 777 },
  payment: { path: ["payment", "status"], status: "on_hold" },
  orders: { path: ["my_orders", "*", "status"], status: 777 },
  transaction: { path: ["transaction", "status"], status: 777 },
};

function drifted(content: unknown, route: RouteName, variant: string): unknown {
  const path = ESSENTIAL[route];
  if (variant === "renamed") return renameAt(content, path, `${path.at(-1) ?? ""}_v3`);
  if (variant === "null_field") return changeAt(content, path, () => null);
  const status = variant === "new_status" ? STATUS_PATHS[route] : undefined;
  return status === undefined
    ? changeAt(content, path, () => undefined)
    : changeAt(content, status.path, () => status.status);
}
