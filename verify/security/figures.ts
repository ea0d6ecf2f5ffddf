/** What a suite tried and found, in one line each: `npm run security` and `npm test` print them at their end. */
import { appendFileSync } from "node:fs";

/** @param text what was tried, how often, and what came of it */
export function figure(suite: string, text: string): void {
  const file = process.env["SECURITY_FIGURES"];
  const line = `${suite.padEnd(22)} ${text}\n`;
  if (file === undefined) process.stdout.write(line);
  else appendFileSync(file, line);
}

/** `npm run security -- --deep` asks for the sizes that take too long for every day. */
export function sized(usual: number, deep: number): number {
  return process.env["SECURITY_DEPTH"] === "deep" ? deep : usual;
}
