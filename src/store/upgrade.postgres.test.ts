import { test } from "vitest";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { testStoreOptions } from "#verify/testing/test-store.ts";
import { openEmbedded } from "./engines/embedded.ts";
import { openPostgres } from "./engines/postgres.ts";
import { moveStore } from "./move-store.ts";
import { openStore } from "./open-store.ts";
import { databasesForAll } from "./suite-store.suite.ts";
import { earlierMigrations, expectKept, fillEarlier, type Filled } from "./upgrade.suite.ts";

const freshDatabase = databasesForAll();

test("a PostgreSQL database of the version before keeps everything, and goes on", async () => {
  await using folder = await temporaryFolder();
  using earlier = earlierMigrations();
  const databaseUrl = await freshDatabase();
  const options = { ...testStoreOptions(folder.path), databaseUrl };
  let filled: Filled;
  {
    await using engine = await openPostgres({
      databaseUrl,
      log: createQuietLog(),
      migrations: earlier.folder,
    });
    filled = await fillEarlier(engine, options);
  }
  await using store = await openStore(options);
  await expectKept(store, filled);
});

test("an embedded store of the version before is moved into PostgreSQL whole", async () => {
  await using folder = await temporaryFolder();
  using earlier = earlierMigrations();
  const databaseUrl = await freshDatabase();
  const options = testStoreOptions(folder.path);
  const log = createQuietLog();
  let filled: Filled;
  {
    const { onFatal } = options;
    await using engine = await openEmbedded({
      dataDir: folder.path,
      log,
      onFatal,
      migrations: earlier.folder,
    });
    filled = await fillEarlier(engine, options);
  }
  await moveStore({ dataDir: folder.path, databaseUrl, masterKeys: undefined, log });
  await using store = await openStore({ ...options, databaseUrl });
  await expectKept(store, filled);
});
