import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { START_REFUSED_EXIT_CODE } from "./start-refused.ts";

test("a database's password is not taken from the command line, where every user of the machine reads it", async () => {
  await using folder = await temporaryFolder();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "move.ts"), "postgresql://synapse:hunter2@127.0.0.1:9/synapse"],
    { env: { PATH: process.env["PATH"] ?? "", DATA_DIR: folder.path }, encoding: "utf8" },
  );
  expect(status).toBe(START_REFUSED_EXIT_CODE);
  expect(stderr).toContain("set DATABASE_URL instead");
  expect(stdout + stderr).not.toContain("hunter2");
});
