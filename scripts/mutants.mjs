// `npm run mutants -- [words] [--slice N]`: plants bugs and runs the tests that must catch them.
import { join } from "node:path";
import { node, setUp, tryRun } from "./setup.mjs";

setUp();
process.exit(tryRun(node, [join("verify", "mutants", "run-mutants.ts"), ...process.argv.slice(2)]));
