import { test } from "vitest";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { testStoreOptions } from "#verify/testing/test-store.ts";
import { openEmbedded } from "./engines/embedded.ts";
import { openStore } from "./open-store.ts";
import { earlierMigrations, expectKept, fillEarlier, type Filled } from "./upgrade.suite.ts";

test("an embedded store of the version before keeps everything, and goes on", async () => {
  await using folder = await temporaryFolder();
  using earlier = earlierMigrations();
  const options = testStoreOptions(folder.path);
  let filled: Filled;
  {
    await using engine = await openEmbedded({
      dataDir: folder.path,
      log: createQuietLog(),
      onFatal: options.onFatal,
      migrations: earlier.folder,
    });
    filled = await fillEarlier(engine, options);
  }
  await using store = await openStore(options);
  await expectKept(store, filled);
});
