import { describe, expect, test } from "vitest";
import { z } from "zod";
import { MarketplaceError } from "./errors.ts";
import { readAnswer, retryAfterMs } from "./read-answer.ts";

const NOW_MS = Date.UTC(2026, 0, 15, 12, 0, 0);
const schema = z.object({ value: z.number(), code: z.literal(0) });

function errorOf(status: number, text: string, retryAfter: string | null = null): MarketplaceError {
  try {
    readAnswer({ status, text, retryAfter }, schema, NOW_MS);
  } catch (error) {
    if (error instanceof MarketplaceError) return error;
    throw error;
  }
  throw new Error("the answer was accepted");
}

const refusal = (code: number, name: string): string => JSON.stringify({ code, message_code: name });

describe("readAnswer()", () => {
  test("answers the content of a 200 of the agreed shape", () => {
    const answer = { status: 200, text: '{"value":3,"code":0,"more":true}', retryAfter: null };
    expect(readAnswer(answer, schema, NOW_MS)).toEqual({ value: 3, code: 0 });
  });

  test("takes a known refusal with its own status and code as a proof that nothing happened", () => {
    const error = errorOf(409, refusal(201, "item_sold"));
    expect(error).toMatchObject({ code: "sold", isDefinite: true, status: 409 });
  });

  test.each([
    ["with another status", 400, refusal(201, "item_sold")],
    ["with 200", 200, refusal(201, "item_sold")],
    ["with another code", 409, refusal(999, "item_sold")],
    ["with a name that we do not know", 409, refusal(201, "something_new")],
    ["with no body", 409, ""],
    ["as a page", 422, "<html>non</html>"],
    ["with the name of an inherited property", 409, refusal(201, "constructor")],
  ])("never takes a refusal %s as a proof", (_, status, text) => {
    expect(errorOf(status, text).isDefinite).toBe(false);
  });

  test.each([500, 502, 503, 599, 408, 425])("treats a %i as an unknown outcome", (status) => {
    expect(errorOf(status, refusal(201, "item_sold"))).toMatchObject({
      code: "server_error",
      isDefinite: false,
    });
  });

  test("does not follow a redirect, even one with a valid body", () => {
    expect(errorOf(302, '{"value":3,"code":0}')).toMatchObject({ code: "redirected", isDefinite: false });
  });

  test.each([
    ["truncated", '{"value":3,"co'],
    ["with a byte order mark", '\uFEFF{"value":3,"code":0}'],
    ["of the wrong type", '{"value":"3","code":0}'],
    ["an error code with 200", '{"value":3,"code":106}'],
    ["very deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ])("finds a 200 unreadable that is %s", (_, text) => {
    expect(errorOf(200, text)).toMatchObject({ code: "unreadable", isDefinite: false });
  });

  test("does not let a __proto__ key through", () => {
    const answer = { status: 200, text: '{"__proto__":{"value":3},"code":0}', retryAfter: null };
    expect(() => readAnswer(answer, schema, NOW_MS)).toThrow(MarketplaceError);
  });

  test("returns the Retry-After of a 429, whatever its body", () => {
    const agreed = errorOf(429, refusal(107, "too_many_requests"), "7");
    expect(agreed).toMatchObject({ code: "rate_limited", isDefinite: true, retryAfterMs: 7_000 });
    expect(errorOf(429, "<html>", "7")).toMatchObject({
      code: "rate_limited",
      isDefinite: false,
      retryAfterMs: 7_000,
    });
  });

  test.each([403, 200])("knows a page with %i as being blocked", (status) => {
    expect(errorOf(status, "\n<html>captcha</html>")).toMatchObject({ code: "blocked", isDefinite: false });
  });

  test("knows no refusal in a page of a maintenance, nor in a listing that names a robot", () => {
    const maintenance = '<!doctype html><meta name="robots" content="noindex"><title>Maintenance</title>';
    expect(errorOf(200, maintenance)).toMatchObject({ code: "unreadable", isDefinite: false });
    expect(errorOf(200, '{"title":"Un robot <3"}')).toMatchObject({ code: "unreadable" });
  });
});

test("retryAfterMs() reads seconds and dates, and nothing else", () => {
  expect(retryAfterMs("0", NOW_MS)).toBe(0);
  expect(retryAfterMs("86400", NOW_MS)).toBe(86_400_000);
  expect(retryAfterMs("Thu, 15 Jan 2026 12:00:30 GMT", NOW_MS)).toBe(30_000);
  for (const text of ["-1", "soon", "", "1.5", "Thu, 15 Jan 2026 11:00:00 GMT", "9".repeat(30)])
    expect(retryAfterMs(text, NOW_MS)).toBeNull();
  expect(retryAfterMs(null, NOW_MS)).toBeNull();
});

test("retryAfterMs() is at most a week", () => {
  for (const text of ["604801", "999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    expect(retryAfterMs(text, NOW_MS)).toBe(7 * 86_400_000);
});
