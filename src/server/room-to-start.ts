import { statfsSync } from "node:fs";
import { StartLater } from "./start-refused.ts";

/** The store's log grows by files of 16 MB, and recovery after a crash may need one. */
const LEAST_FREE_BYTES = 32 * 1024 * 1024;

/**
 * Runs a start step that writes to the data directory. A full disk fails it in many ways, so the free space is checked
 * after any failure.
 * @throws StartLater in place of the failure when the disk is full
 */
export async function tellingLackOfRoom<Started>(
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
