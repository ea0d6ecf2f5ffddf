/** The results of the suites, one line each; printed at the end of `npm run security` and `npm test`. */
import { appendFileSync } from "node:fs";

export function figure(suite: string, text: string): void {
  const file = process.env["SECURITY_FIGURES"];
  const line = `${suite.padEnd(22)} ${text}\n`;
  if (file === undefined) process.stdout.write(line);
  else appendFileSync(file, line);
}

/** Chooses the larger size for `npm run security -- --deep`, which takes too long for daily runs. */
export function sized(usual: number, deep: number): number {
  return process.env["SECURITY_DEPTH"] === "deep" ? deep : usual;
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Infinity;
}
