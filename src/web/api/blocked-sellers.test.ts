import { expect, test } from "vitest";
import { blockCheckOf, oldLoginsOf } from "./blocked-sellers.ts";

const seller = (id: number | null, login: string) => ({ id, login, photo: null });

test("a seller is recognised by id, and by login where an id is unknown", () => {
  const isBlocked = blockCheckOf([
    { id: 7, login: "lea75", depuis: 1 },
    { id: null, login: "Tom", depuis: 1 },
  ]);
  expect(isBlocked(seller(7, "lea_nouvelle"))).toBe(true);
  expect(isBlocked(seller(8, "lea75"))).toBe(false);
  expect(isBlocked(seller(8, "tOM"))).toBe(true);
  expect(isBlocked(seller(null, "LEA75"))).toBe(true);
  expect(isBlocked(seller(null, "zoe"))).toBe(false);
  expect(blockCheckOf([])(seller(null, ""))).toBe(false);
});

test("the old list is read as logins that the server takes, each once, the latest when there are too many", () => {
  expect(oldLoginsOf(["lea", 3, "", " ", "tom", "lea", "x".repeat(101)])).toEqual(["lea", "tom"]);
  const many = Array.from({ length: 400 }, (_, index) => `v${index}`);
  const kept = oldLoginsOf(many);
  expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([300, "v100", "v399"]);
  expect(oldLoginsOf(undefined)).toEqual([]);
  expect(oldLoginsOf({ lea: true })).toEqual([]);
});
