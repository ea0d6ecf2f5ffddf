import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants, cp, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSystemRandom } from "#server/random.ts";
import { openEmbedded, storeDirectory } from "#store/engines/embedded.ts";
import { migrationsFolder } from "#store/engines/db.ts";
import { type OpenStore, type StoreOptions, openStore } from "#store/open-store.ts";
import { createQuietLog } from "./quiet-log.ts";
import type { TemporaryFolder } from "./temporary-folder.ts";

export interface TestStore extends AsyncDisposable {
  readonly store: OpenStore;
  /** Removed with the store. */
  readonly dataDir: string;
}

/**
 * A new, empty embedded store in its own folder, opened as the product does. Creating one takes seconds, so
 * the first caller on the machine creates a template that all others copy.
 */
export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  await keepEngineCode();
  return await openIn(options.dataDir ?? (await newDataDir()), options);
}

/** A store on a PostgreSQL database, which the caller must drop. */
export async function openPostgresTestStore(
  databaseUrl: string,
  options: Partial<StoreOptions> = {},
): Promise<TestStore> {
  return await openIn(await emptyDataDir(), { ...options, databaseUrl });
}

async function openIn(dataDir: string, options: Partial<StoreOptions>): Promise<TestStore> {
  const store = await openStore({ ...testStoreOptions(dataDir), ...options });
  return {
    store,
    dataDir,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** One for `MASTER_KEYS`. */
export function aMasterKey(): string {
  return randomBytes(32).toString("base64");
}

/** Default options for `openStore`: a failure of the store fails the test. */
export function testStoreOptions(dataDir: string): StoreOptions {
  return {
    dataDir,
    databaseUrl: undefined,
    masterKeys: undefined,
    log: createQuietLog(),
    random: createSystemRandom(),
    onFatal: (error) => {
      throw error;
    },
  };
}

/** A prepared data directory that is removed when disposed. */
export async function preparedFolder(): Promise<TemporaryFolder> {
  await keepEngineCode();
  const path = await newDataDir();
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A data directory with an empty store of the current schema and without keys. */
export async function newDataDir(): Promise<string> {
  const dataDir = await emptyDataDir();
  await cp(await template(), dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return dataDir;
}

async function emptyDataDir(): Promise<string> {
  return await mkdtemp(join(tmpdir(), "synapse-test-"));
}

let readyTemplate: Promise<string> | undefined;

async function template(): Promise<string> {
  readyTemplate ??= findOrMakeTemplate();
  return await readyTemplate;
}

async function findOrMakeTemplate(): Promise<string> {
  const folder = join(tmpdir(), `synapse-store-template-${process.getuid?.() ?? 0}-${templateVersion()}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-${randomBytes(6).toString("hex")}`;
  await mkdir(unfinished, { mode: 0o700 });
  const engine = await openEmbedded({
    dataDir: unfinished,
    log: createQuietLog(),
    onFatal: (error) => {
      throw error;
    },
  });
  await engine[Symbol.asyncDispose]();
  try {
    await rename(unfinished, folder);
  } catch (error) {
    // Another test process was faster; its template is equivalent.
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(storeDirectory(folder))) throw error;
  }
  return folder;
}

/** Changes with the schema and with the engine that created the files. */
function templateVersion(): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(migrationsFolder)
    .filter((file) => file.endsWith(".sql"))
    .sort()) {
    hash.update(readFileSync(join(migrationsFolder, name)));
  }
  const engine = new URL("../package.json", import.meta.resolve("@electric-sql/pglite"));
  return hash.update(readFileSync(engine)).digest("hex").slice(0, 16);
}

/** Missing in Node's types. */
declare const WebAssembly: { compile(code: Uint8Array): Promise<object> };

let engineCode: object | undefined;

/**
 * Compiled code of the engine is shared between threads while one of them holds it. Otherwise it would be
 * freed with each store, and recompiling it takes as long as all queries of a typical test.
 */
async function keepEngineCode(): Promise<void> {
  if (engineCode !== undefined) return;
  const file = new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite"));
  engineCode = await WebAssembly.compile(await readFile(file));
}
