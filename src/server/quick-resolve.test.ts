import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { z } from "zod";
import { withinPackage } from "./quick-resolve.ts";

const entry = import.meta.resolve("drizzle-orm");
const RESOLUTIONS = fileURLToPath(new URL("../../verify/testing/resolutions.ts", import.meta.url));

const resolved = z.object({ url: z.string(), format: z.string() });

it("loads the files of drizzle-orm that Node itself resolves, and no other", async () => {
  const printed = await promisify(execFile)(process.execPath, [RESOLUTIONS], { maxBuffer: 2 ** 26 });
  const resolutions = z.array(z.object({ quick: resolved, own: resolved })).parse(JSON.parse(printed.stdout));
  expect(resolutions.length).toBeGreaterThan(100);
  for (const { quick, own } of resolutions) expect(quick).toEqual(own);
});

it("leaves every other import to Node", () => {
  expect(withinPackage("./entity.js", entry)?.url).toBe(new URL("entity.js", entry).href);
  expect(withinPackage("drizzle-orm/pg-core", entry)).toBeNull();
  expect(withinPackage("./entity.cjs", entry)).toBeNull();
  expect(withinPackage("../../pg/esm/index.mjs", entry)).toBeNull();
  expect(withinPackage("../pg/lib/index.js", entry)).toBeNull();
  expect(withinPackage("./context.js", import.meta.url)).toBeNull();
  expect(withinPackage("./entity.js", undefined)).toBeNull();
});
