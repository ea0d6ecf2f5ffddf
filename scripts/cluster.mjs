// `npm run cluster [-- --break [--only WORD] | --measure]`: several nodes with PostgreSQL, Redis and a proxy.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { envFileFlags, node, root, setUp } from "./setup.mjs";

setUp();
const child = spawn(
  node,
  [...envFileFlags, join("verify", "nodes", "run-nodes.ts"), ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  },
);
// A terminal signals both processes; a signal sent to this one alone is forwarded.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill("SIGTERM"));
child.on("exit", (code) => process.exit(code ?? 1));
