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
 * A new, empty embedded store in a folder of its own: the real one, as the product opens it. Making one takes
 * seconds, so the first caller on the machine makes a template and everybody copies it.
 */
export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  await keepEngineCode();
  return await openIn(options.dataDir ?? (await newDataDir()), options);
}

/** A store on a PostgreSQL database, which is somebody else's to drop. */
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

/** What a test gives `openStore` when it minds none of it: a store that fails fails the test. */
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

/** The same as a folder that goes with the test. */
export async function preparedFolder(): Promise<TemporaryFolder> {
  await keepEngineCode();
  const path = await newDataDir();
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A data directory that holds an empty store of the newest tables and no keys yet. */
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
    // Another test process was faster; its template is as good.
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(storeDirectory(folder))) throw error;
  }
  return folder;
}

/** Changes with the tables and with the engine that made the files. */
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

/** What Node has of it and its types lack. */
declare const WebAssembly: { compile(code: Uint8Array): Promise<object> };

let engineCode: object | undefined;

/**
 * The threads of a process share the compiled code of the engine while one of them holds it. Without this it goes with
 * each store, and compiling it for the next one takes as long as all that a usual test asks of a store.
 */
async function keepEngineCode(): Promise<void> {
  if (engineCode !== undefined) return;
  const file = new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite"));
  engineCode = await WebAssembly.compile(await readFile(file));
}
