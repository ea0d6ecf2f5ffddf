// `npm run crash -- [--random N] [--times N] [--seed N]`: kill -9 at random instants and at every named point.
// `npm run crash -- alerts [--kills N] [--alerts N] [--seed N] [--no-nodes]`: the same while alerts are sent.
import { join } from "node:path";
import { node, setUp, tryRun } from "./setup.mjs";

setUp();
const [first, ...rest] = process.argv.slice(2);
const [file, args] =
  first === "alerts" ? ["run-alert-crashes.ts", rest] : ["run-crashes.ts", process.argv.slice(2)];
process.exit(tryRun(node, [join("verify", "crash", file), ...args]));
