import { expect, test } from "vitest";
import { isApiPath, isDecodable, isFilterPath, localAddress, pathOf } from "./addresses.ts";

test("pathOf() reads a path as the router does", () => {
  expect(pathOf("/filtres/get?q=/auth/")).toBe("/filtres/get");
  expect(pathOf("/%66iltres/get")).toBe("/filtres/get");
  expect(pathOf("/auth%2Fuser")).toBe("/auth%2Fuser");
  expect(pathOf("http://localhost:3000/filtres/get?x")).toBe("/filtres/get");
  expect(pathOf("HTTP://evil.example?x")).toBe("");
  expect(pathOf("/%E0%A4%A")).toBe("/%E0%A4%A");
});

test("localAddress() keeps the query and drops scheme and host", () => {
  expect(localAddress("http://evil.example/a?b=http://c/")).toBe("/a?b=http://c/");
  expect(localAddress("/a?b=http://c/")).toBe("/a?b=http://c/");
  expect(localAddress("//evil.example/a")).toBe("//evil.example/a");
});

test("isApiPath() and isFilterPath() go by the first part of the path", () => {
  expect(
    ["/auth/user", "/filtres", "/vinted/get", "/purchase/x", "/articles/recent", "/health"].every(isApiPath),
  ).toBe(true);
  expect(["/", "/synapse/filtres", "/authx/user", "/assets/auth/x.js", ""].some(isApiPath)).toBe(false);
  expect([isFilterPath("/filtres/get"), isFilterPath("/filtres"), isFilterPath("/filtresx")]).toEqual([
    true,
    true,
    false,
  ]);
});

test.each(["/%", "/%zz", "/a?q=%E0%A4%A", "/a?q=%C0%AF", "/%00", "/a?b=%00"])(
  "isDecodable() refuses %s",
  (address) => {
    expect(isDecodable(address)).toBe(false);
  },
);

test("isDecodable() takes every proper escape", () => {
  expect(isDecodable("/a%20b?q=%C3%A9t%C3%A9+et%26")).toBe(true);
});
