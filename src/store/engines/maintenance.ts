import type { Log } from "#domain/log.ts";
import type { EmbeddedClient } from "./embedded-client.ts";
import { startRepeating } from "./repeating.ts";

/** The first one soon: a product that is restarted every half hour must be vacuumed too. */
const VACUUMS_EVERY_CHECKPOINTS = 12;
const FIRST_VACUUM_AT_CHECKPOINT = 2;

/**
 * CHECKPOINT and VACUUM for the embedded engine, which has no background processes: without them its write-ahead log and
 * its tables grow without bound.
 */
export function startMaintenance(client: EmbeddedClient, intervalMs: number, log: Log): AsyncDisposable {
  return startRepeating({
    name: "checkpoint and vacuum",
    intervalMs,
    log,
    async run(round, stopped) {
      await client.maintain("checkpoint");
      if (round % VACUUMS_EVERY_CHECKPOINTS === FIRST_VACUUM_AT_CHECKPOINT) await vacuum(client, stopped);
    },
  });
}

/** Table by table, so that others get their turn in between. */
async function vacuum(client: EmbeddedClient, stopped: AbortSignal): Promise<void> {
  for (const table of await tableNames(client)) {
    if (stopped.aborted) return;
    await client.maintain(`vacuum (analyze) ${table}`);
  }
}

async function tableNames(client: EmbeddedClient): Promise<readonly string[]> {
  const { rows } = await client.query(
    "select quote_ident(tablename) from pg_tables where schemaname = 'public' order by 1",
    [],
    { rowMode: "array" },
  );
  return rows.flatMap((row) => (Array.isArray(row) && typeof row[0] === "string" ? [row[0]] : []));
}
