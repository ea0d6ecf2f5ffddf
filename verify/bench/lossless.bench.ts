// Two hundred thousand listings through lives of a minute, then many short markets whose products hardly live: what goes
// wrong between a telling and its end needs many ends. Exits with 1 when anything was lost, told twice or told wrongly,
// and names the seed and the size: their run is the same everywhere. What trouble kept unread until it lay beyond the
// marketplace's ten pages is counted by itself: nobody can find it.
//   BENCH_LISTINGS (default 200,000), BENCH_SEED, BENCH_MARKETS (default 60)
import { runLossless, type LosslessOutcome } from "#feed/model/lossless-run.suite.ts";
import { print } from "./figures.ts";

const listings = Number(process.env["BENCH_LISTINGS"] ?? "200000");
const seed = Number(process.env["BENCH_SEED"] ?? "1");
const shortMarkets = Number(process.env["BENCH_MARKETS"] ?? "60");

type Count = readonly [name: string, count: number];

report("", await countsOf(seed, listings, 60_000));
const sums = new Map<string, number>();
for (let each = 0; each < shortMarkets; each += 1)
  for (const [name, count] of await countsOf(seed + each, 1_500, 3_000))
    sums.set(name, isMost(name) ? Math.max(sums.get(name) ?? 0, count) : (sums.get(name) ?? 0) + count);
report(`${shortMarkets} short markets: `, [...sums]);

async function countsOf(marketSeed: number, count: number, lifeMs: number): Promise<readonly Count[]> {
  const outcome = await runLossless({ seed: marketSeed, listings: count, lifeMs });
  const isSound = outcome.lost + outcome.toldTwice + outcome.wronglyTold === 0 && outcome.matching > 0;
  if (!isSound) {
    process.exitCode = 1;
    print("broken with seed, listings", `${marketSeed}, ${count}`);
  }
  return Object.entries<number>({ ...outcome });
}

function isMost(name: string): boolean {
  return name === ("mostBetweenReadings" satisfies keyof LosslessOutcome);
}

function report(prefix: string, counts: readonly Count[]): void {
  for (const [name, count] of counts) print(`${prefix}${name}`, count.toLocaleString("en"));
}
