import { expect, test } from "vitest";
import { dataDirFailure, delayOf, refusalOf } from "./start-refused.ts";

test.each(["ENOSPC", "EDQUOT"])("a data directory that %s keeps from being made is tried again", (code) => {
  const failure = dataDirFailure("/data", Object.assign(new Error("mkdir"), { code }));
  expect(delayOf(failure)).toMatch(/^the disk of DATA_DIR \/data is full .*: make room there/);
  expect(refusalOf(failure)).toBeNull();
});

test("a data directory that may not be written is refused for good", () => {
  const failure = dataDirFailure("/data", Object.assign(new Error("mkdir"), { code: "EACCES" }));
  expect(refusalOf(failure)).toMatch(/^DATA_DIR \/data cannot be used \(EACCES\)/);
});
