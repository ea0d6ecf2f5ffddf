import type { Clock } from "#domain/clock.ts";
import {
  type FaultKind,
  combineInjections,
  NO_INJECTION,
  type Injection,
  type FaultHit,
} from "./injection.ts";
import { z } from "zod";
import { ROUTE_NAMES, type RouteName } from "../http/endpoint.ts";
import { drawsFor, type Draws } from "../world/draws.ts";
import { feedFaults, priceFaults, rivalry } from "./catalogue-faults.ts";
import { garbage, lostAnswers, slowness } from "./answer-faults.ts";
import { orderFaults } from "./order-faults.ts";
import { refusing, sessionFaults } from "./access-faults.ts";

/** The faults that are currently armed; in memory only. */
export interface Faults {
  /** The delays of a request that begins now. */
  delays(): Delays;
  /** Arms one more fault. @throws InvalidFaultSpec */
  arm(body: unknown): FaultSpec;
  /** Disarms all faults and releases held requests. */
  clear(): void;
  armed(): readonly ArmedFault[];
  /** The combined injection of all faults that strike this request. */
  injectionFor(request: RequestTraits): Injection;
}

export function createFaults(parts: { kinds: readonly FaultKind[]; clock: Clock; seed: number }): Faults {
  const { clock, seed } = parts;
  const kinds = new Map(parts.kinds.map((kind) => [kind.kind, kind]));
  const holds = createHolds(clock);
  let armed: readonly ArmedFault[] = [];
  let armedCount = 0;
  return {
    delays: () => holds.delays(),
    arm(body) {
      const spec = readFaultSpec(body, kinds);
      const kind = kinds.get(spec.kind);
      if (kind === undefined) return spec;
      armedCount += 1;
      const fault = {
        kind,
        spec,
        number: armedCount,
        armedAtMs: clock.nowMs(),
        seenCount: 0,
        struckCount: 0,
      };
      armed = [...armed, fault];
      return spec;
    },
    clear() {
      armed = [];
      holds.releaseAll();
    },
    armed: () => armed,
    injectionFor(request) {
      if (armed.length === 0) return NO_INJECTION;
      const outcome = selectFaults(armed, request, { seed, nowMs: clock.nowMs() });
      armed = outcome.armed;
      return outcome.hits.reduce(
        (injection, { fault, hit }) => combineInjections(injection, fault.inject(hit)),
        NO_INJECTION,
      );
    },
  };
}

/** Delays of the faults that hold one request. Once the faults are cleared they end, and no later one begins. */
export interface Delays {
  /** Settles after this duration, or when the faults are cleared; immediately if they were since the request began. */
  wait(durationMs: number): Promise<void>;
}

function createHolds(clock: Clock) {
  const releases = new Set<() => void>();
  let releaseCount = 0;
  return {
    delays(): Delays {
      const begunAt = releaseCount;
      return {
        wait: async (durationMs) => {
          if (durationMs <= 0 || releaseCount !== begunAt) return;
          await new Promise<void>((resolve) => {
            const finish = (): void => {
              cancel();
              releases.delete(finish);
              resolve();
            };
            const cancel = clock.schedule(durationMs, finish);
            releases.add(finish);
          });
        },
      };
    },
    releaseAll(): void {
      releaseCount += 1;
      for (const release of releases) release();
    },
  };
}

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

interface SelectedFault {
  readonly fault: FaultKind;
  readonly hit: FaultHit;
}

/**
 * Decides which armed faults strike a request, and which remain armed. Pure: the same seed, faults and
 * requests give the same result.
 */
export function selectFaults(
  armed: readonly ArmedFault[],
  request: RequestTraits,
  moment: { readonly seed: number; readonly nowMs: number },
): { readonly armed: readonly ArmedFault[]; readonly hits: readonly SelectedFault[] } {
  const hits: SelectedFault[] = [];
  const after = armed.map((fault) => {
    if (!appliesTo(fault, request)) return fault;
    const draws = drawsFor(moment.seed, "fault", fault.number, runOf(fault));
    const isHit = draws.chance(fault.spec.rate);
    if (isHit) hits.push({ fault: fault.kind, hit: hitOf(fault, request, moment.nowMs) });
    return {
      ...fault,
      seenCount: fault.seenCount + 1,
      struckCount: fault.struckCount + (isHit ? 1 : 0),
    };
  });
  return { armed: after.filter((fault) => !isSpent(fault)), hits };
}

function appliesTo({ kind, spec }: ArmedFault, { route, changes }: RequestTraits): boolean {
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

/** The parameters of an armed fault. */
interface FaultSpec {
  readonly kind: string;
  /** Null means the default routes of the kind. */
  readonly route: RouteName | null;
  /** The probability of striking a request, 0 to 1. */
  readonly rate: number;
  /** Strikes before it disarms itself; null means until cleared. */
  readonly count: number | null;
  readonly delayMs: number | null;
  readonly retryAfter: string | null;
  /** Null means the first variant of the kind. */
  readonly variant: string | null;
}

const MAX_DELAY_MS = 3_600_000;

const specBody = z.object({
  kind: z.string(),
  route: z.enum(ROUTE_NAMES).nullish(),
  rate: z.number().min(0).max(1).nullish(),
  count: z.number().int().min(1).max(1_000_000).nullish(),
  delay_ms: z.number().min(0).max(MAX_DELAY_MS).nullish(),
  retry_after: z.union([z.number(), z.string().regex(/^[\x20-\x7e]{0,100}$/)]).nullish(),
  variant: z.string().nullish(),
});

/** An invalid fault specification; its message says why, in English. */
export class InvalidFaultSpec extends Error {
  override readonly name = "InvalidFaultSpec";
}

/** @throws InvalidFaultSpec */
export function readFaultSpec(body: unknown, kinds: ReadonlyMap<string, FaultKind>): FaultSpec {
  const parsed = specBody.safeParse(body);
  if (!parsed.success) throw new InvalidFaultSpec(describeIssue(parsed.error));
  const { kind: name, route, variant } = parsed.data;
  const kind = kinds.get(name);
  if (kind === undefined) throw new InvalidFaultSpec(`kind must be one of ${[...kinds.keys()].join(", ")}`);
  const routes = kind.onlyRoutes ?? ROUTE_NAMES;
  if (route !== null && route !== undefined && !routes.includes(route)) {
    throw new InvalidFaultSpec(`route of ${name} must be one of ${routes.join(", ")}`);
  }
  const variants = [...kind.variants, "any"];
  if (variant !== null && variant !== undefined && !variants.includes(variant)) {
    throw new InvalidFaultSpec(`variant of ${name} must be one of ${variants.join(", ")}`);
  }
  return {
    kind: name,
    route: route ?? null,
    rate: parsed.data.rate ?? 1,
    count: parsed.data.count ?? null,
    delayMs: parsed.data.delay_ms ?? null,
    retryAfter: parsed.data.retry_after === null ? null : (parsed.data.retry_after?.toString() ?? null),
    variant: variant ?? null,
  };
}

/** Describes the first invalid field in one line. */
export function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "the body is not what is expected";
  return issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`;
}

/** All kinds of faults. Add a new one to the list of its family. */
export const faultKinds: readonly FaultKind[] = [
  ...slowness,
  ...lostAnswers,
  ...refusing,
  ...sessionFaults,
  ...rivalry,
  ...priceFaults,
  ...garbage,
  ...orderFaults,
  ...feedFaults,
];
