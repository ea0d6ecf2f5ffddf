// `npm run admin -- …`: runs the operator's command line on the project's Node.
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
