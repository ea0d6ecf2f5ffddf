import { expect, test } from "vitest";
import { ownOrigins } from "./network.ts";

test("a port of this machine has two origins, whichever name is given", () => {
  expect(ownOrigins("http://127.0.0.1:4001/")).toEqual(["http://127.0.0.1:4001", "http://localhost:4001"]);
  expect(ownOrigins("http://localhost:4001")).toEqual(["http://localhost:4001", "http://127.0.0.1:4001"]);
});

test.each([
  "https://www.vinted.fr",
  "http://localhost.evil.example:4001",
  "http://127.0.0.1.evil.example",
  "http://127.0.0.1@evil.example",
  "https://localhost:4001",
])("ownOrigins(): %s has no loopback alias", (origin) => {
  expect(ownOrigins(origin)).toEqual([origin]);
});
