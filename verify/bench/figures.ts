/** The value below which the given share of the samples lies (nearest rank). */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** "p50 12 ms, p99 40 ms (n = 200)" */
export function latencyLine(samplesMs: readonly number[]): string {
  const text = (share: number): string => `${percentile(samplesMs, share).toFixed(0)} ms`;
  return `p50 ${text(0.5)}, p99 ${text(0.99)} (n = ${samplesMs.length})`;
}

export function print(name: string, figure: string): void {
  console.log(`${name.padEnd(52)} ${figure}`);
}

/** "bar: 48, met"; a missed bar fails the run. */
export function judged(isMet: boolean, bar: number): string {
  if (!isMet) process.exitCode = 1;
  return `bar: ${bar}, ${isMet ? "met" : "MISSED"}`;
}

export { setTimeout as pause } from "node:timers/promises";
