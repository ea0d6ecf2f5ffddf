import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Files of this system user alone, written whole or not at all and on the disk when the call returns. What was
 * prepared under a name that could be guessed, a link to elsewhere or a file that others can read, is neither written
 * into nor taken over.
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
  // A name that nobody can have prepared; opened only if it is new, following no link.
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
