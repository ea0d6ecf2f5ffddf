// `npm run admin -- …`: the operator's command, on the project's own Node.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { envFileFlags, node, root, setUp } from "./setup.mjs";

setUp();
const { status } = spawnSync(
  node,
  [...envFileFlags, join("src", "cli", "main.ts"), ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", shell: process.platform === "win32" },
);
process.exit(status ?? 1);
