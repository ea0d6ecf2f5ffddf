import type { PoolClient } from "pg";
import { beforeEach, expect, test } from "vitest";
import { interceptQuery } from "./driver-patches.ts";
import { asOnlyWrite, commitWithOnlyWrite } from "./only-write.ts";
import { clientForEach } from "./pipeline-client.suite.ts";

const newClient = clientForEach();
let client: PoolClient;
let story: string[];

beforeEach(async () => {
  client = newClient();
  await client.query("create table notes (word text primary key)");
  story = [];
  interceptQuery(client, (statement, send) => {
    const word = String(statement[0]).split(" ")[0];
    story.push(`asked: ${word}`);
    return Promise.resolve(send(statement)).finally(() => story.push(`answered: ${word}`));
  });
  commitWithOnlyWrite(client);
});

const words = async (): Promise<readonly unknown[]> =>
  (await client.query("select word from notes")).rows.map(
    (row: Readonly<Record<string, unknown>>) => row["word"],
  );

async function writeOnly(word: string): Promise<void> {
  await client.query("begin");
  await asOnlyWrite(() => client.query(`insert into notes values ('${word}')`));
  await client.query("commit");
}

test("an only write and its commit are asked for before either is answered", async () => {
  await writeOnly("kept");
  expect(story).toEqual([
    "asked: begin",
    "answered: begin",
    "asked: insert",
    "asked: commit",
    "answered: insert",
    "answered: commit",
  ]);
  expect(await words()).toEqual(["kept"]);
});

test("an only write that fails fails the commit, and the connection goes on", async () => {
  await writeOnly("once");
  await expect(writeOnly("once")).rejects.toMatchObject({ code: "23505" });
  await writeOnly("after");
  expect(await words()).toEqual(["once", "after"]);
});

test("what is rolled back after its only write leaves nothing behind", async () => {
  await client.query("begin");
  await asOnlyWrite(() => client.query("insert into notes values ('astray')"));
  await client.query("rollback");
  await client.query("begin");
  await client.query("commit");
  expect(await words()).toEqual([]);
});
