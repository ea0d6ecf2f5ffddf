// No listing lost and none told twice: the real feed over the real store in simulated time, on a market where
// everything goes wrong that may, through restarts and deaths of the process.
//   BENCH_LISTINGS (default 200,000), BENCH_SEED
import { runLossless } from "../src/feed/model/lossless-run.suite.ts";
import { print } from "./figures.ts";

const listings = Number(process.env["BENCH_LISTINGS"] ?? "200000");
const seed = Number(process.env["BENCH_SEED"] ?? "1");

const { simulatedMs, ...outcome } = await runLossless({ seed, listings, lifeMs: 60_000 });
for (const [name, count] of Object.entries(outcome)) print(name, count.toLocaleString("en"));
print("simulated minutes", (simulatedMs / 60_000).toFixed(1));
if (outcome.lost + outcome.toldTwice + outcome.wronglyTold > 0) process.exitCode = 1;
