/** `npm run move`, with DATABASE_URL: copies the embedded store into an empty PostgreSQL database. */
import { moveStore } from "#store/move-store.ts";
import { createLog } from "./log.ts";
import { readEnv } from "./settings.ts";
import { delayOf, refusalOf, START_REFUSED_EXIT_CODE, StartRefused } from "./start-refused.ts";

process.umask(0o077);

try {
  await move();
} catch (error) {
  // A driver's message may name the database's address.
  const line =
    refusalOf(error) ?? delayOf(error) ?? `the move failed (${codeOf(error)}): nothing was changed`;
  process.stderr.write(`${line}\n`);
  process.exitCode = START_REFUSED_EXIT_CODE;
}

async function move(): Promise<void> {
  const [given] = process.argv.slice(2);
  // Every user of the machine can read process arguments, and the shell stores them.
  if (given !== undefined && (URL.parse(given)?.password ?? "") !== "")
    throw new StartRefused("a password does not belong on the command line: set DATABASE_URL instead");
  const { DATA_DIR, DATABASE_URL, MASTER_KEYS, LOG_LEVEL } = readEnv({
    ...process.env,
    ...(given === undefined ? {} : { DATABASE_URL: given }),
  });
  if (DATABASE_URL === null) throw new StartRefused("say where to: set DATABASE_URL");
  const { rows, audit, oldStore } = await moveStore({
    dataDir: DATA_DIR,
    databaseUrl: DATABASE_URL,
    masterKeys: MASTER_KEYS ?? undefined,
    log: createLog(LOG_LEVEL),
  });
  for (const [table, count] of rows) say(`${table}: ${count}`);
  say(
    audit.kind === "intact" ? "The audit chain is intact." : "The audit chain is broken, as it was before.",
  );
  say(`Everything is in PostgreSQL. The embedded store lies in ${oldStore}: remove it when all is well.`);
  say(
    MASTER_KEYS === null
      ? `The master keys stay in ${DATA_DIR}: start with DATABASE_URL and the same DATA_DIR, or hand them to every node as MASTER_KEYS.`
      : "Start with DATABASE_URL and the same MASTER_KEYS.",
  );
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
