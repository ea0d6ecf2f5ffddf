/**
 * The worker thread of the embedded store, so that a long query does not block the event loop of the product.
 * It owns one database and processes requests in order of arrival, except that archives are written beside them.
 */
import { existsSync, fdatasyncSync, readFileSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parentPort } from "node:worker_threads";
import { gzip } from "node:zlib";
import { PGlite, types } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import type { EngineFailure, NumberedRequest, StoreReply, StoreRequest } from "./engine-thread.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { writeNewFile } from "../vault/keys.ts";

type EngineOptions = Parameters<NodeFS["init"]>[1];

interface OpenFile {
  /** The operating system's file descriptor; absent for anything but a real file. */
  readonly nfd?: number;
}

interface FileOperations {
  fsync?: (file: OpenFile) => number;
}

const EMSCRIPTEN_EIO = 29;

/**
 * PGlite's Node file system with a real fsync. The original returns from fsync without doing anything, so commits
 * survive the process but not a power cut.
 * It depends on PGlite's internals, so the version is pinned and each start verifies `syncCount`.
 */
export class DurableNodeFS extends NodeFS {
  /** Number of successful fsyncs of the engine. */
  syncCount = 0;

  override async init(engine: PGlite, options: EngineOptions): ReturnType<NodeFS["init"]> {
    const made = await super.init(engine, options);
    made.emscriptenOpts.preRun?.push((emscripten) => {
      const operations = fileOperations(emscripten);
      if (operations !== null) operations.fsync = (file) => this.#sync(file);
    });
    return made;
  }

  #sync(file: OpenFile): number {
    if (file.nfd === undefined) return 0;
    try {
      fdatasyncSync(file.nfd);
      this.syncCount += 1;
      return 0;
    } catch (error) {
      // Directories and pipes cannot be synced.
      return isNotSyncable(error) ? 0 : EMSCRIPTEN_EIO;
    }
  }
}

/** Emscripten's table of file operations; null if an update of PGlite moved it. */
function fileOperations(emscripten: object): FileOperations | null {
  const files: unknown = Reflect.get(emscripten, "NODEFS");
  if (typeof files !== "object" || files === null) return null;
  const operations: unknown = Reflect.get(files, "stream_ops");
  return typeof operations === "object" ? operations : null;
}

function isNotSyncable(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EINVAL" || error.code === "EBADF");
}

/** The system merges concurrent fsyncs: 220 ms instead of 3.9 s for the thousand files of a new store. */
const AT_ONCE = 32;

/** Syncs all files and folders of a new store, which is created without any fsync. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() || (entry.isDirectory() && canSyncFolders));
  const below = files.map((entry) => join(entry.parentPath, entry.name));
  const paths = canSyncFolders ? [folder, ...below] : below;
  const left = paths.values();
  await Promise.all(Array.from({ length: AT_ONCE }, () => syncEach(left)));
}

/** Windows cannot open folders. */
const canSyncFolders = process.platform !== "win32";

/** Takes the next path until none is left. */
async function syncEach(paths: IterableIterator<string>): Promise<void> {
  for (const path of paths) await syncPath(path);
}

async function syncPath(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

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

let engine: { readonly database: PGlite; readonly statements: PreparedStatements } | null = null;

async function openDatabase(directory: string): Promise<void> {
  const versionFile = join(directory, "PG_VERSION");
  const isNew = !existsSync(versionFile);
  if (!isNew) refuseOtherVersion(readFileSync(versionFile, "utf8").trim());
  const files = new DurableNodeFS(directory);
  const database = await PGlite.create({
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
  engine = { database, statements: new PreparedStatements(database) };
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
      return opened().statements.run(request);
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

function opened(): NonNullable<typeof engine> {
  if (engine === null) throw new Error("the embedded store is not open");
  return engine;
}

async function runCommand(text: string): Promise<string | undefined> {
  const results = await opened().database.exec(text);
  return results.at(-1)?.command;
}

async function closeDatabase(): Promise<void> {
  const { database } = opened();
  await database.exec("checkpoint");
  await database.close();
  engine = null;
}

/** A copy of the data directory, as a tar file, until it is written. */
let copy: Blob | null = null;

async function copyDatabase(): Promise<void> {
  const { database } = opened();
  await database.exec("checkpoint");
  copy = await database.dumpDataDir("none");
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
