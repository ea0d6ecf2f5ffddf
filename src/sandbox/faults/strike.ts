import type { RouteName } from "../http/routes.ts";
import { drawsFor, type Draws } from "../world/draws.ts";
import type { FaultHit, FaultKind } from "./fault-kind.ts";
import type { FaultOrder } from "./fault-order.ts";

/** A fault that waits for requests to strike. */
export interface ArmedFault {
  readonly kind: FaultKind;
  readonly order: FaultOrder;
  /** Its number since the start: with the seed, all its chance follows from it. */
  readonly number: number;
  readonly armedAtMs: number;
  /** Requests that it could have struck so far. */
  readonly seenCount: number;
  readonly struckCount: number;
}

export interface RequestFacts {
  readonly route: RouteName;
  /** The call changes something: a POST or PUT. */
  readonly changes: boolean;
}

export interface Strike {
  readonly fault: FaultKind;
  readonly hit: FaultHit;
}

/**
 * Which of the armed faults strike a request, and what is armed after it. Pure: the same seed, arming and requests
 * always meet the same faults.
 */
export function strike(
  armed: readonly ArmedFault[],
  facts: RequestFacts,
  moment: { readonly seed: number; readonly nowMs: number },
): { readonly armed: readonly ArmedFault[]; readonly strikes: readonly Strike[] } {
  const strikes: Strike[] = [];
  const after = armed.map((fault) => {
    if (!concerns(fault, facts)) return fault;
    const draws = drawsFor(moment.seed, "fault", fault.number, runOf(fault));
    const isStruck = draws.chance(fault.order.rate);
    if (isStruck) strikes.push({ fault: fault.kind, hit: hitOf(fault, facts, moment.nowMs) });
    return {
      ...fault,
      seenCount: fault.seenCount + 1,
      struckCount: fault.struckCount + (isStruck ? 1 : 0),
    };
  });
  return { armed: after.filter((fault) => !isSpent(fault)), strikes };
}

function concerns({ kind, order }: ArmedFault, { route, changes }: RequestFacts): boolean {
  if (kind.strikesChangesOnly === true && !changes) return false;
  return order.route === null ? kind.routes.includes(route) : order.route === route;
}

function isSpent({ order, struckCount }: ArmedFault): boolean {
  return order.count !== null && struckCount >= order.count;
}

/** Requests of one run share their draw, so that a burst strikes all of them or none. */
function runOf({ kind, order, seenCount }: ArmedFault): number {
  const runLength = kind.burstOf?.[order.variant ?? ""] ?? 1;
  return Math.floor(seenCount / runLength);
}

function hitOf(fault: ArmedFault, { route }: RequestFacts, nowMs: number): FaultHit {
  const { kind, order } = fault;
  const draws = drawsFor("hit", fault.number, fault.seenCount);
  return {
    variant: variantOf(kind, order.variant, draws),
    route,
    delayMs: order.delayMs ?? kind.defaultDelayMs,
    isDelayGiven: order.delayMs !== null,
    retryAfter: order.retryAfter,
    armedAtMs: fault.armedAtMs,
    nowMs,
    draws,
  };
}

function variantOf(kind: FaultKind, wanted: string | null, draws: Draws): string {
  if (wanted === "any") return draws.pick(kind.variants);
  return wanted ?? kind.variants[0];
}
