import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guards } from "../mutants/guards.ts";
import { figure } from "./figures.ts";

/** docs/security.md ties each requirement to the tests that show it: they must exist under the names it gives. */
const root = join(import.meta.dirname, "..");
const text = readFileSync(join(root, "docs", "security.md"), "utf8");
const rows = text
  .slice(text.indexOf("## What stops them, row by row"), text.indexOf("## Each guard, taken away"))
  .split("\n")
  .filter((line) => /^\| S\d+ /.test(line));
const NAMED = /`([\w./-]+\.(?:test|suite|spec)\.ts)` “([^”]+)”/g;

test("each of the thirty-five requirements has a row, and each row a test", () => {
  const numbers = rows.map((row) => Number(/^\| S(\d+)/.exec(row)?.[1]));
  expect(numbers).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
  expect(rows.filter((row) => [...row.matchAll(NAMED)].length === 0)).toEqual([]);
});

test("every test that the page names exists", () => {
  const named = [...text.matchAll(NAMED)].map(([, file = "", name = ""]) => [file, name] as const);
  const missing = named.filter(
    ([file, name]) => !existsSync(join(root, file)) || !readFileSync(join(root, file), "utf8").includes(name),
  );
  expect(missing).toEqual([]);
  figure("documents", `${rows.length} requirements tied to ${named.length} tests by name: all exist`);
});

test("every guard that is taken away in turn still stands where it is taken from", () => {
  const lost = guards.flatMap(({ name, patches }) =>
    patches
      .filter(({ file, find }) => readFileSync(join(root, file), "utf8").split(find).length !== 2)
      .map(({ file }) => `${name} (${file})`),
  );
  expect(lost).toEqual([]);
  expect(guards.length).toBeGreaterThanOrEqual(12);
});

test("the page lists every guard, and each requirement that is code has one", () => {
  const listed = text
    .slice(text.indexOf("## Each guard, taken away"))
    .split("\n")
    .flatMap((line) => {
      const [, row = "", guard = ""] = /^\| (S\d+|nodes) +\| (.+?) +\| “/.exec(line) ?? [];
      return guard === "" ? [] : [{ row, name: `guard: ${guard}` }];
    });
  expect(listed.map(({ name }) => name).toSorted()).toEqual(guards.map(({ name }) => name).toSorted());
  const withGuard = new Set(listed.map(({ row }) => row));
  const numbers = Array.from({ length: 35 }, (_, index) => `S${index + 1}`);
  expect(numbers.filter((row) => !withGuard.has(row))).toEqual(["S30"]);
});
