import type { PlanKey } from "#catalogue/plans.ts";
import { HOUR_MS } from "#domain/clock.ts";
import { drawsFor, type Draws } from "#sandbox/world/draws.ts";
import {
  drawFaults,
  DEADLY_SEED,
  SEEDS_A_STEERED_HOUR,
  withSteeredHours,
  type FaultWindow,
} from "./plan-faults.ts";
import { NO_STORE_FAULTS, type StoreFaultRates } from "./store-line.ts";

/** Everything drawn before a run begins; later draws also derive from the seed. */
export interface Plan {
  readonly seed: number;
  readonly startMs: number;
  /** From this time on no new actions and no faults: open work must complete. */
  readonly calmFromMs: number;
  readonly endMs: number;
  readonly reconcileMs: number;
  readonly nodeCount: 1 | 2;
  readonly buyingPerSecond: number | null;
  readonly people: readonly PlannedPerson[];
  /** A day or more: people re-enable what was stopped, and purchases go on to the end. */
  readonly isLong: boolean;
  readonly meanListingGapMs: number;
  readonly meanActGapMs: number;
  readonly storeFaults: StoreFaultRates;
  readonly refusedRate: number;
  readonly faults: readonly FaultWindow[];
  readonly machineFailures: readonly MachineFailure[];
}

export interface PlannedPerson {
  readonly name: string;
  readonly plan: PlanKey;
  readonly dayEur: number;
  readonly monthEur: number;
  readonly purchasesPerDay: number;
  readonly hasAddress: boolean;
  readonly filters: readonly PlannedFilter[];
}

export interface PlannedFilter {
  readonly priceCapEur: number;
  readonly isSimulation: boolean;
  readonly maxPurchases: number | null;
  readonly paymentMethodId: 1 | 11;
}

/** A failure of one machine. */
export type MachineFailure =
  | { readonly kind: "crash"; readonly atMs: number; readonly node: number; readonly backAfterMs: number }
  | { readonly kind: "pause"; readonly atMs: number; readonly node: number; readonly forMs: number }
  | { readonly kind: "clock"; readonly atMs: number; readonly node: number; readonly skewMs: number };

const CALM_MS = 20 * 60_000;

/** Start times, most of them close to a calendar boundary. */
const STARTS: readonly number[] = [
  Date.UTC(2026, 10, 20, 11, 0),
  Date.UTC(2026, 5, 3, 15, 30),
  // Midnight in Paris falls into the first hour, at the end of a day, month or year.
  Date.UTC(2026, 10, 20, 22, 40),
  Date.UTC(2026, 10, 30, 22, 45),
  Date.UTC(2026, 11, 31, 22, 50),
  // Daylight saving time begins and ends.
  Date.UTC(2026, 2, 29, 0, 40),
  Date.UTC(2026, 9, 25, 0, 45),
];

export function drawPlan(seed: number, hours: number, isEveryFaultArmed: boolean): Plan {
  const draws = drawsFor(seed, "plan");
  const startMs = draws.pick(STARTS);
  const endMs = startMs + Math.round(hours * HOUR_MS);
  const calmFromMs = endMs - CALM_MS;
  const nodeCount = draws.chance(0.4) ? 2 : 1;
  const isHarsh = isEveryFaultArmed || draws.chance(0.5);
  return {
    seed,
    startMs,
    calmFromMs,
    endMs,
    reconcileMs: 120_000,
    nodeCount,
    buyingPerSecond: draws.chance(0.5) ? draws.whole(2, 8) : null,
    people: drawPeople(draws, hours),
    isLong: hours > LONGEST_SHORT_HOURS,
    meanListingGapMs: draws.whole(20_000, 90_000),
    meanActGapMs: draws.whole(60_000, 240_000),
    storeFaults: isHarsh ? drawStoreFaults(draws) : NO_STORE_FAULTS,
    refusedRate: isHarsh ? draws.next() * 0.04 : 0,
    faults: withSteeredHours(
      seed,
      startMs,
      drawFaults(draws, { fromMs: startMs + 30_000, untilMs: calmFromMs, isEvery: isEveryFaultArmed }),
    ),
    machineFailures: [
      ...drawMachineFailures(draws, { startMs, calmFromMs, nodeCount }),
      ...deathsOf(seed, startMs, calmFromMs),
    ],
  };
}

const LONGEST_SHORT_HOURS = 3;
/** A monthly limit must not end a day after its first hours. */
const LONG_MONTHS = 10;
const MANY_PEOPLE = 9;

