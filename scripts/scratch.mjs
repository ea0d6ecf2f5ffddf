// Where the tests keep their temporary files: thousands of stores of a thousand files each are made and removed, which
// takes a disk's file system half a second of processor time for each store, and memory next to nothing.
import { chmodSync, existsSync, mkdirSync, rmSync, statfsSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { root } from "./setup.mjs";

const MEMORY_DISK = "/dev/shm";
const ROOM_NEEDED = 3 * 2 ** 30;
const MEMORY_NEEDED = 6 * 2 ** 30;

/**
 * The environment that sends temporary files into memory while this process lives; none where the machine has no
 * such file system, or too little memory for it.
 */
export function inMemory() {
  if (!hasRoom()) return {};
  // Of this clone, so that what an interrupted run left behind goes with the next one.
  const folder = join(MEMORY_DISK, `synapse-${createHash("sha256").update(root).digest("hex").slice(0, 8)}`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  remove();
  mkdirSync(folder);
  // As /tmp is: a PostgreSQL server runs as another user.
  chmodSync(folder, 0o1777);
  process.once("exit", remove);
  return { TMPDIR: folder };
}

function hasRoom() {
  if (process.platform !== "linux" || !existsSync(MEMORY_DISK)) return false;
  const { bavail, bsize } = statfsSync(MEMORY_DISK);
  return bavail * bsize >= ROOM_NEEDED && process.availableMemory() >= MEMORY_NEEDED;
}
