/**
 * Preloaded into a process to imitate a full disk: while the file named by ROOM_LEFT_BY exists, the files of
 * the process can grow by the number of bytes in it and no further. Writes within a file's current length
 * still succeed.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { constants } from "node:os";

const mark = process.env["ROOM_LEFT_BY"] ?? "";
const { existsSync, fstatSync, ftruncateSync, readFileSync, statfsSync, writeSync } = fs;
let grownBytes = 0;

function leftBytes(): number {
  return Number(readFileSync(mark, "utf8")) - grownBytes;
}

function noSpace(): Error {
  const error = new Error("ENOSPC: no space left on device, write");
  return Object.assign(error, { code: "ENOSPC", errno: -constants.errno.ENOSPC, syscall: "write" });
}

Reflect.set(fs, "writeSync", (file: number, ...parameters: readonly unknown[]): unknown => {
  const write = (): unknown => Reflect.apply(writeSync, fs, [file, ...parameters]);
  if (!existsSync(mark) || !fstatSync(file).isFile()) return write();
  const length = fstatSync(file).size;
  const written = write();
  const growth = Math.max(0, fstatSync(file).size - length);
  if (growth > 0 && growth > leftBytes()) {
    ftruncateSync(file, length);
    throw noSpace();
  }
  grownBytes += growth;
  return written;
});
Reflect.set(fs, "statfsSync", (path: string) => {
  const room = statfsSync(path);
  return existsSync(mark) ? Object.assign(room, { bavail: Math.floor(leftBytes() / room.bsize) }) : room;
});
syncBuiltinESMExports();
