import type { Draws } from "#sandbox/world/draws.ts";

/** Faults that are armed together and cleared before the next window. */
export interface FaultWindow {
  readonly atMs: number;
  readonly orders: readonly FaultOrderBody[];
}

/** The body of POST /control/faults. */
interface FaultOrderBody {
  readonly kind: string;
  readonly route?: string;
  readonly variant?: string;
  readonly rate: number;
  readonly delay_ms?: number;
  readonly retry_after?: number;
}

type Template = Omit<FaultOrderBody, "rate"> & { readonly mostRate: number };

/** Every fault of the sandbox; delays are shorter than the time that the product waits for late effects. */
const TEMPLATES: readonly Template[] = [
  { kind: "latency", variant: "usual", mostRate: 1 },
  { kind: "latency", variant: "heavy", mostRate: 0.5 },
  { kind: "timeout_before_effect", mostRate: 0.1, delay_ms: 20_000 },
  { kind: "timeout_before_effect", route: "payment", mostRate: 0.5, delay_ms: 25_000 },
  { kind: "timeout_after_effect", mostRate: 0.1, delay_ms: 20_000 },
  { kind: "timeout_after_effect", route: "payment", mostRate: 0.5, delay_ms: 25_000 },
  { kind: "late_effect", route: "payment", variant: "any", mostRate: 0.5, delay_ms: 40_000 },
  { kind: "late_effect", route: "transaction", variant: "any", mostRate: 0.5, delay_ms: 20_000 },
  { kind: "reset", variant: "any", mostRate: 0.15 },
  { kind: "reset", route: "payment", variant: "any", mostRate: 0.5 },
  { kind: "rate_limit", variant: "seconds", mostRate: 0.1, retry_after: 7 },
  { kind: "rate_limit", variant: "date", mostRate: 0.1 },
  { kind: "rate_limit", variant: "absent", mostRate: 0.1 },
  { kind: "rate_limit", variant: "zero", mostRate: 0.2 },
  { kind: "rate_limit", variant: "negative", mostRate: 0.1 },
  { kind: "rate_limit", variant: "text", mostRate: 0.1 },
  { kind: "rate_limit", route: "payment", variant: "seconds", mostRate: 0.5, retry_after: 3 },
  { kind: "unauthorised", mostRate: 0.1 },
  { kind: "unauthorised", route: "payment", mostRate: 0.5 },
  { kind: "blocked", variant: "any", mostRate: 0.02 },
  { kind: "captcha", variant: "any", mostRate: 0.02 },
  { kind: "refresh_lost", variant: "forgiven", mostRate: 0.7, delay_ms: 500 },
  { kind: "refresh_lost", variant: "unforgiven", mostRate: 0.2, delay_ms: 500 },
  { kind: "refresh_reuse", mostRate: 0.1 },
  { kind: "server_error", variant: "any", mostRate: 0.15 },
  { kind: "server_error", route: "payment", variant: "after_effect", mostRate: 0.5 },
  { kind: "server_error", variant: "json", mostRate: 0.9 },
  { kind: "sold_first", variant: "any", mostRate: 0.1, delay_ms: 20_000 },
  { kind: "sold_first", route: "payment", variant: "any", mostRate: 0.4, delay_ms: 20_000 },
  { kind: "price_changed", variant: "any", mostRate: 0.15 },
  { kind: "price_changed", route: "payment", variant: "fee", mostRate: 0.3 },
  { kind: "price_changed", route: "checkout", variant: "up", mostRate: 0.4 },
  { kind: "withdrawn", variant: "any", mostRate: 0.1, delay_ms: 20_000 },
  { kind: "malformed", variant: "any", mostRate: 0.1 },
  { kind: "malformed", route: "payment", variant: "any", mostRate: 0.4 },
  { kind: "drift", variant: "any", mostRate: 0.1 },
  { kind: "drift", route: "payment", variant: "any", mostRate: 0.4 },
  { kind: "drip", variant: "any", mostRate: 0.1, delay_ms: 20_000 },
  { kind: "orders_lag", variant: "lag", mostRate: 1, delay_ms: 40_000 },
  { kind: "orders_lag", variant: "shift", mostRate: 0.4 },
  { kind: "orders_lag", variant: "missing_page", mostRate: 0.4 },
  { kind: "orders_lag", variant: "outside_purchase", mostRate: 0.5 },
  { kind: "cancel_refused", variant: "any", mostRate: 0.5, delay_ms: 20_000 },
  { kind: "cancel_ambiguous", variant: "any", mostRate: 0.7, delay_ms: 20_000 },
  { kind: "confirmation_expired", variant: "any", mostRate: 0.5, delay_ms: 30_000 },
  { kind: "timeout_before_effect", route: "user", mostRate: 1, delay_ms: 20_000 },
  { kind: "server_error", route: "user", variant: "json", mostRate: 1 },
  { kind: "reset", route: "user", variant: "any", mostRate: 0.5 },
  { kind: "captcha", route: "user", variant: "any", mostRate: 0.5 },
  { kind: "rate_limit", route: "user", variant: "seconds", mostRate: 0.5, retry_after: 7 },
  { kind: "empty_feed", mostRate: 0.3 },
  { kind: "frozen_feed", mostRate: 0.5 },
  { kind: "page_overflow", mostRate: 0.02 },
  { kind: "promoted", mostRate: 0.5 },
];

