import { expect, test } from "vitest";
import { oldLoginsOf } from "./blocked-sellers.ts";

test("the old list is read as logins that the server takes, each once, the latest when there are too many", () => {
  expect(oldLoginsOf(["lea", 3, "", " ", "tom", "lea", "x".repeat(101)])).toEqual(["lea", "tom"]);
  const many = Array.from({ length: 400 }, (_, index) => `v${index}`);
  const kept = oldLoginsOf(many);
  expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([300, "v100", "v399"]);
  expect(oldLoginsOf(undefined)).toEqual([]);
  expect(oldLoginsOf({ lea: true })).toEqual([]);
});
