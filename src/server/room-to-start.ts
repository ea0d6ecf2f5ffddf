import { statfsSync } from "node:fs";
import { StartLater } from "./start-refused.ts";

/** The store's log grows by files of 16 MB, and one that was not closed wants one of them before it opens. */
const LEAST_FREE_BYTES = 32 * 1024 * 1024;

/**
 * Starts something that keeps files in the data directory. A disk without room fails such a start in as many ways as
 * there are files, so it is asked for its room afterwards and whatever failed.
 * @throws StartLater in place of the failure when there is none
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