function drawPeople(draws: Draws, hours: number): readonly PlannedPerson[] {
  if (hours <= LONGEST_SHORT_HOURS)
    return Array.from({ length: draws.whole(3, 5) }, (_unused, index) => drawPerson(draws, index));
  return Array.from({ length: MANY_PEOPLE }, (_unused, index) => {
    const person = drawPerson(draws, index);
    // Thrifty people reach their limits and continue at midnight.
    return hasLowLimit(person) ? person : { ...person, monthEur: person.monthEur * LONG_MONTHS };
  });
}

export function hasLowLimit({ purchasesPerDay }: PlannedPerson): boolean {
  return purchasesPerDay <= MAX_LOW_LIMIT;
}

const MAX_LOW_LIMIT = 4;

function drawPerson(draws: Draws, index: number): PlannedPerson {
  const hasLittle = draws.chance(0.3);
  return {
    name: `person-${index}`,
    plan: draws.pick(["thunder", "thunder", "acquire", "acquire", "seeker"]),
    dayEur: hasLittle ? draws.whole(10, 60) : draws.whole(100, 600),
    monthEur: hasLittle ? draws.whole(20, 120) : draws.whole(300, 3_000),
    purchasesPerDay: hasLittle ? draws.whole(1, MAX_LOW_LIMIT) : draws.whole(6, 40),
    hasAddress: draws.chance(0.95),
    filters: Array.from({ length: draws.whole(1, 3) }, () => drawFilter(draws)),
  };
}

function drawFilter(draws: Draws): PlannedFilter {
  return {
    priceCapEur: draws.whole(8, 70),
    isSimulation: draws.chance(0.12),
    maxPurchases: draws.chance(0.15) ? draws.whole(1, 3) : null,
    paymentMethodId: draws.chance(0.25) ? 11 : 1,
  };
}

function drawStoreFaults(draws: Draws): StoreFaultRates {
  return {
    lostAnswerRate: draws.chance(0.5) ? draws.next() * 0.02 : 0,
    failureRate: draws.chance(0.5) ? draws.next() * 0.02 : 0,
    crashRate: draws.chance(0.4) ? draws.next() * 0.004 : 0,
  };
}

const FIRST_DEATH_MS = 3 * 60_000;
const DEATH_EVERY_MS = 97_000;
const BACK_AFTER_MS = 5_000;

/** While payments are slow, one machine is killed repeatedly, so that some kills hit a payment in flight. */
function deathsOf(seed: number, startMs: number, calmFromMs: number): readonly MachineFailure[] {
  if (seed % SEEDS_A_STEERED_HOUR !== DEADLY_SEED) return [];
  const count = Math.max(0, Math.floor((calmFromMs - startMs - FIRST_DEATH_MS) / DEATH_EVERY_MS));
  return Array.from({ length: count }, (_unused, index) => ({
    kind: "crash",
    atMs: startMs + FIRST_DEATH_MS + index * DEATH_EVERY_MS,
    node: 0,
    backAfterMs: BACK_AFTER_MS,
  }));
}

interface Span {
  readonly startMs: number;
  readonly calmFromMs: number;
  readonly nodeCount: number;
}

const SKEWS_MS = [-300_000, -30_000, 0, 45_000, 300_000];
/** The inner ones are within what nodes tolerate of each other. */
const SKEWS_OF_SEVERAL_MS = [-300_000, -2_000, 0, 2_000, 300_000];

function drawMachineFailures(
  draws: Draws,
  { startMs, calmFromMs, nodeCount }: Span,
): readonly MachineFailure[] {
  const perHour = draws.pick([0, 0, 3, 6, 12]);
  const count = Math.round((perHour * (calmFromMs - startMs)) / HOUR_MS);
  return Array.from({ length: count }, (): MachineFailure => {
    const atMs = draws.whole(startMs + 20_000, calmFromMs - 10_000);
    const node = draws.whole(0, nodeCount - 1);
    const kind = draws.pick(["crash", "crash", "pause", "clock"] as const);
    if (kind === "crash") return { kind, atMs, node, backAfterMs: draws.whole(0, 25_000) };
    if (kind === "pause")
      return { kind, atMs, node, forMs: draws.pick([500, 4_000, 12_000, 40_000, 200_000]) };
    return { kind, atMs, node, skewMs: draws.pick(nodeCount === 1 ? SKEWS_MS : SKEWS_OF_SEVERAL_MS) };
  });
}
