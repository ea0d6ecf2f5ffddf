import type { Clock } from "#domain/clock.ts";
import type { Log } from "#domain/log.ts";
import { z } from "zod";
import type { MarketListing } from "../market/listing.ts";
import type { Market } from "../market/market.ts";
import { createAgenda } from "./agenda.ts";
import { arrivalsIn, firstPosition, type Arrival, type StreamPosition } from "./arrivals.ts";
import { drawListing } from "./draw-listing.ts";

/** Turns the world: publishes what arrives, and lets fates come true. Stands still at pace 0. */
export interface Clockwork {
  start(): void;
  stop(): void;
  listingsPerSecond(): number;
  setListingsPerSecond(pace: number): void;
}

const TICK_MS = 250;
/** After a pause (a laptop that slept), the world goes on from now rather than catch up. */
const MAX_CATCH_UP_MS = 10_000;
const MAX_FATES_PER_TICK = 200;
const FORGET_EVERY_MS = 10_000;

const STARTING_STOCK = 360;
const STARTING_STOCK_AGE_MS = 3_600_000;

export interface ClockworkParts {
  readonly market: Market;
  readonly clock: Clock;
  readonly log: Log;
  readonly seed: number;
  readonly listingsPerSecond: number;
}

export function createClockwork(parts: ClockworkParts): Clockwork {
  const { market, clock, seed } = parts;
  const agenda = createAgenda();
  const record = streamRecord(market, seed);
  let pace = parts.listingsPerSecond;
  const kept = record.read();
  let position: StreamPosition = kept ?? firstPosition(seed);
  let turnedToMs = clock.nowMs();
  let forgotAtMs = clock.nowMs();

  const publish = (arrivals: readonly Arrival[], next: StreamPosition): void => {
    const untilMs = clock.nowMs();
    const wares = arrivals.map(({ serial, atMs }) => ({
      serial,
      publishedAtMs: Math.floor(atMs),
      facts: drawListing({ seed, serial, publishedAtMs: Math.floor(atMs) }),
    }));
    const published = market.books.write(() => {
      record.write({ ...next, untilMs });
      return market.stock.publish(wares);
    });
    position = next;
    for (const listing of published) noteFate(listing);
  };

  const noteFate = ({ id, fate }: MarketListing): void => {
    if (fate !== null) agenda.add({ atMs: fate.atMs, listingId: id });
  };

  const turn = (): void => {
    const nowMs = clock.nowMs();
    const fromMs = Math.max(turnedToMs, nowMs - MAX_CATCH_UP_MS);
    const step = arrivalsIn(position, { seed, fromMs, toMs: nowMs, perSecond: pace });
    if (step.arrivals.length > 0) publish(step.arrivals, step.position);
    else position = step.position;
    turnedToMs = nowMs;
    fulfilFates(market, agenda.takeDue(nowMs, MAX_FATES_PER_TICK));
    if (nowMs - forgotAtMs < FORGET_EVERY_MS) return;
    market.stock.forgetOld();
    forgotAtMs = nowMs;
  };

  const ticker = createTicker(clock, parts.log, turn);
  const run = (): void => {
    ticker.stop();
    turnedToMs = clock.nowMs();
    if (pace > 0) ticker.start();
  };

  /** Fills the last hour, so that the market looks alive at once. */
  const stockUp = (): void => {
    const nowMs = clock.nowMs();
    const fromMs = Math.max(nowMs - STARTING_STOCK_AGE_MS, kept?.untilMs ?? 0);
    const perSecond = STARTING_STOCK / (STARTING_STOCK_AGE_MS / 1_000);
    const step = arrivalsIn(position, { seed, fromMs, toMs: nowMs, perSecond });
    if (step.arrivals.length > 0) publish(step.arrivals, step.position);
  };

  return {
    start() {
      for (const listing of market.shelf.all()) noteFate(listing);
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

/** Turns the world again and again; a turn that fails is told, and the next one comes. */
function createTicker(clock: Clock, log: Log, turn: () => void) {
  let cancelTick: (() => void) | null = null;
  const tick = (): void => {
    cancelTick = clock.schedule(TICK_MS, tick);
    try {
      turn();
    } catch (error) {
      log.error(
        { reason: error instanceof Error ? error.message : "unknown" },
        "the sandbox's world stumbled",
      );
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

/** Rivals buy, sellers think again; whatever our accounts bought meanwhile stays theirs. */
function fulfilFates({ stock, books }: Market, due: readonly { readonly listingId: number }[]): void {
  if (due.length === 0) return;
  books.write(() => {
    for (const { listingId } of due) {
      const listing = stock.byId(listingId);
      if (listing?.state !== "available" || listing.fate === null) continue;
      if (listing.fate.kind === "rival") stock.setState(listingId, "sold");
      else if (listing.fate.kind === "withdrawal") stock.setState(listingId, "withdrawn");
      else stock.setPrice(listingId, listing.fate.priceCents);
    }
  });
}

const recordSchema = z.object({
  nextSerial: z.number().int().min(1),
  gapsLeft: z.number().min(0),
  /** Whatever arrived up to this moment is published. */
  untilMs: z.number(),
});
type StreamRecord = z.infer<typeof recordSchema>;

/** Where the stream stands, kept with the listings it published; each seed has a stream of its own. */
function streamRecord({ books }: Market, seed: number) {
  const name = `stream_of_seed_${seed}`;
  return {
    read(): StreamRecord | null {
      const text = books.facts.get(name);
      return text === null ? null : recordSchema.parse(JSON.parse(text));
    },
    write: (kept: StreamRecord): void => books.facts.set(name, JSON.stringify(kept)),
  };
}
