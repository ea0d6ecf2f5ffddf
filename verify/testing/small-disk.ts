import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/** A folder on a separate small disk that can be filled. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** The environment for processes that use it. */
  readonly env: Readonly<Record<string, string>>;
  /** Fills the disk, leaving this many bytes. */
  fill(leftBytes: number): void;
  makeRoom(): void;
}

const SIZE = "120m";
const GROWTH_REFUSED = new URL("./growth-refused.ts", import.meta.url);

/**
 * A 120 MB tmpfs, mounted only in the namespace of a small helper process, so that it disappears with that
 * process. Null when this user may not mount anything, even in separate namespaces.
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
  // The helper lives until its standard input ends, so no longer than this process.
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

/** Fills to the last byte: when a large block is refused, smaller ones are tried. */
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

/** For users who may not mount: the processes' own writes are refused once files grow too far. */
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
