import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { unknownSettings } from "./settings.ts";

test("an unknown setting in the file is reported by name only, and foreign variables are ignored", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, ".env");
  expect(unknownSettings(file)).toEqual([]);
  writeFileSync(file, "# ours\nPORT=3000\nPROT=canary\nNODE_OPTIONS=\nhttps_proxy=x\nMASTER_KEY=canary\n");
  expect(unknownSettings(file)).toEqual([
    ".env gives MASTER_KEY, which is no setting: it changes nothing",
    ".env gives PROT, which is no setting: it changes nothing",
  ]);
});
