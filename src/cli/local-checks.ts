/** The checks of `doctor` while the product is not running. */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { type Finding, fine, wrong } from "#contract/operator.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const LEAST_NODE_MAJOR = 26;
const LEAST_FREE_BYTES = 500 * 1024 * 1024;
const SETTINGS_CHECK = join(import.meta.dirname, "..", "server", "operator", "check-settings.ts");
const KEY_FILE = "master.keys";
const LOCK_FILE = "store.lock";
const DEFAULT_PORT = "3000";
const DEFAULT_HOST = "127.0.0.1";

export async function checkMachine(env: Environment, dataDir: string): Promise<readonly Finding[]> {
  return [
    wrong(
      "nobody answers on the operator's socket",
      'the product does not run here: start it with "npm start"',
    ),
    checkNode(),
    await checkSettings(env),
    ...checkDataDir(env, dataDir),
    await checkPort(env),
  ];
}

function checkNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= LEAST_NODE_MAJOR
    ? fine(`Node ${node}`)
    : wrong(`Node ${node} is too old`, `"npm start" brings Node ${LEAST_NODE_MAJOR} itself: use it`);
}

async function checkSettings(env: Environment): Promise<Finding> {
  try {
    await promisify(execFile)(process.execPath, [SETTINGS_CHECK], { env: { ...env }, timeout: 10_000 });
    return fine("settings");
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    return wrong(
      said === "" ? "the settings could not be checked" : said,
      "correct it in the environment or in .env",
    );
  }
}

function checkDataDir(env: Environment, dataDir: string): readonly Finding[] {
  if (!existsSync(dataDir)) return [fine(`${dataDir} does not exist yet: the first start makes it`)];
  const checks = [checkWritable, checkModes, checkLock, checkDisk];
  return [...checks.map((check) => check(dataDir)), checkKeys(env, dataDir)];
}

function checkWritable(dataDir: string): Finding {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return fine(`${dataDir} can be written`);
  } catch {
    return wrong(`${dataDir} cannot be written`, "give it to the system user that runs the product");
  }
}

function checkModes(dataDir: string): Finding {
  const open = ["", KEY_FILE].filter((name) => {
    const path = join(dataDir, name);
    return existsSync(path) && (statSync(path).mode & 0o077) !== 0 && process.platform !== "win32";
  });
  return open.length === 0
    ? fine("only this system user can read the data")
    : wrong("other system users can read the data", `chmod -R go= ${dataDir}`);
}

function checkLock(dataDir: string): Finding {
  const file = join(dataDir, LOCK_FILE);
  if (!existsSync(file)) return fine("nobody uses the store");
  const database = new DatabaseSync(file);
  try {
    database.exec("BEGIN EXCLUSIVE");
    return fine("nobody uses the store");
  } catch {
    return wrong("a process holds the store and does not answer", `find it (lsof ${file}) and end it`);
  } finally {
    database.close();
  }
}

function checkKeys(env: Environment, dataDir: string): Finding {
  const hasStore = existsSync(join(dataDir, "store")) && readdirSync(join(dataDir, "store")).length > 0;
  const hasKeys = existsSync(join(dataDir, KEY_FILE)) || (env["MASTER_KEYS"] ?? "") !== "";
  if (hasKeys || !hasStore) return fine("the keys are there, or not needed yet");
  return wrong(
    "the store is there and its keys are not",
    `put ${KEY_FILE} back from its backup, or set MASTER_KEYS`,
  );
}

function checkDisk(dataDir: string): Finding {
  const { bavail, bsize } = statfsSync(dataDir);
  const freeBytes = bavail * bsize;
  const free = `${Math.floor(freeBytes / 1024 / 1024)} MB free on the disk`;
  return freeBytes >= LEAST_FREE_BYTES ? fine(free) : wrong(free, "make room: a full disk stops the store");
}

async function checkPort(env: Environment): Promise<Finding> {
  const written = env["PORT"]?.trim() ?? "";
  const port = Number(written === "" ? DEFAULT_PORT : written);
  const host = env["HOST"]?.trim() ?? "";
  const isFree = await canListen(port, host === "" ? DEFAULT_HOST : host);
  return isFree
    ? fine(`port ${port} is free`)
    : wrong(`port ${port} cannot be opened`, "another program has it: end that one, or set another PORT");
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on("error", () => resolve(false));
    try {
      probe.listen(port, host, () => probe.close(() => resolve(true)));
    } catch {
      // An invalid port is reported by the check of the settings.
      resolve(false);
    }
  });
}
