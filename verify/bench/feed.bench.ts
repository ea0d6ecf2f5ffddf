// How long a listing waits to be found by the feed's own schedule and by one poll per filter in turn:
// simulated time, equal request counts, a thousand filters, a market by the catalogue's priors.
// BENCH_FILTERS, BENCH_MINUTES (measured), BENCH_SEED
import { runReadingModel, type Delay, type ReadingOutcome } from "#feed/model/reading-model.suite.ts";
import { percentile, print } from "./figures.ts";

const FILTERS = Number(process.env["BENCH_FILTERS"] ?? "1000");
const MINUTES = Number(process.env["BENCH_MINUTES"] ?? "20");
const SEED = Number(process.env["BENCH_SEED"] ?? "1");

const MARKETS = [
  { name: "the sandbox", readsPerSecond: 20, listingsPerSecond: 2, answerMs: 20, minutes: MINUTES },
  { name: "a busy market", readsPerSecond: 20, listingsPerSecond: 20, answerMs: 120, minutes: MINUTES },
  { name: "outside", readsPerSecond: 1, listingsPerSecond: 10, answerMs: 120, minutes: 3 * MINUTES },
];

for (const { name, minutes, ...market } of MARKETS) {
  const outcome = await runReadingModel({
    ...market,
    seed: SEED,
    filterCount: FILTERS,
    warmUpMs: market.readsPerSecond < 5 ? 3_600_000 : 600_000,
    measuredMs: minutes * 60_000,
    tailMs: market.readsPerSecond < 5 ? 2_400_000 : 300_000,
  });
  const { readsPerSecond, listingsPerSecond } = market;
  console.log(`\n${name}: ${readsPerSecond} requests and ${listingsPerSecond} listings a second`);
  report(outcome);
}

function report({
  delays,
  lostCount,
  sliceCount,
  requestsPerSecond,
  worstStalenessMs,
}: ReadingOutcome): void {
  print("filters → slices", `${FILTERS} → ${sliceCount}; ${requestsPerSecond.toFixed(2)} requests a second`);
  line("all", delays);
  for (const rank of ["thunder", "acquire", "watched", "rest"] as const)
    line(
      rank,
      delays.filter((delay) => delay.rank === rank),
    );
  print("the longest a slice waited", `${(worstStalenessMs / 1_000).toFixed(1)} s`);
  print("held by a filter and never delivered", String(lostCount));
}

function line(name: string, delays: readonly Delay[]): void {
  const ours = delays.map(({ delayMs }) => delayMs / 1_000);
  const rival = delays.map(({ pollingDelayMs }) => pollingDelayMs / 1_000);
  const text = (samples: readonly number[]): string =>
    `mean ${mean(samples).toFixed(2)} s, p50 ${percentile(samples, 0.5).toFixed(2)}, p99 ${percentile(samples, 0.99).toFixed(2)}`;
  print(
    `${name} (n = ${delays.length})`,
    `${text(ours)}; one poll per filter: ${text(rival)}; ratio 1 : ${(mean(rival) / mean(ours)).toFixed(2)}`,
  );
}

function mean(samples: readonly number[]): number {
  return samples.reduce((total, sample) => total + sample, 0) / samples.length;
}
