import { statfsSync } from "node:fs";
import { StoreError, type StoreErrorCode } from "#store/errors.ts";

/** The product cannot start with these settings. The message is one line for the operator. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
}

/** The start failed because something is temporarily missing. The message is one line for the operator. */
export class StartLater extends Error {
  override readonly name = "StartLater";
}

/** The exit code of a refused start: the supervisor must not start it again. */
export const START_REFUSED_EXIT_CODE = 2;

/** The exit code of a start that may succeed later: the supervisor should try again. */
export const START_LATER_EXIT_CODE = 3;

const MAY_PASS: ReadonlySet<StoreErrorCode> = new Set(["unanswered", "unreachable"]);

/** The message of a failed start that may succeed later; null for any other failure. */
export function delayOf(error: unknown): string | null {
  if (error instanceof StartLater) return error.message;
  return error instanceof StoreError && error.code === "unreachable" ? error.message : null;
}

/**
 * The message of a failed start that another start would not fix; null for any other failure.
 */
export function refusalOf(error: unknown): string | null {
  if (error instanceof StartRefused) return error.message;
  if (error instanceof StoreError) return MAY_PASS.has(error.code) ? null : error.message;
  return portRefusal(error);
}

function portRefusal(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("port" in error)) return null;
  const { code, port } = error;
  if (code === "EADDRINUSE")
    return `port ${String(port)} is in use: end the program that has it, or set another port`;
  if (code === "EACCES")
    return `port ${String(port)} may not be opened by this system user: set another port`;
  return code === "EADDRNOTAVAIL" ? `HOST or SANDBOX_HOST is no address of this machine` : null;
}

const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** Why the data directory cannot be used, from the error of making or opening it. */
export function dataDirFailure(dataDir: string, error: unknown): StartLater | StartRefused {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return NO_ROOM.has(code)
    ? new StartLater(`the disk of DATA_DIR ${dataDir} is full (${code}): make room there`)
    : new StartRefused(
        `DATA_DIR ${dataDir} cannot be used (${code}): it must be a directory that can be written`,
      );
}

/** The store's log grows in files of 16 MB, and recovery after a crash may need one. */
const LEAST_FREE_BYTES = 32 * 1024 * 1024;

/**
 * Runs a start step that writes to the data directory. A full disk fails it in many ways, so the free space is checked
 * after any failure.
 * @throws StartLater in place of the failure when the disk is full
 */
export async function withDiskCheck<Started>(
  dataDir: string,
  start: () => Promise<Started>,
): Promise<Started> {
  try {
    return await start();
  } catch (error) {
    const freeBytes = freeBytesAt(dataDir);
    if (freeBytes >= LEAST_FREE_BYTES) throw error;
    const free = Math.floor(freeBytes / 1024 / 1024);
    throw new StartLater(
      `the disk of DATA_DIR is full (${free} MB free, the start needs 32): make room there; nothing that was saved is lost`,
      { cause: error },
    );
  }
}

function freeBytesAt(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
