// `npm start`: sets up the clone, then runs the product under a small supervisor.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { envFileFlags, node, root, say, setUp } from "./setup.mjs";

const FIRST_RESTART_MS = 1_000;
const LONGEST_RESTART_MS = 30_000;
const GIVE_UP_AFTER = 5;
const GIVE_UP_WITHIN_MS = 60_000;
/** The server's exit code for invalid settings: a restart would not help. */
const REFUSED_START = 2;
/** The exit code for a full disk or an unreachable PostgreSQL or Redis: retried without an upper bound. */
const STARTS_LATER = 3;

setUp();

let child;
let isStopping = false;
let restartDelayMs = FIRST_RESTART_MS;
let crashTimesMs = [];

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    isStopping = true;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) process.exit(0);
    child.kill(signal === "SIGHUP" ? "SIGTERM" : signal);
  });
}

startServer();

function startServer() {
  const startedAtMs = Date.now();
  child = spawn(node, [...envFileFlags, join("src", "server", "main.ts")], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  child.on("exit", (code, signal) => ended(code, signal, startedAtMs));
}

function ended(code, signal, startedAtMs) {
  const wasAsked = isStopping || signal === "SIGINT" || signal === "SIGTERM";
  if (wasAsked || code === 0 || code === REFUSED_START) process.exit(code ?? 0);
  const nowMs = Date.now();
  if (nowMs - startedAtMs > GIVE_UP_WITHIN_MS) restartDelayMs = FIRST_RESTART_MS;
  if (code === STARTS_LATER) return startEverLater("That may pass");
  crashTimesMs = [...crashTimesMs.filter((atMs) => nowMs - atMs < GIVE_UP_WITHIN_MS), nowMs];
  const how = signal === null ? `exit code ${code}` : signal;
  if (crashTimesMs.length >= GIVE_UP_AFTER) {
    say(
      `The server ended ${GIVE_UP_AFTER} times within a minute (${how}): giving up. Its last log lines say why.`,
    );
    process.exit(1);
  }
  startEverLater(`The server ended (${how})`);
}

function startEverLater(why) {
  say(`${why}: starting it again in ${restartDelayMs / 1_000} s.`);
  startLater(restartDelayMs);
  restartDelayMs = Math.min(restartDelayMs * 2, LONGEST_RESTART_MS);
}

function startLater(delayMs) {
  setTimeout(() => {
    if (isStopping) process.exit(0);
    startServer();
  }, delayMs);
}
