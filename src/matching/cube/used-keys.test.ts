import { expect, test } from "vitest";
import { KeyList } from "./filter-keys.ts";
import { UsedKeys } from "./used-keys.ts";

function keyOf(category: number): KeyList {
  const keys = new KeyList();
  keys.add(category, 0);
  return keys;
}

function mayContain(used: UsedKeys, { hashes }: KeyList): boolean {
  return used.mayContain(hashes[0] ?? 0);
}

test("a key is in use until its last filter is removed", () => {
  const used = new UsedKeys();
  const key = keyOf(1);
  expect(mayContain(used, key)).toBe(false);
  used.count(key, 1);
  used.count(key, 1);
  used.count(key, -1);
  expect(mayContain(used, key)).toBe(true);
  expect(mayContain(used, keyOf(2))).toBe(false);
  used.count(key, -1);
  expect(mayContain(used, key)).toBe(false);
});

test("a key of more filters than a count can hold stays in use", () => {
  const used = new UsedKeys();
  const key = keyOf(1);
  for (let added = 0; added < 300; added += 1) {
    used.count(key, 1);
    expect(mayContain(used, key)).toBe(true);
  }
  for (let left = 299; left > 0; left -= 1) {
    used.count(key, -1);
    expect(mayContain(used, key)).toBe(true);
  }
});
