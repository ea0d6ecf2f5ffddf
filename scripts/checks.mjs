// The quick checks, cheapest first: `npm run check` runs these alone, `npm test` before its tests.
import { tryRun } from "./setup.mjs";

/** @type {[name: string, command: string, args: string[]][]} */
const checks = [
  ["format", "oxfmt", ["--check", "."]],
  ["lint", "oxlint", ["--quiet"]],
  ["types of the pure rooms", "tsc", ["-p", "tsconfig.pure.json"]],
  ["types of the server", "tsc", ["-p", "tsconfig.node.json"]],
  ["types of the web", "tsc", ["-p", "tsconfig.web.json"]],
  ["room boundaries", "depcruise", ["src", "verify", "--config", ".dependency-cruiser.mjs"]],
  ["dead code", "knip", []],
];

/** Runs every check, even after a failure; the answer names those that failed. */
export function runChecks() {
  /** @type {string[]} */
  const failed = [];
  for (const [name, command, args] of checks) {
    process.stdout.write(`\n— ${name}\n`);
    if (tryRun(command, args) !== 0) failed.push(name);
  }
  return { passedCount: checks.length - failed.length, failed };
}
