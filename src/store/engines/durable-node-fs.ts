import { fdatasyncSync } from "node:fs";
import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

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
  /** How many times the engine asked for bytes to be on the disk, and got it. */
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
      // A directory or a pipe: there is nothing to sync, as on any system that refuses it.
      return isNotSyncable(error) ? 0 : EMSCRIPTEN_EIO;
    }
  }
}

/** Emscripten's table of what can be done with an open file; null should an update have moved it. */
function fileOperations(emscripten: object): FileOperations | null {
  const files: unknown = Reflect.get(emscripten, "NODEFS");
  if (typeof files !== "object" || files === null) return null;
  const operations: unknown = Reflect.get(files, "stream_ops");
  return typeof operations === "object" ? operations : null;
}

function isNotSyncable(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EINVAL" || error.code === "EBADF");
}
