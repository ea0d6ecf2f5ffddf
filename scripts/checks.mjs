// The static checks, cheapest first: `npm run check` runs only these, `npm test` runs them before its tests.
import { tryRunBeside } from "./setup.mjs";

/** @type {[name: string, command: string, args: string[]][]} */
const checks = [
  ["format", "oxfmt", ["--check", "."]],
  ["lint", "oxlint", ["--quiet"]],
  ["types of the pure rooms", "tsc", ["-p", "tsconfig.pure.json"]],
  ["types of the server", "tsc", ["-p", "tsconfig.node.json"]],
  ["types of the web", "tsc", ["-p", "tsconfig.web.json"]],
  ["room boundaries", "depcruise", ["src", "verify", "--config", ".dependency-cruiser.mjs"]],
  ["dead code", "knip", []],
  ["texts of planted bugs and crash points", "node", ["verify/mutants/check-texts.ts"]],
];

/** Half of the checks use a single core. */
const AT_ONCE = 2;

/** Runs every check, even after a failure, and returns the names of those that failed. */
export async function runChecks() {
  /** @type {string[]} */
  const failed = [];
  const waiting = checks.values();
  const work = async () => {
    for (const [name, command, args] of waiting) {
      const { status, printed } = await tryRunBeside(command, args);
      process.stdout.write(`\n— ${name}\n${printed}`);
      if (status !== 0) failed.push(name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { passedCount: checks.length - failed.length, failed };
}
