import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { keyFile, loadKeyRing, parseKeys } from "./keys.ts";
import { aMasterKey } from "#verify/testing/test-store.ts";

const CELL = { table: "users", row: "somebody", field: "wrapped_data_key" };
const folders: string[] = [];
let dataDir = "";

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "synapse-keys-"));
  folders.push(dataDir);
});

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const kept = () => ({ masterKeys: undefined, dataDir });
const given = (...keys: readonly string[]) => ({ masterKeys: keys.join(","), dataDir });

describe("the master keys of the data directory", () => {
  test("are made at the first start, for this system user alone, and read at the next", () => {
    const sealed = loadKeyRing(kept(), false).primary.sealText("secret", CELL);
    expect(statSync(keyFile(dataDir)).mode & 0o777).toBe(0o600);
    expect(Buffer.from(loadKeyRing(kept(), true).open(sealed, CELL)).toString()).toBe("secret");
  });

  test("are never made while sealed data exist", () => {
    expect(() => loadKeyRing(kept(), true)).toThrow(expect.objectContaining({ code: "keys_missing" }));
    expect(existsSync(keyFile(dataDir))).toBe(false);
  });

  test("get their mode back when a restored copy lost it", () => {
    loadKeyRing(kept(), false);
    chmodSync(keyFile(dataDir), 0o644);
    loadKeyRing(kept(), true);
    expect(statSync(keyFile(dataDir)).mode & 0o777).toBe(0o600);
  });

  test("get a new primary key, which is on the disk before it seals", () => {
    const ring = loadKeyRing(kept(), false);
    const old = ring.primary.sealText("old", CELL);
    const oldId = ring.primary.id;
    expect(ring.addPrimary()).toBe(true);
    expect(ring.primary.id).not.toBe(oldId);
    expect(ring.isSealedByPrimary(old)).toBe(false);
    const fresh = ring.primary.sealText("new", CELL);
    const reread = loadKeyRing(kept(), true);
    expect(reread.primary.id).toBe(ring.primary.id);
    expect(Buffer.from(reread.open(old, CELL)).toString()).toBe("old");
    expect(Buffer.from(reread.open(fresh, CELL)).toString()).toBe("new");
    expect(statSync(keyFile(dataDir)).mode & 0o777).toBe(0o600);
  });

  test("are never written through a prepared file or link, at the first start or a rotation", () => {
    const prepared = `${keyFile(dataDir)}.unfinished`;
    const elsewhere = join(dataDir, "elsewhere");
    symlinkSync(elsewhere, prepared);
    const ring = loadKeyRing(kept(), false);
    rmSync(prepared);
    writeFileSync(prepared, "open to all", { mode: 0o666 });
    chmodSync(prepared, 0o666);
    ring.addPrimary();
    expect(existsSync(elsewhere)).toBe(false);
    expect(readFileSync(prepared, "utf8")).toBe("open to all");
    expect(statSync(keyFile(dataDir)).mode & 0o777).toBe(0o600);
    expect(loadKeyRing(kept(), true).primary.id).toBe(ring.primary.id);
    expect(readdirSync(dataDir).toSorted()).toEqual(["master.keys", "master.keys.unfinished"]);
  });

  test("are not overwritten when another process creates the file at the same time", () => {
    symlinkSync(join(dataDir, "nowhere"), keyFile(dataDir));
    // The file appears not to exist, but its name is taken by the time that it is written.
    expect(() => loadKeyRing(kept(), false)).toThrow(expect.objectContaining({ code: "ENOENT" }));
    expect(lstatSync(keyFile(dataDir)).isSymbolicLink()).toBe(true);
  });

  test("are refused when the file is empty or was altered", () => {
    for (const content of ["", "# only words\n", "not a key"]) {
      writeFileSync(keyFile(dataDir), content);
      expect(() => loadKeyRing(kept(), true)).toThrow(expect.objectContaining({ code: "keys_invalid" }));
    }
  });
});

describe("MASTER_KEYS", () => {
  test("come newest first, in base64 or hexadecimal, and leave no file", () => {
    const [newest, older] = [randomBytes(32), randomBytes(32)];
    const old = loadKeyRing(given(older.toString("hex")), false).primary.sealText("old", CELL);
    const ring = loadKeyRing(given(newest.toString("base64url"), older.toString("base64")), true);
    expect(Buffer.from(ring.open(old, CELL)).toString()).toBe("old");
    expect(ring.isSealedByPrimary(old)).toBe(false);
    expect(ring.addPrimary()).toBe(false);
    expect(existsSync(keyFile(dataDir))).toBe(false);
  });

  test("cannot open a value without the key that sealed it", () => {
    const sealed = loadKeyRing(given(aMasterKey()), false).primary.sealText("secret", CELL);
    const open = () => loadKeyRing(given(aMasterKey()), true).open(sealed, CELL);
    expect(open).toThrow(expect.objectContaining({ code: "unreadable" }));
  });

  test.each([
    ["nothing", " , "],
    ["a short one", randomBytes(31).toString("base64")],
    ["a long one", randomBytes(33).toString("base64")],
    ["zeros", Buffer.alloc(32).toString("base64")],
    ["a sentence for a key", Buffer.from("changeme".repeat(4)).toString("base64")],
    ["a pattern", "0123456789abcdef".repeat(4)],
    ["what is no encoding", "é".repeat(32)],
  ])("that are %s are refused without being quoted", (_, text) => {
    const refusal = () => parseKeys(text, "MASTER_KEYS");
    expect(refusal).toThrow(expect.objectContaining({ code: "keys_invalid" }));
    if (text.trim() !== ",") expect(refusal).not.toThrow(text);
  });

  test("that hold one key twice are refused", () => {
    const key = aMasterKey();
    expect(() => parseKeys(`${key} ${key}`, "MASTER_KEYS")).toThrow("twice");
  });
});
