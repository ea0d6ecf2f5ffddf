// 200,000 listings through processes that live for a minute, then many short markets whose processes crash
// often: errors between publishing and recording need many crashes. Exits with 1 when a listing was lost,
// duplicated or wrong, and prints the seed and size, which replay the run on any machine. Listings that an
// outage pushed beyond the marketplace's ten pages cannot be found and are counted separately.
// BENCH_LISTINGS (default 200,000), BENCH_SEED, BENCH_MARKETS (default 60)
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

async function countsOf(
  marketSeed: number,
  count: number,
  meanLifetimeMs: number,
): Promise<readonly Count[]> {
  const outcome = await runLossless({ seed: marketSeed, listings: count, meanLifetimeMs });
  const isSound =
    outcome.lost + outcome.deliveredTwice + outcome.wronglyDelivered === 0 && outcome.matching > 0;
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
