import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes files that only this system user can read, atomically and durably (fsync before the call returns). The
 * temporary file has a random name and is opened exclusively without following links, so that a prepared symlink or a
 * file readable by others is never written to.
 */

/** Throws `EEXIST` if the path exists, even as a dangling link; what exists is not changed. */
export function writeNewFile(path: string, content: string | Uint8Array): void {
  // Unlike a rename, a hard link replaces nothing.
  writePrivately(path, content, linkSync);
}

/** Atomically replaces what exists under the path. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  writePrivately(path, content, renameSync);
}

function writePrivately(
  path: string,
  content: string | Uint8Array,
  publishFile: (temporary: string, path: string) => void,
): void {
  // A random name, opened exclusively: a prepared file or symlink is refused.
  const temporary = `${path}.${randomBytes(12).toString("hex")}.unfinished`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    publishFile(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
}

function syncFolder(folder: string): void {
  // Windows cannot open folders.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
