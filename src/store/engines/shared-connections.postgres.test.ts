import { Pool } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { databasesForAll } from "../suite-store.suite.ts";
import { SharedConnections } from "./connections.ts";

const freshDatabase = databasesForAll();
let pool: Pool;
let shared: SharedConnections;

beforeEach(async () => {
  pool = new Pool({ connectionString: await freshDatabase(), max: 4, pipeline: true });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  shared = new SharedConnections(() => pool.connect(), 2);
});
afterEach(async () => {
  await pool.end();
});

async function rows(text: string): Promise<unknown> {
  const answer = await shared.ask((client) => client.query(text));
  return typeof answer === "object" && answer !== null && "rows" in answer ? answer.rows : answer;
}

test("many statements at once take two connections, and give them back", async () => {
  const answers = Array.from({ length: 50 }, (_, n) => rows(`select ${n}::int as n`));
  expect(pool.totalCount).toBe(2);
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 50 }, (_, n) => [{ n }]));
  expect([pool.totalCount, pool.idleCount]).toEqual([2, 2]);
});

test("what comes behind a slow statement goes past it", async () => {
  const order: string[] = [];
  const note = async (name: string, text: string): Promise<void> => {
    await rows(text);
    order.push(name);
  };
  const slow = note("slow", "select pg_sleep(1)");
  // Long enough for it to be known as slow.
  await rows("select pg_sleep(0.2)");
  await Promise.all([...Array.from({ length: 10 }, () => note("quick", "select 1")), slow]);
  expect(order).toEqual([...Array.from({ length: 10 }, () => "quick"), "slow"]);
});

test("a statement that the server refuses is told to its own asker alone, and costs no connection", async () => {
  const asked = [rows("select 1 as n"), rows("select 1 / 0"), rows("select 1 / 0"), rows("select 2 as n")];
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(pool.idleCount).toBe(2);
});

test("a connection that breaks is told to all who asked it, and asked no more", async () => {
  const outcomes = Promise.allSettled(Array.from({ length: 6 }, () => rows("select pg_sleep(60)")));
  const sleeping = "from pg_stat_activity where pid <> pg_backend_pid() and query like '%pg_sleep%'";
  const other = await pool.connect();
  await expect.poll(async () => (await other.query(`select pid ${sleeping}`)).rowCount).toBe(2);
  await other.query(`select pg_terminate_backend(pid) ${sleeping}`);
  other.release();
  expect((await outcomes).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "rejected"));
  expect(await rows("select 3 as n")).toEqual([{ n: 3 }]);
});
