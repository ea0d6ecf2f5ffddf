import { fstatSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { syncTree } from "./embedded-worker.ts";

test("every file and every folder is synced, once, however many there are", async () => {
  const folder = mkdtempSync(join(tmpdir(), "synapse-sync-"));
  const inner = join(folder, "base", "1");
  mkdirSync(inner, { recursive: true });
  const files = Array.from({ length: 100 }, (_, n) => join(inner, String(n)));
  for (const file of files) writeFileSync(file, "x");

  // Patches the class, not the module, which another test may have loaded in this process.
  const handle = await open(folder, "r");
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  const synced: string[] = [];
  const sync = vi.spyOn(handles, "sync").mockImplementation(function (this: FileHandle) {
    synced.push(String(fstatSync(this.fd).ino));
    return Promise.resolve();
  });
  try {
    await syncTree(folder);
  } finally {
    sync.mockRestore();
    await handle.close();
  }

  const all = [folder, join(folder, "base"), inner, ...files];
  expect(synced.toSorted()).toEqual(all.map((path) => String(statSync(path).ino)).toSorted());
  rmSync(folder, { recursive: true, force: true });
});
