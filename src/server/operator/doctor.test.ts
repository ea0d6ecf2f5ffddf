import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openStore } from "#store/open-store.ts";
import { A_MOMENT_MS, FakeClock } from "#verify/testing/fake-clock.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { aMasterKey, newDataDir, openTestStore, testStoreOptions } from "#verify/testing/test-store.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { examine, rotateKeys } from "./doctor.ts";
import type { OperatorDeps } from "./operator-deps.ts";

const fails = async (): Promise<never> => await Promise.reject(new Error("the store is away"));

test("doctor reports everything it can while the store is away, logs why, and names late and refused alerts", async () => {
  await using folder = await temporaryFolder();
  const opened = await openTestStore();
  await opened[Symbol.asyncDispose]();
  const log = createQuietLog();
  const deps = {
    log,
    store: opened.store,
    clock: new FakeClock(),
    config: {
      publicUrl: "http://localhost:3000",
      dataDir: folder.path,
      marketplace: { url: "http://127.0.0.1:9", sellerRequestsShare: 1 },
    },
    purchasing: { operator: { stops: fails } },
    memory: { facts: async () => ({ damagedBlocks: [], versions: 3 }) },
    feedState: null,
    alerts: {
      refusedServices: async () => ["telegram"],
      statistics: async () => [
        { channel: "push", waiting: 4, oldestMs: 700_000, sent: 0, failed: 0, lost: 0 },
      ],
    },
  } as unknown as OperatorDeps;
  const { lines } = await examine(deps);
  const wrongLines = lines.flatMap((line) => (line.startsWith("WRONG") ? [line.slice(7)] : []));
  expect(wrongLines).toEqual([
    expect.stringMatching(/^the store does not answer: /),
    expect.stringMatching(/^the audit log could not be checked \(the store is closed\): /),
    expect.stringMatching(/^the books of money could not be checked: /),
    expect.stringMatching(/^stops of purchases could not be checked: see the log/),
    expect.stringMatching(/^look-ups of sellers could not be checked: /),
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:9 does not answer: /),
    expect.stringMatching(/^alerts are refused by the service of: telegram: /),
    expect.stringMatching(/^alerts wait for more than 10 minutes: push 4: /),
  ]);
  expect(lines).toContain("ok     the archive of the market holds 3 versions");
  expect(log.lines).toContainEqual({
    level: "warn",
    fields: { finding: "stops of purchases", errorName: "Error", errorAt: expect.any(String) as string },
    message: "doctor could not check something",
  });
});

test("doctor survives a marketplace that breaks off its answer", async () => {
  const { promise: broken, resolve: breaks } = Promise.withResolvers<void>();
  const market = createServer((_request, response) => {
    response.writeHead(200, { connection: "close" });
    // More than is read at once, less than stops the reading of the connection.
    response.write("x".repeat(100_000));
    setTimeout(() => {
      response.socket?.resetAndDestroy();
      breaks();
    }, 100);
  });
  market.listen(0, "127.0.0.1");
  await once(market, "listening");
  const url = `http://127.0.0.1:${(market.address() as AddressInfo).port}`;
  const deps = { log: createQuietLog(), config: { marketplace: { url } } } as unknown as OperatorDeps;
  const { lines } = await examine(deps);
  expect(lines).toContain(`ok     ${url} answers`);
  await broken;
  // An unhandled error would be raised by then, and fail the run.
  await pause(100);
  market.close();
});

test("a rotation of given keys asks for a new key in front only where none was put there", async () => {
  const dataDir = await newDataDir();
  const [oldKey, newKey] = [aMasterKey(), aMasterKey()];
  const rotated = async (masterKeys: string): Promise<readonly string[]> => {
    await using store = await openStore({ ...testStoreOptions(dataDir), masterKeys });
    await store.users.signIn(aUser(), A_MOMENT_MS);
    const { lines } = await rotateKeys({ store, clock: new FakeClock() } as unknown as OperatorDeps);
    return lines;
  };
  expect(await rotated(oldKey)).toEqual([
    "MASTER_KEYS gives the keys: put a new one in front first; 0 keys were sealed anew",
  ]);
  expect(await rotated(`${newKey},${oldKey}`)).toEqual([
    "the first of MASTER_KEYS is the newest; 2 keys were sealed anew",
  ]);
});
