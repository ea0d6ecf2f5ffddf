import { drawsFor } from "./draws.ts";

/** How far the stream of new listings has come. */
export interface StreamPosition {
  /** The number of the next listing; the first is 1. */
  readonly nextSerial: number;
  /** How long until it arrives, in mean gaps: at two a second, 1 is half a second. */
  readonly gapsLeft: number;
}

export interface Arrival {
  readonly serial: number;
  readonly atMs: number;
}

/**
 * The listings that arrive in a span of time (a Poisson stream). Pure, and the same however the span is cut: a gap
 * depends on the seed and on the number of the listing that ends it.
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
