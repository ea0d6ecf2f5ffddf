import * as fc from "fast-check";
import { expect, test } from "vitest";
import { clearedCookieText, cookieText, readCookie } from "./cookies.ts";

test("cookieText() writes what the __Host- prefix asks for", () => {
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

test("readCookie() takes no other cookie for it", () => {
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

test("readCookie() does not work through an endless header", () => {
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
