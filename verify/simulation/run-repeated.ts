import { runSeed, type RunOptions, type RunReport } from "./run-seed.ts";

/** I17: a run that is repeated must come to the very same trace, or no failing seed could be looked into. */
export async function runRepeated(options: RunOptions, isRepeated: boolean): Promise<RunReport> {
  const report = await runSeed(options);
  if (!isRepeated || report.violations.length > 0) return report;
  const again = await runSeed(options);
  if (again.hash === report.hash) return report;
  const text = `two runs of seed ${options.seed} differ: ${report.hash} and ${again.hash}`;
  return { ...report, violations: [{ invariant: "I17", text }] };
}
