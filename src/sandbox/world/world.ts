import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import { z } from "zod";
import type { Market } from "../market/market.ts";
import { drawFateOfRelist, drawListing } from "./draw-listing.ts";
import { drawsFor } from "./draws.ts";

/** Runs the generated world: publishes new listings and applies their fates. Paused at pace 0. */
export interface World {
  start(): void;
  stop(): void;
  listingsPerSecond(): number;
  setListingsPerSecond(pace: number): void;
}

const TICK_MS = 250;
/** After a long pause (a sleeping laptop) the world skips ahead instead of catching up. */
const MAX_CATCH_UP_MS = 10_000;
const MAX_FATES_PER_TICK = 200;
const FORGET_EVERY_MS = 10_000;

const STARTING_STOCK = 360;
const STARTING_STOCK_AGE_MS = 3_600_000;

interface WorldParts {
  readonly market: Market;
  readonly clock: Clock;
  readonly log: Log;
  readonly seed: number;
  readonly listingsPerSecond: number;
}

export function createWorld(parts: WorldParts): World {
  const { market, clock, seed } = parts;
  const record = streamRecord(market, seed);
  let pace = parts.listingsPerSecond;
  const kept = record.read();
  let position: StreamPosition = kept ?? firstPosition(seed);
  let turnedToMs = clock.nowMs();
  let forgotAtMs = clock.nowMs();

  const publish = (arrivals: readonly Arrival[], next: StreamPosition): void => {
    const untilMs = clock.nowMs();
    const newListings = arrivals.map(({ serial, atMs }) => ({
      serial,
      publishedAtMs: Math.floor(atMs),
      facts: drawListing({ seed, serial, publishedAtMs: Math.floor(atMs) }),
    }));
    market.database.write(() => {
      record.write({ ...next, untilMs });
      market.stock.publish(newListings);
    });
    position = next;
  };

  const turn = (): void => {
    const nowMs = clock.nowMs();
    const fromMs = Math.max(turnedToMs, nowMs - MAX_CATCH_UP_MS);
    const step = arrivalsIn(position, { seed, fromMs, toMs: nowMs, perSecond: pace });
    if (step.arrivals.length > 0) publish(step.arrivals, step.position);
    else position = step.position;
    turnedToMs = nowMs;
    market.settleDue();
    fulfilFates(market, { seed, nowMs });
    if (nowMs - forgotAtMs < FORGET_EVERY_MS) return;
    // A full batch is followed by another with the next tick: at a high pace one alone would not keep up.
    if (!market.stock.forgetOld()) forgotAtMs = nowMs;
  };

  const ticker = createTicker(clock, parts.log, turn);
  const run = (): void => {
    ticker.stop();
    turnedToMs = clock.nowMs();
    if (pace > 0) ticker.start();
  };

  /** Publishes an initial stock dated within the last hour. */
  const stockUp = (): void => {
    const nowMs = clock.nowMs();
    const fromMs = Math.max(nowMs - STARTING_STOCK_AGE_MS, kept?.untilMs ?? 0);
    const perSecond = STARTING_STOCK / (STARTING_STOCK_AGE_MS / 1_000);
    const step = arrivalsIn(position, { seed, fromMs, toMs: nowMs, perSecond });
    if (step.arrivals.length > 0) publish(step.arrivals, step.position);
  };

  return {
    start() {
      if (pace > 0) stockUp();
      run();
    },
    stop: ticker.stop,
    listingsPerSecond: () => pace,
    setListingsPerSecond(wanted) {
      pace = wanted;
      run();
    },
  };
}

/** Calls `turn` periodically; a failure is logged and the next tick follows. */
function createTicker(clock: Clock, log: Log, turn: () => void) {
  let cancelTick: (() => void) | null = null;
  const tick = (): void => {
    cancelTick = clock.schedule(TICK_MS, tick);
    try {
      turn();
    } catch (error) {
      log.error({ reason: error instanceof Error ? error.message : "unknown" }, "the sandbox's world failed");
    }
  };
  return {
    start: (): void => {
      cancelTick = clock.schedule(TICK_MS, tick);
    },
    stop: (): void => {
      cancelTick?.();
      cancelTick = null;
    },
  };
}

/** Applies the due fates of listings that are available, which leaves none of them due. */
function fulfilFates(
  { stock, database }: Market,
  { seed, nowMs }: { readonly seed: number; readonly nowMs: number },
): void {
  const due = database.listings.withDueFate(nowMs, MAX_FATES_PER_TICK);
  if (due.length === 0) return;
  database.write(() => {
    for (const { fate, ...listing } of due) {
      const { id, serial } = listing;
      const { kind, priceCents } = fate;
      if (kind === "price") stock.lowerPrice(id, priceCents);
      else stock.setState(id, kind === "rival" ? "sold" : "withdrawn");
      if (kind !== "relist") continue;
      const next = drawFateOfRelist({ seed, id, publishedAtMs: nowMs, priceCents });
      stock.publish([{ serial, facts: { ...listing, priceCents, fate: next } }]);
    }
  });
}

const recordSchema = z.object({
  nextSerial: z.number().int().min(1),
  gapsLeft: z.number().min(0),
  /** Listings up to this time are published. */
  untilMs: z.number(),
});
type StreamRecord = z.infer<typeof recordSchema>;

/** Persists the stream position of this seed together with the published listings. */
function streamRecord({ database }: Market, seed: number) {
  const name = `stream_of_seed_${seed}`;
  return {
    read(): StreamRecord | null {
      const text = database.state.get(name);
      return text === null ? null : recordSchema.parse(JSON.parse(text));
    },
    write: (kept: StreamRecord): void => database.state.set(name, JSON.stringify(kept)),
  };
}

/** The position in the stream of new listings. */
export interface StreamPosition {
  /** The number of the next listing, starting with 1. */
  readonly nextSerial: number;
  /** Time until it arrives, in units of the mean gap (0.5 s at two per second). */
  readonly gapsLeft: number;
}

export interface Arrival {
  readonly serial: number;
  readonly atMs: number;
}

/**
 * The listings that arrive in a time span (a Poisson process). Pure, and independent of how the time is
 * divided into spans: each gap is derived from the seed and the listing's number.
 */
export function arrivalsIn(
  position: StreamPosition,
  span: { readonly seed: number; readonly fromMs: number; readonly toMs: number; readonly perSecond: number },
): { readonly position: StreamPosition; readonly arrivals: readonly Arrival[] } {
  const meanGapMs = 1_000 / span.perSecond;
  const arrivals: Arrival[] = [];
  let { nextSerial, gapsLeft } = position;
  let atMs = span.fromMs + gapsLeft * meanGapMs;
  while (atMs <= span.toMs) {
    arrivals.push({ serial: nextSerial, atMs });
    nextSerial += 1;
    gapsLeft = gapBefore(span.seed, nextSerial);
    atMs += gapsLeft * meanGapMs;
  }
  return { position: { nextSerial, gapsLeft: (atMs - span.toMs) / meanGapMs }, arrivals };
}

export function firstPosition(seed: number): StreamPosition {
  return { nextSerial: 1, gapsLeft: gapBefore(seed, 1) };
}

function gapBefore(seed: number, serial: number): number {
  return drawsFor(seed, "gap", serial).exponential();
}
