import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from "node:crypto";
import { StoreError } from "../errors.ts";

/**
 * Envelopes: AES-256-GCM with a random 96-bit nonce; the cell that holds the value is authenticated. Layout:
 * format (1 byte) · key id (8) · nonce (12) · tag (16) · ciphertext.
 */
const FORMAT = 1;
const KEY_ID_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES;

export const KEY_BYTES = 32;

/** Where a sealed value is stored: it cannot be opened in another row or column. */
export interface Cell {
  readonly table: string;
  readonly row: string;
  readonly field: string;
}

/** A key whose bytes cannot be read; its id identifies the key and reveals nothing about it. */
export class SealingKey {
  /** 16 hexadecimal digits. */
  readonly id: string;
  readonly #key: KeyObject;

  constructor(bytes: Uint8Array) {
    if (bytes.length !== KEY_BYTES) throw new StoreError("keys_invalid", `a key must be ${KEY_BYTES} bytes`);
    this.id = keyIdOf(bytes);
    this.#key = createSecretKey(bytes);
  }

  /** The result differs each time, even for the same text. */
  seal(plain: Uint8Array, cell: Cell): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(boundTo(cell));
    const ciphertext = [cipher.update(plain), cipher.final()];
    const header = [Uint8Array.of(FORMAT), Buffer.from(this.id, "hex"), nonce, cipher.getAuthTag()];
    return Uint8Array.from(Buffer.concat([...header, ...ciphertext]));
  }

  /** Throws a StoreError `unreadable` for altered bytes, another cell or another key. */
  open(sealed: Uint8Array, cell: Cell): Uint8Array {
    if (sealed.length < HEADER_BYTES || sealed[0] !== FORMAT || sealingKeyId(sealed) !== this.id) {
      throw unreadable(cell);
    }
    const nonceEnd = 1 + KEY_ID_BYTES + NONCE_BYTES;
    const decipher = createDecipheriv("aes-256-gcm", this.#key, sealed.subarray(1 + KEY_ID_BYTES, nonceEnd), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(boundTo(cell));
    decipher.setAuthTag(sealed.subarray(nonceEnd, HEADER_BYTES));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]);
    } catch (error) {
      throw unreadable(cell, error);
    }
  }

  sealText(text: string, cell: Cell): Uint8Array {
    return this.seal(Buffer.from(text, "utf8"), cell);
  }

  openText(sealed: Uint8Array, cell: Cell): string {
    return Buffer.from(this.open(sealed, cell)).toString("utf8");
  }
}

/** The id of the key that sealed these bytes. */
export function sealingKeyId(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(1, 1 + KEY_ID_BYTES)).toString("hex");
}

export function unreadable(cell: Cell, cause?: unknown): StoreError {
  return new StoreError("unreadable", `${cell.table}.${cell.field} of ${cell.row} cannot be opened`, {
    cause,
  });
}

/** Null for an `unreadable` value; other errors are thrown. */
export function unlessUnreadable<Value>(open: () => Value): Value | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof StoreError && error.code === "unreadable") return null;
    throw error;
  }
}

function keyIdOf(bytes: Uint8Array): string {
  const digest = createHash("sha256").update("synapse key id\n").update(bytes).digest();
  return digest.subarray(0, KEY_ID_BYTES).toString("hex");
}

function boundTo({ table, row, field }: Cell): Uint8Array {
  return Buffer.from(`${table}|${row}|${field}|${FORMAT}`, "utf8");
}
