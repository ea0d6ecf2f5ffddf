/**
 * A program for tests of a full disk: opens the embedded store in the data directory given as its argument
 * and writes only to its WAL until the store reports a fatal error, whose code it prints.
 */
import { sql } from "drizzle-orm";
import { openEmbedded } from "#store/engines/embedded.ts";
import { createQuietLog } from "./quiet-log.ts";

const MESSAGE_BYTES = 500_000;
/** Far more than two WAL files hold. */
const MOST_MESSAGES = 200;

const [, , dataDir = ""] = process.argv;
const engine = await openEmbedded({
  dataDir,
  log: createQuietLog(),
  onFatal: ({ code }) => {
    process.stdout.write(code);
    process.exit();
  },
});
for (let n = 0; n < MOST_MESSAGES; n += 1)
  await engine.db.execute(sql`select pg_logical_emit_message(true, 'filler', repeat('x', ${MESSAGE_BYTES}))`);
await engine[Symbol.asyncDispose]();
