// `npm run check`: must pass before every commit.
import { runChecks } from "./checks.mjs";
import { say, setUp } from "./setup.mjs";

setUp();
const { failed } = await runChecks();
if (failed.length > 0) {
  say(`\nFailed: ${failed.join(", ")}.`);
  process.exit(1);
}
say("\nAll checks passed.");
