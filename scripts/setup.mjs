// Brings a fresh clone to the point where the product can run. Plain JavaScript without dependencies,
// because it runs on whatever Node the machine has (18 or newer), before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { uptime } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const installStamp = join(modules, ".installed-for");
/** Names the sources that dist/web was built from. */
export const webStamp = join(root, "dist", ".built-from");
const builtPage = join(root, "dist", "web", "panel.html");

/** The project's own Node, a platform package of the lock file. */
export const node = join(modules, ".bin", process.platform === "win32" ? "node.cmd" : "node");

/** Makes Node load the operator's settings file when there is one. */
export const envFileFlags = existsSync(join(root, ".env")) ? ["--env-file=.env"] : [];

export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Exits with a message that a person can act on. @returns {never} */
export function giveUp(reason) {
  say(reason);
  process.exit(1);
}

/** Runs a command with the project's binaries first on the PATH; ends the process when it fails. */
export function run(command, args, environment = {}) {
  const status = tryRun(command, args, environment);
  if (status !== 0) {
    say(`"${[command, ...args].join(" ")}" failed (exit code ${status}).`);
    process.exit(status);
  }
}

export function tryRun(command, args, environment = {}) {
  const { status, error } = spawnSync(command, args, {
    ...surroundings(environment),
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (error !== undefined) return 127;
  return status ?? 1;
}

/**
 * Runs a command concurrently. Its output is returned at its end, or with "inherit" printed at once.
 * @param {"pipe" | "inherit"} output
 * @returns {Promise<{ readonly status: number, readonly printed: string }>}
 */
export function tryRunBeside(command, args, environment = {}, output = "pipe") {
  const child = spawn(command, args, { ...surroundings(environment), stdio: ["ignore", output, output] });
  const pieces = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => pieces.push(piece));
  return new Promise((resolve) => {
    const end = (status) => resolve({ status, printed: Buffer.concat(pieces).toString() });
    child.on("error", () => end(127));
    child.on("close", (status) => end(status ?? 1));
  });
}

/** The options of a child process: this folder, with the project's binaries first on the PATH. */
export function surroundings(environment) {
  const path = `${join(modules, ".bin")}${process.platform === "win32" ? ";" : ":"}${process.env.PATH ?? ""}`;
  return {
    cwd: root,
    env: { ...process.env, PATH: path, ...environment },
    shell: process.platform === "win32",
  };
}

const setupLock = join(root, ".cache", "setup.lock");
const LOCK_POLL_MS = 200;
/** Longer than most set-ups, so that only an unusual wait is mentioned. */
const SILENT_WAIT_MS = 3_000;
/** A lock is empty between its creation and its first byte; for longer only if its owner was killed there. */
const EMPTY_LOCK_MS = 5_000;

/** Serialises set-up between processes of one clone; a lock whose owner died is taken over. */
export function exclusively(work) {
  for (let waitedMs = 0; !takeLock(setupLock); waitedMs += LOCK_POLL_MS) {
    if (waitedMs === SILENT_WAIT_MS) say(`Waiting for the set-up of process ${ownerOf(setupLock)}…`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  }
  try {
    work();
  } finally {
    rmSync(setupLock, { force: true });
  }
}

/** @returns false while a running process holds it */
export function takeLock(lock) {
  try {
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, `${process.pid} ${startOf(process.pid)}`, { flag: "wx" });
    return true;
  } catch (error) {
    const isTaken = error.code === "EEXIST" && error.path === lock;
    if (!isTaken) giveUpLock(lock, error.code);
    if (isHeld(lock)) return false;
    rmSync(lock, { force: true });
    return takeLock(lock);
  }
}

/** The process that holds the lock; 0 when unknown. */
export function ownerOf(lock) {
  return existsSync(lock) ? Number(readFileSync(lock, "utf8").split(" ")[0]) : 0;
}

/** When a process started, in ticks: a restarted container gives its number to another one. Empty if not on Linux. */
function startOf(pid) {
  const path = `/proc/${pid}/stat`;
  // The second field, a name in brackets, may hold anything.
  return existsSync(path) ? readFileSync(path, "utf8").split(") ").at(-1).split(" ")[19] : "";
}

function giveUpLock(lock, code) {
  // A full disk leaves the file empty.
  if (code === "ENOSPC") rmSync(lock, { force: true });
  giveUp(`The set-up cannot write ${lock.slice(root.length + 1)} in this folder (${code}).`);
}

function isHeld(lock) {
  try {
    const ageMs = Date.now() - statSync(lock).mtimeMs;
    // Since the machine started, its owner's number may have been given to another process.
    if (ageMs > uptime() * 1_000) return false;
    const [pid, start] = readFileSync(lock, "utf8").split(" ");
    if (pid === "") return ageMs < EMPTY_LOCK_MS;
    // In a container that was restarted, this process has the number of the one that was killed.
    if (Number(pid) === process.pid) return false;
    process.kill(Number(pid), 0);
    return start === startOf(pid);
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

/** Installs and builds what the product and its tests need. */
export function setUp() {
  exclusively(() => {
    install();
    buildWeb();
  });
}

/** Installs from the lock file when it changed since the last time. */
function install() {
  const wanted = digest([join(root, "package-lock.json")], `${process.platform}-${process.arch}`);
  if (readStamp(installStamp) === wanted && existsSync(node)) return;
  say("Installing the dependencies from the lock file…");
  // NODE_ENV=production would leave out what builds the web. No dependency needs an install script.
  const whole = ["--include=dev", "--include=optional"];
  run("npm", ["ci", "--ignore-scripts", ...whole, "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(installStamp, wanted);
}

/** Rebuilds the web when one of its sources changed. */
function buildWeb() {
  const sources = ["src/web", "src/contract", "src/catalogue", "vite.config.ts", "package-lock.json"];
  const wanted = digest(
    sources.flatMap((source) => filesUnder(join(root, source))),
    "web",
  );
  if (readStamp(webStamp) === wanted && existsSync(builtPage)) return;
  say("Building the web…");
  // A build that is interrupted leaves files that no stamp may vouch for.
  rmSync(webStamp, { force: true });
  run(node, [join(modules, "vite", "bin", "vite.js"), "build", "--logLevel", "warn"]);
  mkdirSync(dirname(webStamp), { recursive: true });
  writeFileSync(webStamp, wanted);
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function digest(files, salt) {
  const hash = createHash("sha256").update(salt);
  for (const file of files)
    hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}
