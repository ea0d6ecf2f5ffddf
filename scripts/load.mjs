// `npm run load -- [--store embedded|postgres|cluster] [--share 0.1] [--seconds 120] [--storm] [--node web --node feed,match,buy …] [--url … --sandbox …]`
import { join } from "node:path";
import { node, setUp, tryRun } from "./setup.mjs";

setUp();
process.exit(tryRun(node, [join("verify", "bench", "load", "main.ts"), ...process.argv.slice(2)]));
