import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";

/** Keeps the invariants of docs/purchase.md, their tests and the simulation's checks in step. */
const root = join(import.meta.dirname, "..", "..");
const sources = new Map(
  globSync("{src,verify}/**/*.{test,suite}.ts", { cwd: root }).map((path) => [
    path,
    readFileSync(join(root, path), "utf8"),
  ]),
);

interface Row {
  readonly number: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** Parses "- **I1** Statement." and the following `file` "title", "title" entries. */
function rowsOf(markdown: string): readonly Row[] {
  return markdown.split(/^- (?=\*\*I\d+\*\*)/m).flatMap((item) => {
    const number = /^\*\*(I\d+)\*\*/.exec(item)?.[1];
    if (number === undefined) return [];
    const [statementAndTests = ""] = item.split("\n\n", 1);
    const tests = statementAndTests.split(";").flatMap((part) => {
      const file = /`([^`]+)`/.exec(part)?.[1] ?? "";
      return part
        .matchAll(/"([^"]+)"/g)
        .map(([, title = ""]) => ({ file, title }))
        .toArray();
    });
    return [{ number, tests }];
  });
}

function hasTest({ file, title }: Row["tests"][number]): boolean {
  return sources.entries().some(([path, text]) => basename(path) === file && text.includes(title));
}

const rows = rowsOf(readFileSync(join(root, "docs", "purchase.md"), "utf8"));

describe("the numbered invariants", () => {
  it("are in order", () => {
    const numbers = Array.from({ length: 25 }, (_unused, index) => `I${index + 1}`);
    expect(rows.map(({ number }) => number)).toEqual(numbers);
  });

  it.each(rows)("$number is held by tests that exist", ({ tests }) => {
    expect(tests).not.toEqual([]);
    expect(tests.filter((test) => !hasTest(test))).toEqual([]);
  });

  it("are each judged by the simulation, which judges nothing else", () => {
    const judges = globSync("verify/simulation/*.ts", {
      cwd: root,
      exclude: (name) => /(violations|[.]test)[.]ts$/.test(name),
    })
      .map((path) => readFileSync(join(root, path), "utf8"))
      .join("\n");
    const judged = new Set(
      judges.matchAll(/(?:report\(\s*|invariant: )"(I\d+)"/g).map(([, number = ""]) => number),
    );
    expect([...judged].toSorted()).toEqual(rows.map(({ number }) => number).toSorted());
  });
});
