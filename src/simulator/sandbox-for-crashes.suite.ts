import { systemClock } from "#server/clock.ts";
import { startSandbox } from "./sandbox.ts";

/** A sandbox as a process of its own, for tests that kill it: its address is the only line it prints. */
const [dataDir = "", listingsPerSecond = "0"] = process.argv.slice(2);
const silence = (): void => {};
const sandbox = await startSandbox({
  port: 0,
  host: "127.0.0.1",
  dataDir,
  seed: 1,
  listingsPerSecond: Number(listingsPerSecond),
  log: { info: silence, warn: silence, error: silence },
  clock: systemClock,
});
process.stdout.write(`${sandbox.url}\n`);
