import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guards } from "#verify/mutants/guards.ts";
import { figure } from "./figures.ts";
import { requirements } from "./requirements.ts";

/** The tests and guards named by docs/security.md and requirements.ts must exist. */
const root = join(import.meta.dirname, "..", "..");
const text = readFileSync(join(root, "docs", "security.md"), "utf8");
const NUMBERS = Array.from({ length: 36 }, (_, index) => `S${index + 1}`);
const NAMED = /`([\w./-]+\.(?:test|suite|spec)\.ts)` “([^”]+)”/g;

function testsIn(markdown: string): readonly (readonly [file: string, name: string])[] {
  return [...markdown.matchAll(NAMED)].map(([, file = "", name = ""]) => [file, name]);
}

/** Splits "file: title". */
function partsOf(named: string): readonly [file: string, name: string] {
  const end = named.indexOf(": ");
  return [named.slice(0, end), named.slice(end + 2)];
}

function doesNotExist([file, name]: readonly [file: string, name: string]): boolean {
  return !existsSync(join(root, file)) || !readFileSync(join(root, file), "utf8").includes(name);
}

test("the page has a row with a test for each of the thirty-five requirements", () => {
  const rows = text.split("\n").filter((line) => /^\| S\d+ /.test(line));
  expect(rows.map((row) => /^\| (S\d+)/.exec(row)?.[1] ?? "").toSorted()).toEqual(NUMBERS.toSorted());
  expect(rows.filter((row) => testsIn(row).length === 0)).toEqual([]);
});

test("the page stays short enough to be read", () => {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(19_000);
});

test("each requirement has tests, and all tests that it or the page names exist", () => {
  expect(Object.keys(requirements)).toEqual([...NUMBERS, "nodes"]);
  expect(Object.values(requirements).filter((tests) => tests.length === 0)).toEqual([]);
  const named = [...Object.values(requirements).flat().map(partsOf), ...testsIn(text)];
  expect(named.filter(doesNotExist)).toEqual([]);
  figure("documents", `${NUMBERS.length} requirements tied to ${named.length} tests by name: all exist`);
});

test("every guard belongs to a requirement, and each requirement that is code has one", () => {
  const guarded = new Set(guards.map(({ name }) => /^guard: (\w+) /.exec(name)?.[1] ?? name));
  expect([...guarded].filter((id) => !Object.hasOwn(requirements, id))).toEqual([]);
  expect(Object.keys(requirements).filter((id) => !guarded.has(id))).toEqual(["S30"]);
});
