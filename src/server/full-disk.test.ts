import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type CrashWorld, startCrashWorld } from "#verify/testing/crash-world.ts";
import type { Person } from "#verify/testing/person.ts";
import { mountedDisk, pretendedDisk, type SmallDisk } from "#verify/testing/small-disk.ts";

/** A real file system where one can be mounted; otherwise files that cannot grow. */
async function smallDisk(): Promise<SmallDisk> {
  return (await mountedDisk()) ?? (await pretendedDisk());
}

const NO_ROOM = {
  success: false,
  error: "La base de données est indisponible pour le moment : réessayez dans quelques minutes.",
};
/** The maximum length of the field, so that few filters fill the store's free pages. */
const INFO = "x".repeat(480);
const MOST_FILTERS = 190;

/** The last page of a full table still has room; the first filter that does not fit is refused. */
async function saveUntilRefused(buyer: Person): Promise<readonly string[]> {
  const saved: string[] = [];
  for (;;) {
    const tag = `Plein ${saved.length}`;
    const answer = await buyer.raw("POST", "/filtres/add", { tag, info: INFO, active: false });
    if (answer.status !== 200) {
      expect([answer.status, answer.body]).toEqual([503, NO_ROOM]);
      return saved;
    }
    saved.push(tag);
    expect(saved.length).toBeLessThan(MOST_FILTERS);
  }
}

/** Room for the existing tables, but not for the next log file of 16 MB. */
const LESS_THAN_A_LOG_FILE_BYTES = 8 * 1024 * 1024;
const LOG_FILLER = fileURLToPath(new URL("../../verify/testing/log-filler.ts", import.meta.url));

/** @returns the store's error when its log cannot grow */
async function fillLog(disk: SmallDisk): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", ...disk.env };
  return (await promisify(execFile)(process.execPath, [LOG_FILLER, disk.path], { env })).stdout;
}

/** The person's session may be among the lost writes, which shows only when it is used. */
const PATIENTLY = { interval: 1_000 };

async function hasBoughtAndSaved(world: CrashWorld): Promise<boolean> {
  await world.sandbox.publish({ title: "Robe crash après", price: 5 });
  const { payments, acknowledged } = await world.counts();
  return payments > 0 && acknowledged > 0;
}

test("a full disk refuses in French, loses and pays nothing twice, and is over once there is room", async () => {
  await using disk = await smallDisk();
  await using world = await startCrashWorld({ dataDir: disk.path, env: disk.env });

  // Tables cannot grow: the process keeps running.
  await world.runUntilKilled({
    async untilKill(product, buyer) {
      await product.ready;
      const before = (await buyer.call("filters")).filtres;
      disk.fill(0);
      const [wanted] = await world.sandbox.publish({ title: "Robe crash pleine", price: 5 });
      const saved = await saveUntilRefused(buyer);
      const click = await buyer.raw("POST", "/purchase/click", { id: wanted?.id });
      expect([200, 404, 409, 503]).toContain(click.status);
      const tags = (await buyer.call("filters")).filtres.map(({ tag }) => tag);
      expect(tags).toEqual(expect.arrayContaining([...before.map(({ tag }) => tag), ...saved]));
      expect(tags).not.toContain(`Plein ${saved.length}`);
      disk.makeRoom();
      await expect
        .poll(async () => (await buyer.raw("POST", "/filtres/add", { tag: "Place", active: false })).status)
        .toBe(200);
    },
  });

  // The log cannot grow: the store ends its process; the product starts again once there is room.
  disk.fill(LESS_THAN_A_LOG_FILE_BYTES);
  expect(await fillLog(disk)).toBe("unanswered");
  await world.runUntilKilled({
    async untilKill(product) {
      const { code, stderr } = await product.ended;
      expect(stderr).toMatch(/^the disk of DATA_DIR is full \(\d MB free, .*\): make room there/m);
      expect(code).toBe(3);
    },
  });
  disk.makeRoom();
  await world.runUntilKilled({
    async untilKill() {
      await expect.poll(async () => await hasBoughtAndSaved(world), PATIENTLY).toBe(true);
    },
  });
  expect(await world.violations()).toEqual([]);
});
