import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import { type Cell, KEY_BYTES, SealingKey, sealingKeyId, unreadable } from "./sealing.ts";

/** The source of the master keys. */
export interface KeySource {
  /** MASTER_KEYS: newest first, separated by commas or spaces; each 32 bytes in base64 or hexadecimal. */
  readonly masterKeys: string | undefined;
  /** Used if there are no MASTER_KEYS: the folder of the key file, which is created at the first start. */
  readonly dataDir: string;
}

/** 32 random bytes have 30 different values on average; a made-up key has few. */
const MIN_DIFFERENT_BYTES = 16;

const FILE_HEADER = `# The master keys, newest first: whoever has them and the data can read people's marketplace sessions.
# Back them up apart from the data; without them the data are lost. An older key may go once no backup needs it.
`;

export function keyFile(dataDir: string): string {
  return join(dataDir, "master.keys");
}

/** The master keys. Each opens the values that it sealed; a rotation re-seals everything with the newest. */
export class KeyRing {
  #keys: readonly SealingKey[];
  readonly #file: string | null;

  constructor(keys: readonly SealingKey[], file: string | null) {
    this.#keys = keys;
    this.#file = file;
  }

  get primary(): SealingKey {
    const [newest] = this.#keys;
    if (newest === undefined) throw new StoreError("keys_missing", "there is no master key");
    return newest;
  }

  isSealedByPrimary(sealed: Uint8Array): boolean {
    return sealingKeyId(sealed) === this.primary.id;
  }

  /** Throws a StoreError `unreadable` for altered bytes, another cell, or an unknown key. */
  open(sealed: Uint8Array, cell: Cell): Uint8Array {
    return this.keyOf(sealed, cell).open(sealed, cell);
  }

  /** The key that sealed these bytes. Throws a StoreError `unreadable` when it is unknown. */
  keyOf(sealed: Uint8Array, cell: Cell): SealingKey {
    const id = sealingKeyId(sealed);
    const key = this.#keys.find((candidate) => candidate.id === id);
    if (key === undefined) throw unreadable(cell);
    return key;
  }

  /**
   * Generates a new primary key, stored durably before it seals anything; older keys stay. False if the keys
   * come from MASTER_KEYS, where the operator adds one in front.
   */
  addPrimary(): boolean {
    if (this.#file === null) return false;
    const bytes = randomBytes(KEY_BYTES);
    const earlier = keyLines(readFileSync(this.#file, "utf8"));
    writePrivately(this.#file, textOfKeys([bytes.toString("base64"), ...earlier]), renameSync);
    this.#keys = [new SealingKey(bytes), ...this.#keys];
    return true;
  }
}

/**
 * Reads the master keys, or generates the first one if nothing has been sealed yet. Throws a StoreError
 * `keys_missing` or `keys_invalid`.
 */
export function loadKeyRing(source: KeySource, hasSealedData: boolean): KeyRing {
  if (source.masterKeys !== undefined) {
    return new KeyRing(parseKeys(source.masterKeys, "MASTER_KEYS"), null);
  }
  const file = keyFile(source.dataDir);
  if (!existsSync(file)) {
    if (hasSealedData) {
      throw new StoreError(
        "keys_missing",
        `the store holds sealed data but its keys are missing: put ${file} back or set MASTER_KEYS`,
      );
    }
    mkdirSync(source.dataDir, { recursive: true, mode: 0o700 });
    writeFirstKey(file);
  }
  // A manually restored copy may have other permissions.
  chmodSync(file, 0o600);
  return new KeyRing(parseKeys(readFileSync(file, "utf8"), file), file);
}

/** @param place names the source in errors, which never quote a key */
export function parseKeys(text: string, place: string): readonly SealingKey[] {
  const keys = keyLines(text).map((line, index) => parseKey(line, `key ${index + 1} of ${place}`));
  if (keys.length === 0) throw new StoreError("keys_invalid", `${place} holds no key`);
  if (new Set(keys.map((key) => key.id)).size < keys.length) {
    throw new StoreError("keys_invalid", `${place} holds the same key twice`);
  }
  return keys;
}

function keyLines(text: string): readonly string[] {
  return text
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .flatMap((line) => line.split(/[\s,]+/))
    .filter((word) => word !== "");
}

function parseKey(text: string, name: string): SealingKey {
  const bytes = decodeKey(text);
  if (bytes === null || bytes.length !== KEY_BYTES) {
    throw new StoreError("keys_invalid", `${name} is not ${KEY_BYTES} bytes in base64 or hexadecimal`);
  }
  if (new Set(bytes).size < MIN_DIFFERENT_BYTES) {
    throw new StoreError("keys_invalid", `${name} is no random key: make one with "openssl rand -base64 32"`);
  }
  return new SealingKey(bytes);
}

function decodeKey(text: string): Uint8Array | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, "base64") : null;
}

function textOfKeys(keys: readonly string[]): string {
  return `${FILE_HEADER}${keys.join("\n")}\n`;
}

/** Never overwrites: of two processes that start concurrently, the second uses the keys of the first. */
function writeFirstKey(file: string): void {
  try {
    writeNewFile(file, textOfKeys([randomBytes(KEY_BYTES).toString("base64")]));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/**
 * Writes a file that only this system user can read, atomically and durably (fsync before the call returns). Throws
 * `EEXIST` if the path exists, even as a dangling link; what exists is not changed.
 */
export function writeNewFile(path: string, content: string | Uint8Array): void {
  // Unlike a rename, a hard link replaces nothing.
  writePrivately(path, content, linkSync);
}

/** @param publishFile whether what exists under the path is kept (a link) or replaced (a rename), both atomic */
function writePrivately(
  path: string,
  content: string | Uint8Array,
  publishFile: (temporary: string, path: string) => void,
): void {
  // A random name, opened exclusively: a prepared file or symlink is refused.
  const temporary = `${path}.${randomBytes(12).toString("hex")}.unfinished`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    publishFile(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
}

function syncFolder(folder: string): void {
  // Windows cannot open folders.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
