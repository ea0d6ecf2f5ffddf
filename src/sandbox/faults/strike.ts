import type { RouteName } from "../http/routes.ts";
import { drawsFor, type Draws } from "../world/draws.ts";
import type { FaultHit, FaultKind } from "./injection.ts";
import type { FaultSpec } from "./fault-spec.ts";

/** A fault that is armed. */
export interface ArmedFault {
  readonly kind: FaultKind;
  readonly spec: FaultSpec;
  /** Its sequence number; with the seed it determines all its random draws. */
  readonly number: number;
  readonly armedAtMs: number;
  /** Requests it could have struck so far. */
  readonly seenCount: number;
  readonly struckCount: number;
}

export interface RequestTraits {
  readonly route: RouteName;
  /** The call has side effects (POST or PUT). */
  readonly changes: boolean;
}

export interface Strike {
  readonly fault: FaultKind;
  readonly hit: FaultHit;
}

/**
 * Decides which armed faults strike a request, and which remain armed. Pure: the same seed, faults and
 * requests give the same result.
 */
export function strike(
  armed: readonly ArmedFault[],
  request: RequestTraits,
  moment: { readonly seed: number; readonly nowMs: number },
): { readonly armed: readonly ArmedFault[]; readonly strikes: readonly Strike[] } {
  const strikes: Strike[] = [];
  const after = armed.map((fault) => {
    if (!concerns(fault, request)) return fault;
    const draws = drawsFor(moment.seed, "fault", fault.number, runOf(fault));
    const isStruck = draws.chance(fault.spec.rate);
    if (isStruck) strikes.push({ fault: fault.kind, hit: hitOf(fault, request, moment.nowMs) });
    return {
      ...fault,
      seenCount: fault.seenCount + 1,
      struckCount: fault.struckCount + (isStruck ? 1 : 0),
    };
  });
  return { armed: after.filter((fault) => !isSpent(fault)), strikes };
}

function concerns({ kind, spec }: ArmedFault, { route, changes }: RequestTraits): boolean {
  if (kind.strikesChangesOnly === true && !changes) return false;
  return spec.route === null ? kind.routes.includes(route) : spec.route === route;
}

function isSpent({ spec, struckCount }: ArmedFault): boolean {
  return spec.count !== null && struckCount >= spec.count;
}

/** Requests of one run share a random draw, so that a burst strikes all of them or none. */
function runOf({ kind, spec, seenCount }: ArmedFault): number {
  const runLength = kind.burstOf?.[spec.variant ?? ""] ?? 1;
  return Math.floor(seenCount / runLength);
}

function hitOf(fault: ArmedFault, { route }: RequestTraits, nowMs: number): FaultHit {
  const { kind, spec } = fault;
  const draws = drawsFor("hit", fault.number, fault.seenCount);
  return {
    variant: variantOf(kind, spec.variant, draws),
    route,
    delayMs: spec.delayMs ?? kind.defaultDelayMs,
    isDelayGiven: spec.delayMs !== null,
    retryAfter: spec.retryAfter,
    armedAtMs: fault.armedAtMs,
    nowMs,
    draws,
  };
}

function variantOf(kind: FaultKind, wanted: string | null, draws: Draws): string {
  if (wanted === "any") return draws.pick(kind.variants);
  return wanted ?? kind.variants[0];
}
