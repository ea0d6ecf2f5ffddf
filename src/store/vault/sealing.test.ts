import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StoreError } from "../errors.ts";
import { type Cell, KEY_BYTES, SealingKey, sealingKeyId } from "./sealing.ts";

const CELL: Cell = { table: "settings", row: "somebody", field: "sealed_address" };

const aKey = (fill: number): SealingKey => new SealingKey(new Uint8Array(KEY_BYTES).fill(fill));

const bytes = fc.uint8Array({ maxLength: 200 });

describe("SealingKey", () => {
  test("opens any value that it sealed", () => {
    fc.assert(
      fc.property(bytes, (plain) => {
        const key = aKey(1);
        expect(Uint8Array.from(key.open(key.seal(plain, CELL), CELL))).toEqual(plain);
      }),
    );
  });

  test("seals the same text into different bytes each time", () => {
    const key = aKey(1);
    const sealed = Array.from({ length: 50 }, () => Buffer.from(key.sealText("same", CELL)).toString("hex"));
    expect(new Set(sealed).size).toBe(50);
  });

  test("opens no envelope with any one bit flipped", () => {
    const key = aKey(1);
    const sealed = key.sealText("secret", CELL);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const altered = Uint8Array.from(sealed);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => key.open(altered, CELL)).toThrow(StoreError);
    }
  });

  test("opens no truncated envelope", () => {
    const key = aKey(1);
    const sealed = key.sealText("secret", CELL);
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => key.open(sealed.subarray(0, length), CELL)).toThrow(StoreError);
    }
  });

  test.each<[string, Partial<Cell>]>([
    ["table", { table: "users" }],
    ["row", { row: "somebody-else" }],
    ["field", { field: "sealed_pickup_points" }],
  ])("opens no envelope in another %s", (_, other) => {
    const key = aKey(1);
    const sealed = key.sealText("secret", CELL);
    expect(() => key.open(sealed, { ...CELL, ...other })).toThrow(StoreError);
  });

  test("opens no envelope of another key, not even one that claims its id", () => {
    const sealed = aKey(1).sealText("secret", CELL);
    expect(() => aKey(2).open(sealed, CELL)).toThrow(StoreError);
    const claimed = Uint8Array.from(sealed);
    claimed.set(Buffer.from(aKey(2).id, "hex"), 1);
    expect(sealingKeyId(claimed)).toBe(aKey(2).id);
    expect(() => aKey(2).open(claimed, CELL)).toThrow(StoreError);
  });

  test("names in an error the value's location, never the value or the key", () => {
    const sealed = aKey(1).sealText("canary-plain", CELL);
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    const error = captured(() => aKey(1).open(sealed, CELL));
    expect(error.code).toBe("unreadable");
    expect(error.message).toBe("settings.sealed_address of somebody cannot be opened");
    expect(JSON.stringify([error.message, error.stack, String(error.cause)])).not.toContain("canary");
  });

  test("refuses a key of another length", () => {
    expect(() => new SealingKey(new Uint8Array(KEY_BYTES - 1))).toThrow(StoreError);
  });
});

function captured(action: () => unknown): StoreError {
  try {
    action();
  } catch (error) {
    if (error instanceof StoreError) return error;
  }
  throw new Error("a StoreError was expected");
}
