import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { aUser } from "#verify/testing/a-user.ts";
import { newDataDir, testStoreOptions } from "#verify/testing/test-store.ts";
import { openStore } from "./open-store.ts";

const WRITER = fileURLToPath(new URL("../../verify/testing/acknowledged-writer.ts", import.meta.url));

test("every write acknowledged before kill -9 is present when the next process opens the store", async () => {
  const dataDir = await newDataDir();
  try {
    let acknowledgedBefore = 0;
    for (const killAfter of [1, 30, 150]) {
      const acknowledged = await writeUntilKilled(dataDir, killAfter);
      expect(acknowledged).toBeGreaterThanOrEqual(killAfter);
      acknowledgedBefore = Math.max(acknowledgedBefore, acknowledged);
      await expectWhole(dataDir, acknowledgedBefore);
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("a second process on the same data directory is refused while the first lives", async () => {
  const dataDir = await newDataDir();
  const writer = startWriter(dataDir);
  try {
    await lineAfter(writer, (line) => line === "open");
    await expect(openStore(testStoreOptions(dataDir))).rejects.toMatchObject({
      name: "StoreError",
      code: "locked",
    });
    await kill(writer);
    await expectWhole(dataDir, 0);
  } finally {
    await kill(writer);
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** The store opens, holds all acknowledged batches, and no batch in part. */
async function expectWhole(dataDir: string, acknowledged: number): Promise<void> {
  await using store = await openStore(testStoreOptions(dataDir));
  const seen = await store.listings.seenSince(0, 1_000_000);
  const ids = seen.map(({ listing }) => Number(listing.id)).toSorted((a, b) => a - b);
  expect(ids.length).toBeGreaterThanOrEqual(acknowledged);
  expect(ids).toEqual(ids.map((_, index) => index + 1));
  const { user } = await store.users.signIn(aUser(), 1);
  const matches = await store.listings.recentMatches(user.id, 1_000_000);
  expect(matches).toHaveLength(ids.length);
  const [mark] = await store.listings.sliceMarks();
  expect(mark?.highestListingId ?? 0).toBe(ids.length);
}

async function writeUntilKilled(dataDir: string, killAfter: number): Promise<number> {
  const writer = startWriter(dataDir);
  let last = 0;
  await lineAfter(writer, (line) => {
    last = Number.isInteger(Number(line)) ? Number(line) : last;
    return last === killAfter;
  });
  await kill(writer);
  return last;
}

function startWriter(dataDir: string): ChildProcess {
  return spawn(process.execPath, [WRITER, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
}

async function lineAfter(writer: ChildProcess, isWanted: (line: string) => boolean): Promise<void> {
  if (writer.stdout === null) throw new Error("the writer's output is not piped");
  for await (const line of createInterface({ input: writer.stdout })) {
    if (isWanted(line)) return;
  }
  throw new Error("the writer ended by itself");
}

async function kill(writer: ChildProcess): Promise<void> {
  if (writer.exitCode !== null || writer.signalCode !== null) return;
  const ended = once(writer, "exit");
  writer.kill("SIGKILL");
  await ended;
}
