// `npm run dev`: the product with its sandbox, restarted and rebuilt as its sources change.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { envFileFlags, node, root, setUp, webStamp } from "./setup.mjs";

setUp();
// From here on dist/web has the edited sources.
rmSync(webStamp, { force: true });
const options = { cwd: root, stdio: "inherit", shell: process.platform === "win32" };
const vite = spawn(node, [join("node_modules", "vite", "bin", "vite.js"), "build", "--watch"], options);
const server = spawn(node, ["--watch-path=src", ...envFileFlags, join("src", "server", "main.ts")], options);

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    vite.kill(signal);
    server.kill(signal);
  });
}
server.on("exit", (code) => {
  vite.kill("SIGTERM");
  process.exit(code ?? 0);
});
