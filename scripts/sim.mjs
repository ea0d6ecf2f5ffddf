// `npm run sim -- [--seeds N] [--hours H] [--seed N] [--all-faults] [--store embedded]`: simulated markets (CONTRIBUTING.md).
import { join } from "node:path";
import { node, setUp, tryRun } from "./setup.mjs";

setUp();
process.exit(tryRun(node, [join("verify", "simulation", "main.ts"), ...process.argv.slice(2)]));
