import { describe, expect, it } from "vitest";
import { DAY_MS } from "#domain/clock.ts";
import { RARE_STATES } from "./rare-states.ts";
import { runSeedEmbedded, runRepeated } from "./run-seed.ts";

/** Two minutes of computing: on a busy machine twenty times as long. */
const LIMIT_MS = 60 * 60_000;
const SEEDS = 40;
const EMBEDDED_SEEDS = 1;
/** Different seeds every day: a year covers more hours than a single run could. */
const FIRST_SEED = Math.floor(Date.now() / DAY_MS) * 1_000;
/** Seeds that once broke an invariant: a fast clock, a crash during start-up, a pause, a corrected clock. */
const ONCE_BROKEN = [38, 249, 494, 1_667, 1_895];
/** Hours with steered faults (plan-faults.ts), and states that only these reach reliably. */
const STEERED = [3, 13];
const STEERED_STATES = [
  "unknown → quarantine",
  "refresh lost",
  "refresh refused",
  "account connected anew",
  "crash while paying",
];
/** The share of rare states that so few hours must reach. */
const LEAST_REACHED = 0.6;

describe(`simulated hours of the market, seeds ${FIRST_SEED} to ${FIRST_SEED + SEEDS - 1}`, () => {
  it(
    "keep every invariant, reach what is rare, and repeat themselves",
    async () => {
      const counts = new Map<string, number>();
      const broken: string[] = [];
      const seeds = [
        ...ONCE_BROKEN,
        ...STEERED,
        ...Array.from({ length: SEEDS }, (_unused, index) => FIRST_SEED + index),
      ];
      for (const [index, seed] of seeds.entries()) {
        const options = { seed, hours: 1, isEveryFaultArmed: false, onLine: null };
        const report = await runRepeated(options, index % 20 === 0);
        for (const { invariant, text } of report.violations)
          broken.push(`npm run sim -- --seed ${report.seed}: ${invariant} ${text}`);
        for (const [state, count] of report.counts) counts.set(state, (counts.get(state) ?? 0) + count);
      }
      expect(broken.join("\n")).toBe("");
      expect(STEERED_STATES.filter((state) => !counts.has(state))).toEqual([]);
      const reached = RARE_STATES.filter((state) => counts.has(state)).length;
      expect(reached / RARE_STATES.length).toBeGreaterThan(LEAST_REACHED);
    },
    LIMIT_MS,
  );

  it(
    "keep the invariants on the real embedded store too",
    async () => {
      for (let seed = FIRST_SEED; seed < FIRST_SEED + EMBEDDED_SEEDS; seed += 1) {
        const report = await runSeedEmbedded({ seed, hours: 0.5, isEveryFaultArmed: false, onLine: null });
        const again = `npm run sim -- --store embedded --hours 0.5 --seed ${seed}`;
        expect(report.violations, again).toEqual([]);
      }
    },
    LIMIT_MS,
  );
});
