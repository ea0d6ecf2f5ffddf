import { sql } from "drizzle-orm";
import type { PoolClient } from "pg";
import { beforeEach, expect, test } from "vitest";
import { postgresForAll, rowsOf, storeForAll } from "../suite-store.suite.ts";
import { openEarly, interceptQuery } from "./driver-patches.ts";
import { clientForEach } from "./pipeline-client.suite.ts";

const at = storeForAll(postgresForAll());
const LOCK = "select pg_advisory_xact_lock(7)";

test("what is read behind a lock is what it guarded, however early it was asked for", async () => {
  const { db } = at();
  const lock = sql.raw(LOCK);
  await rowsOf(at(), sql`create table guarded (n int)`);
  await rowsOf(at(), sql`insert into guarded values (0)`);
  const once = async (): Promise<void> => {
    await db.transaction(async (tx) => {
      await tx.execute(lock);
      const [row] = await rowsOf({ db: tx }, sql`select n from guarded where ${1}::int = 1`);
      await tx.execute(sql`update guarded set n = ${Number(row?.["n"]) + 1}`);
    });
  };
  await Promise.all(Array.from({ length: 60 }, once));
  expect(await rowsOf(at(), sql`select n from guarded`)).toEqual([{ n: 60 }]);
});

const newClient = clientForEach();
let client: PoolClient;
/** What goes to the server in the stead of an opening: empty, or a statement that fails. */
let inStead: string;
let story: string[];

beforeEach(async () => {
  client = newClient();
  await client.query("create table notes (word text)");
  inStead = "";
  story = [];
  interceptQuery(client, ([text, ...others], send) => {
    const word = String(text).split(" ").slice(0, 2).join(" ");
    story.push(`asked: ${word}`);
    const isReplaced = inStead !== "" && (text === "begin" || text === LOCK);
    const answer = Promise.resolve(send([isReplaced ? inStead : text, ...others]));
    return answer.finally(() => story.push(`answered: ${word}`));
  });
  openEarly(client);
});

/** Its lock fails: nobody is told before something else is asked. */
async function beginWithFailingLock(): Promise<void> {
  await client.query("begin");
  inStead = "select 1 / 0";
  await client.query(LOCK);
}

test("a transaction's opening, its lock and its first read are asked for before any of them is answered", async () => {
  await client.query("begin");
  await client.query(LOCK);
  await client.query("select word from notes");
  await client.query("insert into notes values ('kept')");
  await client.query("commit");
  const together = ["begin", "select pg_advisory_xact_lock(7)", "select word"];
  expect(story).toEqual([
    ...together.map((word) => `asked: ${word}`),
    ...together.map((word) => `answered: ${word}`),
    "asked: insert into",
    "answered: insert into",
    "asked: commit",
    "answered: commit",
  ]);
  expect((await client.query("select word from notes")).rows).toEqual([{ word: "kept" }]);
});

test("an opening that fails is told by the read behind it and by every write, none of which is sent", async () => {
  inStead = "select 1 / 0";
  await client.query("begin");
  await expect(client.query("select word from notes")).rejects.toThrow("division by zero");
  await expect(client.query("insert into notes values ('astray')")).rejects.toThrow("division by zero");
  await expect(client.query("commit")).rejects.toThrow("division by zero");
  await client.query("rollback");
  inStead = "";
  await client.query("begin");
  await client.query("insert into notes values ('at home')");
  await client.query("commit");
  expect((await client.query("select word from notes")).rows).toEqual([{ word: "at home" }]);
});

test("a write right behind an opening waits for it", async () => {
  await beginWithFailingLock();
  await expect(client.query("insert into notes values ('unguarded')")).rejects.toThrow("division by zero");
  await client.query("rollback");
  expect((await client.query("select word from notes")).rows).toEqual([]);
  expect(story).not.toContain("asked: insert into");
});

test("a read behind a lock that fails is told of the lock's failure, not of what followed from it", async () => {
  await beginWithFailingLock();
  await expect(client.query("select word from notes")).rejects.toThrow("division by zero");
  await client.query("rollback");
});
