import { Client } from "pg";
import { expect, test } from "vitest";
import { databasesForAll } from "../suite-store.suite.ts";
import { writeOnceATurn } from "./driver-patches.ts";

const freshDatabase = databasesForAll();

async function aClient(): Promise<{ readonly client: Client; readonly writes: () => number }> {
  const client = new Client({ connectionString: await freshDatabase(), pipeline: true });
  await client.connect();
  writeOnceATurn(client);
  const { stream } = client.connection;
  let writes = 0;
  for (const name of ["_write", "_writev"] as const) {
    const write: unknown = Reflect.get(stream, name);
    if (typeof write !== "function") throw new TypeError(`a connection without ${name}`);
    Object.defineProperty(stream, name, {
      value: (...words: unknown[]): unknown => {
        writes += 1;
        return Reflect.apply(write, stream, words);
      },
    });
  }
  return { client, writes: () => writes };
}

test("what is asked in one turn leaves in one write and is answered in its order, a failure among it", async () => {
  const { client, writes } = await aClient();
  const outcomes = await Promise.allSettled([
    client.query("begin"),
    client.query("select 1 as n"),
    client.query("select 1 / 0"),
    client.query("rollback"),
    client.query("select $1::int as n", [2]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  expect(writes()).toBe(1);
  await client.query("select 3");
  expect(writes()).toBe(2);
  await client.end();
});

test("whoever asks and leaves in the same turn is answered", async () => {
  const { client } = await aClient();
  const answer = client.query("select 4 as n");
  const end = client.end();
  expect((await answer).rows).toEqual([{ n: 4 }]);
  await end;
});
