// Puts the temporary files of tests into memory. They create thousands of stores of a thousand files each; on
// a disk's file system each costs half a second of CPU time, in memory next to nothing.
import { chmodSync, existsSync, mkdirSync, rmSync, statfsSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { root } from "./setup.mjs";

const MEMORY_DISK = "/dev/shm";
const ROOM_NEEDED = 3 * 2 ** 30;
const MEMORY_NEEDED = 6 * 2 ** 30;

/**
 * The environment that moves temporary files into memory for the lifetime of this process; empty when the
 * machine has no such file system or too little memory.
 */
export function inMemory() {
  if (!hasRoom()) return {};
  // Named after this clone, so that the next run removes what an interrupted one left behind.
  const folder = join(MEMORY_DISK, `synapse-${createHash("sha256").update(root).digest("hex").slice(0, 8)}`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    remove();
    mkdirSync(folder);
  } catch (error) {
    // Another user who tests this clone has it.
    if (error.code === "EACCES" || error.code === "EPERM") return {};
    throw error;
  }
  // World-writable and sticky like /tmp, because a PostgreSQL server runs as another user.
  chmodSync(folder, 0o1777);
  process.once("exit", remove);
  return { TMPDIR: folder };
}

function hasRoom() {
  if (process.platform !== "linux" || !existsSync(MEMORY_DISK)) return false;
  const { bavail, bsize } = statfsSync(MEMORY_DISK);
  return bavail * bsize >= ROOM_NEEDED && process.availableMemory() >= MEMORY_NEEDED;
}
