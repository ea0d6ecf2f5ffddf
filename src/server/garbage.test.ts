import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const module = JSON.stringify(join(import.meta.dirname, "garbage.ts"));

/** Keeps about 60 MB alive while replacing it piece by piece, and prints the maximum of its heap. */
const CHURN = `
  const kept = [];
  let mostBytes = 0;
  for (let n = 0; n < 3_000_000; n += 1) {
    kept[n % 600_000] = { n, text: "t" + n };
    if (n % 10_000 === 0) mostBytes = Math.max(mostBytes, process.memoryUsage().heapTotal);
  }
  console.log(mostBytes);
`;

async function mostBytes(opening: string): Promise<number> {
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", opening + CHURN]);
  return Number(stdout);
}

test("garbage stays small beside what lives", async () => {
  const bounded = await mostBytes(`import { boundGarbage } from ${module}; boundGarbage();`);
  const unbounded = await mostBytes("");
  expect(bounded / unbounded).toBeLessThan(0.85);
});
