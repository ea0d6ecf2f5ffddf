// `npm run bench -- [names]`: runs the benchmarks one after the other, each in its own process.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { node, root, say, setUp, tryRun } from "./setup.mjs";

setUp();
const wanted = process.argv.slice(2);
const benches = readdirSync(join(root, "verify", "bench"))
  .filter((name) => name.endsWith(".bench.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.startsWith(word)));
if (benches.length === 0) {
  say(`No benchmark is called ${wanted.join(", ")}.`);
  process.exit(1);
}
const failed = benches.filter((name) => {
  process.stdout.write(`\n== ${name}\n`);
  return tryRun(node, ["--expose-gc", join("verify", "bench", name)]) !== 0;
});
process.exit(failed.length === 0 ? 0 : 1);
