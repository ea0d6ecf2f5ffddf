// `node scripts/run.mjs [--settings] [--browser] FILE …`: sets up the clone, then runs the file on the project's Node.
// --settings: with the operator's settings file. --browser: with the Chromium of the journeys in CHROMIUM_PATH.
import { spawn } from "node:child_process";
import { findBrowser } from "./browser.mjs";
import { envFileFlags, node, setUp, surroundings } from "./setup.mjs";

const given = process.argv.slice(2);
const start = given.findIndex((word) => !word.startsWith("--"));
const [options, command] = [given.slice(0, start), given.slice(start)];

setUp();
const browser = options.includes("--browser") ? findBrowser() : null;
const child = spawn(node, [...(options.includes("--settings") ? envFileFlags : []), ...command], {
  ...surroundings(browser === null ? {} : { CHROMIUM_PATH: browser.path, ...browser.environment }),
  stdio: "inherit",
});
// A terminal signals both processes; a signal sent to this one alone is forwarded.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill("SIGTERM"));
child.on("exit", (code) => process.exit(code ?? 1));
