import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { COOKIE_KEY_BYTES, openCookie, sealCookie } from "./sealed-cookie.ts";

const key = randomBytes(COOKIE_KEY_BYTES);

test("openCookie() gives back what sealCookie() sealed, in characters that a cookie may hold", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const sealed = sealCookie(text, key);
      expect(sealed).toMatch(/^[\w-]+$/);
      expect(openCookie(sealed, key)).toBe(text);
    }),
  );
});

test("sealCookie() never gives the same bytes for the same text", () => {
  expect(sealCookie("state", key)).not.toBe(sealCookie("state", key));
});

test("openCookie() refuses what another key sealed", () => {
  expect(openCookie(sealCookie("state", randomBytes(COOKIE_KEY_BYTES)), key)).toBeNull();
});

test("openCookie() refuses every single changed byte", () => {
  const sealed = Buffer.from(sealCookie("state and verifier", key), "base64url");
  for (let at = 0; at < sealed.length; at += 1) {
    const forged = Buffer.from(sealed);
    forged.writeUInt8((forged.readUInt8(at) + 1) % 256, at);
    expect(openCookie(forged.toString("base64url"), key)).toBeNull();
  }
});

test("openCookie() refuses what is cut, empty or no base64", () => {
  const sealed = sealCookie("state", key);
  for (const value of ["", "a", sealed.slice(0, 20), sealed.slice(0, -2), "é".repeat(50), "=".repeat(60)])
    expect(openCookie(value, key)).toBeNull();
});
