// `npm run move`, with DATABASE_URL: copies the embedded store into PostgreSQL while the product is stopped.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { envFileFlags, node, root, setUp } from "./setup.mjs";

setUp();
const { status } = spawnSync(
  node,
  [...envFileFlags, join("src", "server", "move.ts"), ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", shell: process.platform === "win32" },
);
process.exit(status ?? 1);
