/**
 * A process of its own for tests of a full disk: opens the embedded store of a data directory and writes to its log
 * alone, until the store says that it is beyond help. Its only line is the code of that. Start it with the directory.
 */
import { sql } from "drizzle-orm";
import { openEmbedded } from "#store/engines/embedded.ts";
import { createQuietLog } from "./quiet-log.ts";

const MESSAGE_BYTES = 500_000;
/** Two files of the log are far fewer. */
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
