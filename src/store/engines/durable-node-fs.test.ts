import { rmSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { expect, test } from "vitest";
import { newDataDir } from "#verify/testing/test-store.ts";
import { DurableNodeFS } from "./embedded-worker.ts";
import { storeDirectory } from "./embedded.ts";

/** With the product's file system but other start parameters, which its start-up check would reject. */
async function syncsOf(startParams: string[], statement: string): Promise<number> {
  const dataDir = await newDataDir();
  const files = new DurableNodeFS(storeDirectory(dataDir));
  const database = await PGlite.create({ fs: files, startParams });
  try {
    const before = files.syncCount;
    await database.query(statement);
    return files.syncCount - before;
  } finally {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const withoutNoFsync = PGlite.defaultStartParams.filter((parameter) => parameter !== "-F");
const durable = [...withoutNoFsync, "-c", "wal_sync_method=fsync"];
const insert = "insert into slice_marks values ('a', 1, 1)";

test("a commit is synced to the disk, and a read is not", async () => {
  expect(await syncsOf(durable, insert)).toBe(1);
  expect(await syncsOf(durable, "select * from slice_marks")).toBe(0);
});

test("with the engine's own settings nothing is synced: the start-up check detects that", async () => {
  expect(await syncsOf(PGlite.defaultStartParams, insert)).toBe(0);
});
