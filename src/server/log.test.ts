import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function captured(level: "info" | "warn" | "silent" = "info") {
  const lines: string[] = [];
  const log = createLog(level, { write: (line: string) => void lines.push(line) });
  return { log, lines };
}

test("a log line is one JSON object with time, level, message and the allowed fields", () => {
  const { log, lines } = captured();
  log.warn({ reason: "rate_limited", untilMs: 5 }, "the feed rests");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "warn",
    reason: "rate_limited",
    untilMs: 5,
    msg: "the feed rests",
  });
  expect(lines[0]).toMatch(/"time":"\d{4}-\d\d-\d\dT[^"]*Z"/);
});

test("a field that is not allowed is named but its value is left out", () => {
  const { log, lines } = captured();
  const spread: object = { token: "canary" };
  log.error({ ...spread, code: "x" }, "refused");
  expect(lines.join()).not.toContain("canary");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ code: "x", fieldsLeftOut: "token" });
});

test("an error or a reason may be a name, never a message", () => {
  const { log, lines } = captured();
  log.error({ error: "TypeError", reason: "rate_limited" }, "named");
  log.error({ error: "Error: canary said no", reason: "the token is canary" }, "quoted");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ error: "TypeError", reason: "rate_limited" });
  expect(lines[1]).not.toContain("canary");
});

test("line breaks within a field or a message stay within one line", () => {
  const { log, lines } = captured();
  log.info({ slice: 'a\r\n{"level":"error"}' }, "one\ntwo");
  expect(lines.join("").trimEnd().split("\n")).toHaveLength(1);
});

test("a long text is cut", () => {
  const { log, lines } = captured();
  log.info({ slice: "x".repeat(100_000) }, "long");
  expect(lines.join().length).toBeLessThan(2_000);
});

test("the level decides what is written", () => {
  const { log, lines } = captured("warn");
  log.info({}, "quiet");
  log.warn({}, "heard");
  expect(lines).toHaveLength(1);
});
