/** The data directory: its checks, for the running product and while it is down, and the path of the operator's socket. */
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type Finding,
  fine,
  OPERATOR_SOCKET_FILE,
  SOCKET_PATH_MAX_BYTES,
  wrong,
} from "#contract/operator.ts";
import { keyFile } from "#store/vault/keys.ts";
import { StartRefused } from "../start-refused.ts";

const LEAST_FREE_BYTES = 500 * 1024 * 1024;
const LOCK_FILE = "store.lock";

/**
 * The path of the operator's socket file. A long path is made relative to the working directory if that is shorter.
 * @throws StartRefused when neither fits into a socket address
 */
export function operatorSocketPath(dataDir: string): string {
  const absolute = join(dataDir, OPERATOR_SOCKET_FILE);
  const fitting = [absolute, relative(process.cwd(), absolute)].find(
    (path) => Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES,
  );
  if (fitting !== undefined) return fitting;
  throw new StartRefused(
    `DATA_DIR is too long for the operator's socket file (${absolute}): choose a shorter one`,
  );
}

/** Every check, while the product is not running. */
export function checkDataDir(dataDir: string, hasMasterKeys: boolean): readonly Finding[] {
  if (!existsSync(dataDir)) return [fine(`${dataDir} does not exist yet: the first start makes it`)];
  const checks = [checkWritable, checkModes, checkLock, checkDisk];
  return [...checks.map((check) => check(dataDir)), checkKeys(dataDir, hasMasterKeys)];
}

function checkWritable(dataDir: string): Finding {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return fine(`${dataDir} can be written`);
  } catch {
    return wrong(`${dataDir} cannot be written`, "give it to the system user that runs the product");
  }
}

export function checkModes(dataDir: string): Finding {
  const open = [dataDir, keyFile(dataDir)].filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0 && process.platform !== "win32",
  );
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

function checkKeys(dataDir: string, hasMasterKeys: boolean): Finding {
  const hasStore = existsSync(join(dataDir, "store")) && readdirSync(join(dataDir, "store")).length > 0;
  if (hasMasterKeys || !hasStore || existsSync(keyFile(dataDir)))
    return fine("the keys are there, or not needed yet");
  return wrong(
    "the store is there and its keys are not",
    "put master.keys back from its backup, or set MASTER_KEYS",
  );
}

export function checkDisk(dataDir: string): Finding {
  const { bavail, bsize } = statfsSync(dataDir);
  const freeBytes = bavail * bsize;
  const free = `${Math.floor(freeBytes / 1024 / 1024)} MB free on the disk`;
  return freeBytes >= LEAST_FREE_BYTES ? fine(free) : wrong(free, "make room: a full disk stops the store");
}
