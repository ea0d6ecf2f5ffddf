import { fdatasyncSync } from "node:fs";
import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

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
