import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACHAT_CONFIRME } from "#contract/bounds.ts";
import { openPostgres } from "#store/engines/postgres.ts";
import { moveStore } from "#store/move-store.ts";
import { openStore } from "#store/open-store.ts";
import { startCuttingProxy } from "#verify/testing/cutting-proxy.ts";
import { freePort } from "#verify/testing/free-port.ts";
import type { Person } from "#verify/testing/person.ts";
import { type PostgresServer, openPostgresServer } from "#verify/testing/postgres-server.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { openTestStore, testStoreOptions } from "#verify/testing/test-store.ts";
import { startWorld } from "#verify/testing/world.ts";
const ENTRY = join(import.meta.dirname, "move.ts");

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await openPostgresServer();
});
afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
});

function move(dataDir: string, databaseUrl: string) {
  return moveStore({ dataDir, databaseUrl, masterKeys: undefined, log: createQuietLog() });
}

/** Everything that a person can read of their stored data. */
async function seenBy(person: Person) {
  return {
    user: await person.call("user"),
    filters: await person.call("filters"),
    settings: await person.call("settings"),
    purchases: await person.call("purchases"),
  };
}

describe("the move into PostgreSQL", () => {
  test("brings everything along: people stay signed in and find what they left", async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, "data");
    const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) };
    const databaseUrl = await postgres.freshDatabase();
    let before;
    let zoe: Person;
    {
      await using world = await startWorld({ dataDir, env: ports });
      zoe = await world.signIn("thunder-zoe");
      await world.signIn("seeker-tom");
      const tag = String.raw`Robes "d'été" \ {1,2} NULL 🧥`;
      await zoe.call("addFilter", {
        tag,
        mots: ["déménage"],
        limit: 50,
        autobuy: true,
      });
      await zoe.call("editSettings", { limites: { jour: 321 } });
      await world.sandbox.publish({ title: "Robe déménage", price: 10 });
      await expect
        .poll(async () => (await zoe.call("purchases")).purch.map(({ status }) => status))
        .toEqual([ACHAT_CONFIRME]);
      before = await seenBy(zoe);
      await expect(move(dataDir, databaseUrl)).rejects.toMatchObject({ code: "locked" });
    }
    const { stdout } = await promisify(execFile)(process.execPath, [ENTRY, databaseUrl], {
      env: { PATH: process.env["PATH"] ?? "", DATA_DIR: dataDir },
    });
    expect(stdout).toMatch(/^users: 2$/m);
    expect(stdout).toMatch(/^purchases: 1$/m);
    expect(stdout).toMatch(/^ledger: [1-9]\d*$/m);
    expect(stdout).toMatch(/^audit_links: [1-9]\d*$/m);
    expect(stdout).toContain("The audit chain is intact.");
    expect(stdout).not.toContain(databaseUrl);
    expect(existsSync(join(dataDir, "store"))).toBe(false);
    await using world = await startWorld({ dataDir, env: { ...ports, DATABASE_URL: databaseUrl } });
    expect(await seenBy(zoe)).toEqual(before);
    // Sequences continue where they were.
    const [published] = await world.sandbox.publish({ title: "Jupe déménage", price: 10 });
    await expect
      .poll(async () => (await zoe.call("purchases")).purch.map(({ product }) => product.id))
      .toContain(published?.id);
  });

  // Beside each other, because the longest only waits.
  test.concurrent("refuses a database that holds anything, and leaves the store as it was", async () => {
    await using filled = await openTestStore();
    await using other = await openTestStore();
    const databaseUrl = await postgres.freshDatabase();
    await filled.store[Symbol.asyncDispose]();
    await other.store[Symbol.asyncDispose]();
    await move(filled.dataDir, databaseUrl);
    await expect(move(other.dataDir, databaseUrl)).rejects.toThrow(/^the database is not empty/);
    expect(existsSync(join(other.dataDir, "store"))).toBe(true);
  });

  test.concurrent("takes as long as a large table needs", async () => {
    await using from = await openTestStore();
    await from.store[Symbol.asyncDispose]();
    const databaseUrl = await postgres.freshDatabase();
    {
      await using engine = await openPostgres({ databaseUrl, log: createQuietLog() });
      // Longer than a statement of the running product may take.
      await engine.db.execute(sql`alter table switch_state add check (pg_sleep(21) is not null) not valid`);
    }
    const { rows } = await move(from.dataDir, databaseUrl);
    expect(rows.get("switch_state")).toBe(1);
  });

  test.concurrent("leaves a directory in which no start without DATABASE_URL begins a new store", async () => {
    await using from = await openTestStore();
    await from.store[Symbol.asyncDispose]();
    await move(from.dataDir, await postgres.freshDatabase());
    await expect(openStore(testStoreOptions(from.dataDir))).rejects.toThrow(
      /^the store was moved to PostgreSQL/,
    );
    expect(existsSync(join(from.dataDir, "store"))).toBe(false);
  });

  test.each(["before", "after"] as const)(
    "whose connection breaks %s its commit took effect says that it may have been moved, and how to know",
    async (moment) => {
      await using from = await openTestStore();
      await from.store[Symbol.asyncDispose]();
      await using proxy = await startCuttingProxy(await postgres.freshDatabase());
      // The first one is that of the migrations.
      proxy.cutAtCommit(2, moment);
      const moving = promisify(execFile)(process.execPath, [ENTRY, proxy.databaseUrl], {
        env: { PATH: process.env["PATH"] ?? "", DATA_DIR: from.dataDir },
      });
      await expect(moving).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /^the move broke off .*PostgreSQL may hold everything.* run it again/m,
        ) as string,
      });
      expect(proxy.cutCount()).toBe(1);
      expect(existsSync(join(from.dataDir, "store"))).toBe(true);
      const again = move(from.dataDir, proxy.databaseUrl);
      if (moment === "before") expect((await again).audit.kind).toBe("intact");
      else await expect(again).rejects.toThrow(/^the database is not empty/);
    },
  );

  test("that cannot rename the embedded store says that everything arrived", async () => {
    await using from = await openTestStore();
    await from.store[Symbol.asyncDispose]();
    const databaseUrl = await postgres.freshDatabase();
    const moving = move(from.dataDir, databaseUrl);
    mkdirSync(join(from.dataDir, "store-moved", "in the way"), { recursive: true });
    await expect(moving).rejects.toThrow(/^everything is in PostgreSQL, but .* could not be renamed/);
    await expect(move(from.dataDir, databaseUrl)).rejects.toThrow(/is in the way/);
  });

  test("refuses where there is no embedded store", async () => {
    await using folder = await temporaryFolder();
    await expect(move(folder.path, await postgres.freshDatabase())).rejects.toThrow(/no embedded store/);
  });
});
