import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as filePromises from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { syncTree } from "./durable-node-fs.ts";

vi.mock("node:fs/promises", { spy: true });

test("every file and every folder is opened for its sync, once, however many there are", async () => {
  const folder = mkdtempSync(join(tmpdir(), "synapse-sync-"));
  try {
    const inner = join(folder, "base", "1");
    mkdirSync(inner, { recursive: true });
    const files = Array.from({ length: 100 }, (_, n) => join(inner, String(n)));
    for (const file of files) writeFileSync(file, "x");
    await syncTree(folder);
    const opened = vi.mocked(filePromises.open).mock.calls.map(([path]) => String(path));
    expect(opened.toSorted()).toEqual([folder, join(folder, "base"), inner, ...files].toSorted());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
