import { expect, test } from "vitest";
import { RepeatedStatements } from "./driver-patches.ts";

test("words that come for the second time have a name from then on, each its own", () => {
  const statements = new RepeatedStatements();
  expect(statements.nameOf("one")).toBeNull();
  const name = statements.nameOf("one");
  expect(name).not.toBeNull();
  expect(statements.nameOf("one")).toBe(name);
  statements.nameOf("two");
  expect(statements.nameOf("two")).not.toBe(name);
});

test("no more than 250 have a name, however many come", () => {
  const statements = new RepeatedStatements();
  const texts = Array.from({ length: 400 }, (_, n) => `select ${n}`);
  const names = new Set([...texts, ...texts, ...texts].map((text) => statements.nameOf(text)));
  names.delete(null);
  expect(names.size).toBe(250);
});

test("words that come once push out others that came once, and nothing else", () => {
  const statements = new RepeatedStatements();
  statements.nameOf("kept");
  const name = statements.nameOf("kept");
  statements.nameOf("forgotten");
  for (let n = 0; n < 1_000; n += 1) statements.nameOf(`select ${n}`);
  expect(statements.nameOf("forgotten")).toBeNull();
  expect(statements.nameOf("forgotten")).not.toBeNull();
  expect(statements.nameOf("kept")).toBe(name);
});
