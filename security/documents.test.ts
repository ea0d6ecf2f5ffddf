import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guards } from "../mutants/guards.ts";
import { figure } from "./figures.ts";

/** docs/security.md ties each requirement to the tests that show it: they must exist under the names it gives. */
const root = join(import.meta.dirname, "..");
const text = readFileSync(join(root, "docs", "security.md"), "utf8");
const rows = text
  .slice(text.indexOf("## What stops them, row by row"))
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
