// `npm run crash -- [--random N] [--times N] [--seed N]`: kill -9 at random instants and at every named point.
import { join } from "node:path";
import { node, setUp, tryRun } from "./setup.mjs";

setUp();
process.exit(tryRun(node, [join("verify", "crash", "run-crashes.ts"), ...process.argv.slice(2)]));
