import { expect, test } from "vitest";
import { describeError } from "./log.ts";

test("describeError() names an error, its causes and its places, and never quotes a message", () => {
  const cause = Object.assign(new TypeError("canary-cause"), { code: "23505" });
  const error = new Error("canary-message\n    at canary (canary-frame)", { cause });
  const fields = describeError(error);
  expect(fields["errorName"]).toBe("Error < TypeError");
  expect(fields["errorCode"]).toBe("23505");
  expect(fields["errorAt"]).toContain("log.test.ts");
  expect(JSON.stringify(fields)).not.toContain("canary");
});

test("describeError() leaves out a code that is a sentence", () => {
  const error = Object.assign(new Error("x"), { code: "the token is canary" });
  expect(JSON.stringify(describeError(error))).not.toContain("canary");
});

test("describeError() says only what kind of thing was thrown when it is no error", () => {
  expect(describeError("canary")).toEqual({ errorName: "string" });
});
