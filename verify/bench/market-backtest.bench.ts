// Whether backtests find exactly the published matches: 10,000 listings with price changes, edits and
// relists, 200 filters, 20 kills, on both engines. Exits with 1 on any difference and prints the pairs.
// BENCH_LISTINGS (10,000), BENCH_FILTERS (200), BENCH_KILLS (20), BENCH_SEED (1)
import { runBacktest } from "#feed/model/backtest-run.suite.ts";
import { openPostgresServer } from "#verify/testing/postgres-server.ts";
import { openPostgresTestStore, openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { print } from "./figures.ts";

const options = {
  seed: Number(process.env["BENCH_SEED"] ?? "1"),
  listings: Number(process.env["BENCH_LISTINGS"] ?? "10000"),
  filters: Number(process.env["BENCH_FILTERS"] ?? "200"),
  // One more, because one of the processes is stopped gracefully so that further filters become active.
  kills: Number(process.env["BENCH_KILLS"] ?? "20") + 1,
};

await using server = await openPostgresServer();
await measure("embedded", await openTestStore());
await measure("PostgreSQL", await openPostgresTestStore(await server.freshDatabase()));

async function measure(engine: string, opened: TestStore): Promise<void> {
  await using own = opened;
  const { missing, surplus, ...counts } = await runBacktest(own, options);
  for (const [name, count] of Object.entries(counts)) print(`${engine}: ${name}`, count.toLocaleString("en"));
  print(
    `${engine}: delivered but not found, found but not delivered`,
    `${missing.length}, ${surplus.length}`,
  );
  for (const pair of [...missing, ...surplus].slice(0, 20)) print(`${engine}: differs`, pair);
  if (missing.length + surplus.length > 0) process.exitCode = 1;
}
