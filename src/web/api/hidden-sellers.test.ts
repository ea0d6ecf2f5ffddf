import { expect, test } from "vitest";
import { parseHiddenSellers } from "./hidden-sellers.ts";

test("what was kept is read as logins only, the latest when there are too many", () => {
  expect([...(parseHiddenSellers(["lea", 3, "", "tom", "lea"]) ?? [])]).toEqual(["lea", "tom"]);
  const many = Array.from({ length: 400 }, (_, index) => `v${index}`);
  const kept = [...(parseHiddenSellers(many) ?? [])];
  expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([300, "v100", "v399"]);
});

test("damaged storage counts as nothing kept", () => {
  expect(parseHiddenSellers(undefined)).toBeUndefined();
  expect(parseHiddenSellers({ lea: true })).toBeUndefined();
});