interface FaultSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Arms every fault in turn, several at a time, instead of a few that are drawn for the run. */
  readonly isEvery: boolean;
}

/** Some runs are without faults, to test the product with a well-behaved marketplace as well. */
const KIND_SHARE = 0.1;

export function drawFaults(draws: Draws, { fromMs, untilMs, isEvery }: FaultSpan): readonly FaultWindow[] {
  if (!isEvery && draws.chance(KIND_SHARE)) return [];
  const own = isEvery ? TEMPLATES : drawSome(draws, TEMPLATES, draws.whole(1, 8));
  const windows: FaultWindow[] = [];
  for (let atMs = fromMs; atMs < untilMs; atMs += draws.whole(60_000, 420_000)) {
    const armed = draws.chance(0.15) ? [] : drawSome(draws, own, draws.whole(1, 5));
    windows.push({ atMs, orders: armed.map((template) => orderOf(draws, template)) });
  }
  return windows;
}

/** One run in ten for each steered state: states that random faults reach too rarely. */
export const SEEDS_A_STEERED_HOUR = 10;
const DOUBTFUL_SEED = 4;
export const DEADLY_SEED = 3;
/** Starts after nodes have read their accounts, and lasts longer than an outcome may stay unknown. */
const STEERED_AFTER_MS = 2 * 60_000;
const STEERED_FOR_MS = 30 * 60_000;

const STEERED: ReadonlyMap<number, readonly FaultOrderBody[]> = new Map([
  [
    // Payments take effect but answer with an error, and orders cannot be read: leads to quarantine.
    DOUBTFUL_SEED,
    [
      { kind: "server_error", route: "payment", variant: "after_effect", rate: 1 },
      { kind: "server_error", route: "transaction", variant: "json", rate: 1 },
      { kind: "server_error", route: "orders", variant: "json", rate: 1 },
    ],
  ],
  [
    // Payments take long enough for a machine to be killed meanwhile, and sessions are lost.
    DEADLY_SEED,
    [
      { kind: "latency", route: "payment", variant: "usual", rate: 1, delay_ms: 12_000 },
      { kind: "unauthorised", rate: 0.03 },
      { kind: "refresh_lost", variant: "unforgiven", rate: 0.3, delay_ms: 500 },
    ],
  ],
]);

/** Replaces the faults of a run within its steered period. */
export function withSteeredHours(
  seed: number,
  startMs: number,
  windows: readonly FaultWindow[],
): readonly FaultWindow[] {
  const orders = STEERED.get(seed % SEEDS_A_STEERED_HOUR);
  if (orders === undefined) return windows;
  const fromMs = startMs + STEERED_AFTER_MS;
  const untilMs = fromMs + STEERED_FOR_MS;
  return [
    ...windows.filter(({ atMs }) => atMs < fromMs),
    { atMs: fromMs, orders },
    { atMs: untilMs, orders: [] },
    ...windows.filter(({ atMs }) => atMs > untilMs),
  ];
}

function drawSome<Item>(draws: Draws, items: readonly Item[], count: number): readonly Item[] {
  return Array.from({ length: count }, () => draws.pick(items));
}

function orderOf(draws: Draws, { mostRate, delay_ms: mostDelayMs, ...template }: Template): FaultOrderBody {
  const rate = Math.max(0.01, draws.next() * mostRate);
  if (mostDelayMs === undefined) return { ...template, rate };
  return { ...template, rate, delay_ms: draws.whole(Math.min(300, mostDelayMs), mostDelayMs) };
}
