import { randomBytes } from "node:crypto";
import { link, open, unlink } from "node:fs/promises";

/**
 * Whole or not at all, and readable by this system user alone. What exists under the path, a link that leads nowhere
 * included, stays as it is: the answer then rejects with the system's `EEXIST`.
 */
export async function writeNewFile(path: string, content: Uint8Array): Promise<void> {
  // A name that nobody can have prepared; opened only if it is new, following no link.
  const unfinished = `${path}.${randomBytes(12).toString("hex")}.unfinished`;
  const file = await open(unfinished, "wx", 0o600);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    // Unlike a renaming, a second name replaces nothing.
    await link(unfinished, path);
  } finally {
    await unlink(unfinished);
  }
}
