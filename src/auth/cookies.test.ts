import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clearedCookieText, cookieText, openCookie, readCookie, sealCookie } from "./cookies.ts";

test("cookieText() has the attributes that the __Host- prefix requires", () => {
  expect(cookieText("__Host-sid", "v", "Strict", 60)).toBe(
    "__Host-sid=v; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Strict",
  );
  expect(clearedCookieText("__Host-oauth", "Lax")).toBe(
    "__Host-oauth=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax",
  );
});

test("readCookie() finds a cookie among others", () => {
  expect(readCookie("a=1; __Host-sid=abc; b=2", "__Host-sid")).toBe("abc");
  expect(readCookie("__Host-sid=abc", "__Host-sid")).toBe("abc");
  expect(readCookie("__Host-sid=a=b", "__Host-sid")).toBe("a=b");
});

test("readCookie() ignores cookies with similar names", () => {
  for (const header of [
    undefined,
    "",
    "a=1",
    "x__Host-sid=abc",
    "__Host-sidx=abc",
    "__host-sid=abc",
    "__Host-sid",
  ])
    expect(readCookie(header, "__Host-sid")).toBeUndefined();
});

test("readCookie() does not choose between two that differ", () => {
  expect(readCookie("__Host-sid=mine; __Host-sid=theirs", "__Host-sid")).toBeUndefined();
  expect(readCookie("__Host-sid=mine; __Host-sid=mine", "__Host-sid")).toBe("mine");
});

test("readCookie() does not parse an endless header", () => {
  expect(readCookie(`__Host-sid=abc; ${"a=1; ".repeat(10_000)}`, "__Host-sid")).toBeUndefined();
});

test("readCookie() never throws", () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const value = readCookie(header, "__Host-sid");
      expect(value === undefined || header.includes(value)).toBe(true);
    }),
  );
});

const KEY_BYTES = 32;
const key = randomBytes(KEY_BYTES);

test("openCookie() returns the text that sealCookie() encrypted, in characters that a cookie may contain", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const sealed = sealCookie(text, key);
      expect(sealed).toMatch(/^[\w-]+$/);
      expect(openCookie(sealed, key)).toBe(text);
    }),
  );
});

test("sealCookie() never returns the same bytes for the same text", () => {
  expect(sealCookie("state", key)).not.toBe(sealCookie("state", key));
});

test("openCookie() refuses a value encrypted with another key", () => {
  expect(openCookie(sealCookie("state", randomBytes(KEY_BYTES)), key)).toBeNull();
});

test("openCookie() refuses every single changed byte", () => {
  const sealed = Buffer.from(sealCookie("state and verifier", key), "base64url");
  for (let at = 0; at < sealed.length; at += 1) {
    const forged = Buffer.from(sealed);
    forged.writeUInt8((forged.readUInt8(at) + 1) % 256, at);
    expect(openCookie(forged.toString("base64url"), key)).toBeNull();
  }
});

test("openCookie() refuses truncated, empty and non-base64 values", () => {
  const sealed = sealCookie("state", key);
  for (const value of ["", "a", sealed.slice(0, 20), sealed.slice(0, -2), "é".repeat(50), "=".repeat(60)])
    expect(openCookie(value, key)).toBeNull();
});
