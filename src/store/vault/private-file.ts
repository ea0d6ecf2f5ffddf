import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes files that only this system user can read, atomically and durably (fsync before the call returns). The
 * temporary file has a random name and is opened exclusively without following links, so that a prepared symlink or a
 * file readable by others is never written to.
 */

/** What exists under the path, a link that leads nowhere included, stays as it is: throws the system's `EEXIST`. */
export function writeNewFile(path: string, content: string | Uint8Array): void {
  // Unlike a renaming, a second name replaces nothing.
  writePrivately(path, content, linkSync);
}

/** What exists under the path is gone in the moment in which the new file stands there. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  writePrivately(path, content, renameSync);
}

function writePrivately(
  path: string,
  content: string | Uint8Array,
  giveName: (unfinished: string, path: string) => void,
): void {
  // A random name, opened exclusively: a prepared file or symlink is refused.
  const unfinished = `${path}.${randomBytes(12).toString("hex")}.unfinished`;
  const descriptor = openSync(unfinished, "wx", 0o600);
  try {
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    giveName(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
  syncFolder(dirname(path));
}

function syncFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
