import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import { drizzle } from "drizzle-orm/pglite";
import { migrate } from "drizzle-orm/pglite/migrator";
import type { Log } from "#domain/log.ts";
import { StoreError } from "../errors.ts";
import { lockFile } from "./data-dir-lock.ts";
import type { EmbeddedTimings } from "./embedded-client.ts";
import { DEFAULT_TIMINGS, EmbeddedClient } from "./embedded-client.ts";
import type { Engine } from "./engine.ts";
import { EngineThread } from "./engine-thread.ts";
import { startMaintenance } from "./maintenance.ts";
import { migrationsFolder } from "./migrations.ts";

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** The store is beyond help: the process must end; a new one finds every acknowledged write. */
  readonly onFatal: (error: StoreError) => void;
  readonly timings?: Partial<EmbeddedTimings>;
}

/** Making a new store takes seconds, and replaying a long log after a crash may. */
const OPEN_TIMEOUT_MS = 120_000;

/** Where the embedded store keeps its files within the data directory. */
export function storeDirectory(dataDir: string): string {
  return join(dataDir, "store");
}

/**
 * Opens the store of this data directory for this process alone, makes it when there is none, and brings its
 * tables up to date. Throws a StoreError `locked` or `unopenable`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Engine> {
  const { dataDir, log } = options;
  await using opening = new AsyncDisposableStack();
  opening.use(takeDataDir(dataDir));

  let isOpen = false;
  const thread = new EngineThread((error) => {
    if (isOpen) options.onFatal(error);
  });
  opening.defer(() => thread.end());
  await openThread(thread, storeDirectory(dataDir));

  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  const client = new EmbeddedClient(thread, timings);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of PGlite drizzle-orm calls these two methods alone
  const db = drizzle({ client: client as unknown as PGlite });
  await migrate(db, { migrationsFolder });
  opening.defer(() => client.close());
  opening.use(startMaintenance(client, timings.checkpointIntervalMs, log));

  isOpen = true;
  const resources = opening.move();
  return {
    db,
    backup: (path) => client.archive(path),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Makes the data directory where there is none and takes it for this process. */
function takeDataDir(dataDir: string): Disposable {
  try {
    mkdirSync(storeDirectory(dataDir), { recursive: true, mode: 0o700 });
    return lockFile(join(dataDir, "store.lock"));
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw unopenable(`the data directory ${dataDir} cannot be used`, error);
  }
}

async function openThread(thread: EngineThread, directory: string): Promise<void> {
  try {
    await thread.ask({ kind: "open", directory }, OPEN_TIMEOUT_MS);
  } catch (error) {
    throw unopenable("the embedded store cannot be opened", error);
  }
}

function unopenable(what: string, error: unknown): StoreError {
  const reason = error instanceof Error ? error.message : "unknown";
  return new StoreError("unopenable", `${what}: ${reason}`, { cause: error });
}
