/**
 * The worker thread of the embedded store, so that a long query does not block the event loop of the product.
 * It owns one database and processes requests in order of arrival, except that archives are written beside them.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parentPort } from "node:worker_threads";
import { gzip } from "node:zlib";
import { PGlite, types } from "@electric-sql/pglite";
import { DurableNodeFS, syncTree } from "./durable-node-fs.ts";
import type {
  EmbeddedResult,
  EngineFailure,
  NumberedRequest,
  StoreReply,
  StoreRequest,
} from "./engine-thread.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { writeNewFile } from "../vault/private-file.ts";

const compress = promisify(gzip);

const ENGINE_MAJOR_VERSION = "18";

const asText = (value: string): string => value;

/** Timestamps and intervals stay text, as drizzle-orm expects. Functions cannot cross threads. */
const textParsers = {
  [types.TIMESTAMP]: asText,
  [types.TIMESTAMPTZ]: asText,
  [types.INTERVAL]: asText,
  [types.DATE]: asText,
  // Arrays of numeric, timestamp, timestamptz, interval and date.
  1231: asText,
  1115: asText,
  1185: asText,
  1187: asText,
  1182: asText,
};

let database: PGlite | null = null;
let statements: PreparedStatements | null = null;

async function openDatabase(directory: string): Promise<void> {
  const versionFile = join(directory, "PG_VERSION");
  const isNew = !existsSync(versionFile);
  if (!isNew) refuseOtherVersion(readFileSync(versionFile, "utf8").trim());
  const files = new DurableNodeFS(directory);
  database = await PGlite.create({
    fs: files,
    startParams: [
      // -F would switch fsync off.
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
      "-c",
      "wal_sync_method=fsync",
      // Pages are in the system's cache too: with the default (128 MB) or 32 MB, reads of 70 MB of rows are no
      // faster, and opening the store, which clears these buffers, takes half as long again.
      "-c",
      "shared_buffers=8MB",
    ],
  });
  // Set once: given with each query, they cost as much as a simple query itself.
  Object.assign(database.parsers, textParsers);
  if (isNew) {
    await database.exec("checkpoint");
    await syncTree(directory);
  }
  await checkDurability(database, files);
  statements = new PreparedStatements(database);
}

function refuseOtherVersion(version: string): void {
  if (version === ENGINE_MAJOR_VERSION) return;
  throw new Error(
    `the data directory is of PostgreSQL ${version}, this product reads ${ENGINE_MAJOR_VERSION}`,
  );
}

/** A commit must reach the disk: if an update of the engine breaks the fsync hook, the start fails. */
async function checkDurability(engine: PGlite, files: DurableNodeFS): Promise<void> {
  const before = files.syncCount;
  await engine.query("select pg_logical_emit_message(true, 'synapse', 'is a commit synced?')");
  if (files.syncCount === before) throw new Error("the embedded store does not put its commits on the disk");
}

// oxlint-disable-next-line typescript/consistent-return -- the switch is exhaustive, which the rule cannot see
function answer(request: StoreRequest): Promise<unknown> {
  switch (request.kind) {
    case "open":
      return openDatabase(request.directory);
    case "query":
      return runQuery(request);
    case "command":
      return runCommand(request.text);
    case "copy":
      return copyDatabase();
    case "archive":
      return writeArchive(request.path);
    case "close":
      return closeDatabase();
  }
}

function opened(): PGlite {
  if (database === null) throw new Error("the embedded store is not open");
  return database;
}

async function runQuery(request: Extract<StoreRequest, { kind: "query" }>): Promise<EmbeddedResult> {
  const { text, parameters, rowMode, begins } = request;
  if (statements === null) throw new Error("the embedded store is not open");
  return await statements.run(text, parameters, { rowMode, begins });
}

async function runCommand(text: string): Promise<string | undefined> {
  const results = await opened().exec(text);
  return results.at(-1)?.command;
}

async function closeDatabase(): Promise<void> {
  await opened().exec("checkpoint");
  await opened().close();
  database = null;
}

/** A copy of the data directory, as a tar file, until it is written. */
let copy: Blob | null = null;

async function copyDatabase(): Promise<void> {
  await opened().exec("checkpoint");
  copy = await opened().dumpDataDir("none");
}

async function writeArchive(path: string): Promise<void> {
  const tar = copy;
  copy = null;
  if (tar === null) throw new Error("the database was not copied");
  writeNewFile(path, await compress(Buffer.from(await tar.arrayBuffer())));
}

function describe(error: unknown): EngineFailure {
  const message = error instanceof Error ? error.message : String(error);
  return { message, code: textOf(error, "code"), constraint: textOf(error, "constraint") };
}

function textOf(error: unknown, key: "code" | "constraint"): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const value: unknown = Reflect.get(error, key);
  return typeof value === "string" ? value : undefined;
}

let previous: Promise<void> = Promise.resolve();

function reply(message: StoreReply): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
  parentPort?.postMessage(message);
}

async function serve({ number, request }: NumberedRequest): Promise<void> {
  try {
    reply({ number, kind: "done", value: await answer(request) });
  } catch (error) {
    reply({ number, kind: "failed", failure: describe(error) });
  }
}

parentPort?.on("message", (message: NumberedRequest) => {
  // Compressing takes seconds, during which the database answers other requests.
  if (message.request.kind === "archive") void serve(message);
  else previous = previous.then(() => serve(message));
});
