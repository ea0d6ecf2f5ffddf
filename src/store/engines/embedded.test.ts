import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { newDataDir } from "#verify/testing/test-store.ts";
import type { StoreError } from "../errors.ts";
import { sliceMarks } from "../schema/tables.ts";
import type { EmbeddedTimings } from "./embedded-client.ts";
import { openEmbedded, storeDirectory } from "./embedded.ts";
import type { Engine } from "./db.ts";

interface Opened {
  readonly engine: Engine;
  readonly dataDir: string;
  readonly fatal: StoreError[];
}

async function open(timings: Partial<EmbeddedTimings> = {}, dataDir?: string): Promise<Opened> {
  const folder = dataDir ?? (await newDataDir());
  const fatal: StoreError[] = [];
  const engine = await openEmbedded({
    dataDir: folder,
    log: createQuietLog(),
    onFatal: (error) => fatal.push(error),
    timings,
  });
  onTestFinished(async () => {
    try {
      await engine[Symbol.asyncDispose]();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return { engine, dataDir: folder, fatal };
}

const aMark = (key: string) => ({ key, lastReadAtMs: 1, highestListingId: 1 });

async function keysIn({ db }: Engine): Promise<readonly string[]> {
  return (await db.select().from(sliceMarks).orderBy(sliceMarks.key)).map(({ key }) => key);
}

describe("transactions of the embedded store", () => {
  test("are atomic", async () => {
    const { engine } = await open();
    const broken = engine.db.transaction(async (tx) => {
      await tx.insert(sliceMarks).values(aMark("a"));
      throw new Error("changed my mind");
    });
    await expect(broken).rejects.toThrow("changed my mind");
    await engine.db.transaction(async (tx) => {
      await tx.insert(sliceMarks).values(aMark("b"));
      await expect(
        tx.transaction(async (inner) => {
          await inner.insert(sliceMarks).values(aMark("c"));
          throw new Error("only this part");
        }),
      ).rejects.toThrow("only this part");
    });
    expect(await keysIn(engine)).toEqual(["b"]);
  });

  test("are isolated: concurrent queries wait for them and see all of their changes", async () => {
    const { engine } = await open();
    const halfway = Promise.withResolvers<void>();
    const resume = Promise.withResolvers<void>();
    const writing = engine.db.transaction(async (tx) => {
      await tx.insert(sliceMarks).values(aMark("a"));
      halfway.resolve();
      await resume.promise;
      await tx.insert(sliceMarks).values(aMark("b"));
    });
    await halfway.promise;
    const reading = keysIn(engine);
    resume.resolve();
    await writing;
    expect(await reading).toEqual(["a", "b"]);
  });

  test("refuse the outer database inside, which would deadlock", async () => {
    const { engine } = await open();
    const nested = engine.db.transaction(async (tx) => {
      await tx.insert(sliceMarks).values(aMark("a"));
      await engine.db.insert(sliceMarks).values(aMark("b"));
    });
    await expect(nested).rejects.toMatchObject({
      cause: { message: "inside a transaction only its own tx may be used" },
    });
    expect(await keysIn(engine)).toEqual([]);
  });

  test("may start work that uses the outer database after they ended", async () => {
    const { engine } = await open();
    const started = Promise.withResolvers<void>();
    let later = Promise.resolve();
    await engine.db.transaction(async (tx) => {
      await tx.insert(sliceMarks).values(aMark("a"));
      later = started.promise.then(async () => {
        await engine.db.insert(sliceMarks).values(aMark("b"));
      });
    });
    started.resolve();
    await later;
    expect(await keysIn(engine)).toEqual(["a", "b"]);
  });

  test("fail to commit when an error inside was swallowed", async () => {
    const { engine } = await open();
    const transaction = engine.db.transaction(async (tx) => {
      await tx.insert(sliceMarks).values(aMark("a"));
      await expect(tx.execute(sql`select 1 / 0`)).rejects.toThrow();
    });
    await expect(transaction).rejects.toThrow("nothing was committed");
    expect(await keysIn(engine)).toEqual([]);
  });

  test("that stay open too long are rolled back, and others continue", async () => {
    const { engine, fatal } = await open({ transactionTimeoutMs: 50 });
    const resume = Promise.withResolvers<void>();
    let late: Promise<unknown> = Promise.resolve();
    const endless = engine.db.transaction(async (tx) => {
      await tx.insert(sliceMarks).values(aMark("a"));
      late = resume.promise.then(() => tx.insert(sliceMarks).values(aMark("b")));
      await late;
    });
    await expect(endless).rejects.toThrow("rolled back");
    resume.resolve();
    await expect(late).rejects.toMatchObject({ cause: { message: "the transaction is over" } });
    expect(await keysIn(engine)).toEqual([]);
    expect(fatal).toEqual([]);
  });

  test("of hundreds at once are all served, in turn", async () => {
    const { engine } = await open();
    await engine.db.insert(sliceMarks).values(aMark("counter"));
    await Promise.all(
      Array.from({ length: 200 }, () =>
        engine.db.transaction(async (tx) => {
          const [row] = await tx.select().from(sliceMarks).where(eq(sliceMarks.key, "counter")).for("update");
          const highestListingId = (row?.highestListingId ?? 0) + 1;
          await tx.update(sliceMarks).set({ highestListingId }).where(eq(sliceMarks.key, "counter"));
        }),
      ),
    );
    const [row] = await engine.db.select().from(sliceMarks);
    expect(row?.highestListingId).toBe(201);
  });
});

describe("failures of the embedded store", () => {
  test("report the SQLSTATE and the constraint as node-postgres does, and quote no row", async () => {
    const { engine } = await open();
    await engine.db.insert(sliceMarks).values(aMark("canary"));
    const failure: unknown = await engine.db
      .insert(sliceMarks)
      .values(aMark("canary"))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ cause: { code: "23505", constraint: "slice_marks_pkey" } });
    expect(JSON.stringify(failure instanceof Error ? failure.cause : null)).not.toContain("canary");
  });

  test("a query without an answer in time ends the store and calls onFatal once", async () => {
    const { engine, fatal } = await open({ queryTimeoutMs: 200 });
    const endless = async () =>
      await engine.db.execute(sql`select count(*) from generate_series(1, 1000000000000)`);
    const [counting, waiting] = [endless(), keysIn(engine)];
    await expect(counting).rejects.toMatchObject({ cause: { code: "unanswered" } });
    await expect(waiting).rejects.toMatchObject({ cause: { code: "unanswered" } });
    await expect(keysIn(engine)).rejects.toMatchObject({ cause: { code: "unanswered" } });
    expect(fatal.map(({ code }) => code)).toEqual(["unanswered"]);
  });

  test("unreadable files end the store and call onFatal", async () => {
    const { engine, dataDir, fatal } = await open();
    const path = sql<string>`pg_relation_filepath('slice_marks')`;
    const [row] = await engine.db.select({ path }).from(sql`(select 1) as one`);
    rmSync(join(storeDirectory(dataDir), row?.path ?? "?"));
    await expect(keysIn(engine)).rejects.toMatchObject({ cause: { code: "58P01" } });
    expect(fatal.map(({ code }) => code)).toEqual(["unanswered"]);
    await expect(engine.db.execute(sql`select 1`)).rejects.toMatchObject({ cause: { code: "unanswered" } });
  });

  test("a closed store refuses queries and may be closed twice", async () => {
    const { engine, fatal } = await open();
    await engine[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
    await expect(keysIn(engine)).rejects.toMatchObject({ cause: { code: "closed" } });
    expect(fatal).toEqual([]);
  });

  test("data of another version of the engine are refused, naming the version", async () => {
    const { engine, dataDir } = await open();
    await engine[Symbol.asyncDispose]();
    writeFileSync(join(storeDirectory(dataDir), "PG_VERSION"), "17\n");
    await expect(open({}, dataDir)).rejects.toMatchObject({
      code: "unopenable",
      message: expect.stringContaining("PostgreSQL 17") as string,
    });
  });
});

test("the migrations of a new store may take longer than a transaction of the product", async () => {
  const { path } = await temporaryFolder();
  const { engine, fatal } = await open({ transactionTimeoutMs: 1 }, path);
  expect(await keysIn(engine)).toEqual([]);
  expect(fatal).toEqual([]);
});

test("a data directory that cannot be made is refused in one line", async () => {
  const { dataDir } = await open();
  const notAFolder = join(dataDir, "file");
  writeFileSync(notAFolder, "");
  await expect(open({}, join(notAFolder, "data"))).rejects.toMatchObject({ code: "unopenable" });
});

test("where the store was moved to PostgreSQL, no new one is begun", async () => {
  await using folder = await temporaryFolder();
  mkdirSync(join(folder.path, "store-moved"));
  await expect(open({}, folder.path)).rejects.toMatchObject({
    code: "unopenable",
    message: `the store was moved to PostgreSQL (the old one lies in ${join(folder.path, "store-moved")}): set DATABASE_URL`,
  });
  expect(readdirSync(folder.path)).toEqual(["store-moved"]);
});

describe("upkeep of the embedded store", () => {
  test("checkpoints by itself, so that the log does not grow without bound", async () => {
    const { engine } = await open({ checkpointIntervalMs: 20 });
    const redo = sql<string>`(select redo_lsn::text from pg_control_checkpoint())`;
    const redoPoint = async () => (await engine.db.select({ redo }).from(sql`(select 1) as one`))[0]?.redo;
    const before = await redoPoint();
    await engine.db.insert(sliceMarks).values(aMark("a"));
    await expect.poll(redoPoint).not.toBe(before);
  });

  test("a backup holds the whole store in one archive readable by this user only, and opens in another directory", async () => {
    const { engine, dataDir } = await open();
    await engine.db.insert(sliceMarks).values(aMark("kept"));
    const archive = join(dataDir, "backup.tar.gz");
    await engine.backup(archive);
    await engine.db.insert(sliceMarks).values(aMark("later"));
    expect(statSync(archive).mode & 0o777).toBe(0o600);

    const restored = join(dataDir, "restored");
    mkdirSync(storeDirectory(restored), { recursive: true });
    execFileSync("tar", ["-xzf", archive, "-C", storeDirectory(restored)], { stdio: "pipe" });
    const { engine: copy } = await open({}, restored);
    expect(await keysIn(copy)).toEqual(["kept"]);
  });

  test("while a backup is compressed, the store answers", async () => {
    const { engine, dataDir } = await open();
    const order: string[] = [];
    const backup = engine.backup(join(dataDir, "backup.tar.gz")).then(() => order.push("backup"));
    // Asked after the backup, which therefore copies first.
    await engine.db.insert(sliceMarks).values(aMark("meanwhile"));
    order.push("statement");
    await backup;
    expect(order).toEqual(["statement", "backup"]);
  });

  test("a close waits for the backup that runs", async () => {
    const { engine, dataDir } = await open();
    const archive = join(dataDir, "backup.tar.gz");
    const backup = engine.backup(archive);
    await engine[Symbol.asyncDispose]();
    await backup;
    expect(existsSync(archive)).toBe(true);
  });

  test("a backup overwrites no file, follows no prepared link, and leaves no partial file", async () => {
    const { engine, dataDir } = await open();
    const folder = join(dataDir, "backups");
    mkdirSync(folder);
    const inFolder = (name: string) => join(folder, name);
    writeFileSync(inFolder("taken"), "another's");
    symlinkSync(inFolder("nowhere"), inFolder("link"));
    for (const name of ["taken", "link"])
      await expect(engine.backup(inFolder(name))).rejects.toMatchObject({
        name: "StoreError",
        code: "exists",
        message: `${inFolder(name)} exists already: a backup overwrites nothing`,
      });
    expect(readFileSync(inFolder("taken"), "utf8")).toBe("another's");

    await expect(engine.backup(join(folder, "missing", "new"))).rejects.toThrow(
      /new cannot be written \(ENOENT\): a backup needs a folder that exists/,
    );

    writeFileSync(inFolder("new.unfinished"), "prepared", { mode: 0o666 });
    await engine.backup(inFolder("new"));
    expect(statSync(inFolder("new")).mode & 0o777).toBe(0o600);
    expect(readFileSync(inFolder("new.unfinished"), "utf8")).toBe("prepared");
    expect(readdirSync(folder).toSorted()).toEqual(["link", "new", "new.unfinished", "taken"]);
  });
});
