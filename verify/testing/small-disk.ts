import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/** A folder on a disk of its own that can be full. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** What a process that uses it must be started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Takes all the room but for so many bytes. */
  fill(leftBytes: number): void;
  makeRoom(): void;
}

const SIZE = "120m";
const GROWTH_REFUSED = new URL("./growth-refused.ts", import.meta.url);

/**
 * A real file system of 120 MB in memory, which nobody but its own small process has mounted: it is gone with it,
 * however that ends. Null where this system user may mount nothing, not even within namespaces of its own.
 */
export async function mountedDisk(): Promise<SmallDisk | null> {
  if (process.platform !== "linux") return null;
  const folder = await temporaryFolder();
  for (const namespaces of [["--mount"], ["--user", "--map-root-user", "--mount"]]) {
    const disk = await mountIn(namespaces, folder);
    if (disk !== null) return disk;
  }
  await folder[Symbol.asyncDispose]();
  return null;
}

async function mountIn(namespaces: readonly string[], folder: TemporaryFolder): Promise<SmallDisk | null> {
  // Lives until its standard input ends, so no longer than this process.
  const commands = `mount -t tmpfs -o size=${SIZE},mode=700 tmpfs "$0" && echo mounted && exec cat`;
  const holder = spawn("unshare", [...namespaces, "sh", "-c", commands, folder.path], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = once(holder, "close").catch(() => undefined);
  const mounted = once(holder.stdout, "data").then(() => true);
  if (!(await Promise.race([mounted, ended.then(() => false)]))) return null;
  const path = `/proc/${String(holder.pid)}/root${folder.path}`;
  const filler = join(path, "filler");
  return {
    path,
    env: {},
    fill: (leftBytes) => fillWith(filler, leftBytes),
    makeRoom: () => rmSync(filler),
    async [Symbol.asyncDispose]() {
      holder.stdin.end();
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** First to the last byte: whatever is refused in one piece is tried in smaller ones. */
function fillWith(path: string, leftBytes: number): void {
  const file = openSync(path, "w");
  for (const bytes of [1024 * 1024, 4096, 1]) {
    const piece = Buffer.alloc(bytes);
    try {
      for (;;) writeSync(file, piece);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }
  ftruncateSync(file, fstatSync(file).size - leftBytes);
  closeSync(file);
}

/** For systems on which nothing can be mounted: its processes are refused whatever makes a file grow too far. */
export async function pretendedDisk(): Promise<SmallDisk> {
  const folder = await temporaryFolder();
  const mark = join(folder.path, "full");
  return {
    path: folder.path,
    env: { NODE_OPTIONS: `--import=${GROWTH_REFUSED.href}`, ROOM_LEFT_BY: mark },
    fill: (leftBytes) => writeFileSync(mark, String(leftBytes)),
    makeRoom: () => rmSync(mark),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
