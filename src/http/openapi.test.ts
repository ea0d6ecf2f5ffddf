import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { calls } from "#contract/calls.ts";
import { describeApi } from "./openapi.ts";

const FILE = new URL("../../docs/openapi.json", import.meta.url);

/** Did you mean to change the wire? Then `vitest run src/http/openapi.test.ts -u` rewrites the file. */
test("docs/openapi.json is what the contract says", async () => {
  await expect(`${JSON.stringify(describeApi(), null, 2)}\n`).toMatchFileSnapshot(FILE.pathname);
});

test("the page names every call and holds no schema that is a riddle", async () => {
  const text = await readFile(FILE, "utf8");
  for (const name of Object.keys(calls)) expect(text).toContain(`"operationId": "${name}"`);
  expect(text).not.toContain('"schema": {}');
});
