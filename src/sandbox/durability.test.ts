import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { wireOrders, wireTokens } from "#marketplace/wire.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { type SandboxClient, sandboxClient } from "#verify/testing/sandbox-client.ts";
import { openShopper, paymentOf, publishOne, refusalOf, sender, type Shop } from "./shop.suite.ts";
import { startSandbox } from "./sandbox.ts";

let folder: string;
let child: ChildProcess | null;
let send: Shop["send"];
let client: SandboxClient;

/** Runs a sandbox in its own process, which prints its address. */
const PROGRAM = `
  import { startSandbox } from "${new URL("sandbox.ts", import.meta.url).href}";
  import { systemClock as clock } from "${new URL("../server/clock.ts", import.meta.url).href}";
  const [dataDir, pace] = process.argv.slice(1);
  const log = { info() {}, warn() {}, error() {} };
  const where = { port: 0, host: "127.0.0.1", dataDir };
  const sandbox = await startSandbox({ ...where, seed: 1, listingsPerSecond: Number(pace), log, clock });
  console.log(sandbox.url);
`;

async function start(listingsPerSecond = 0): Promise<void> {
  const started = spawn(
    process.execPath,
    ["--input-type=module", "--eval", PROGRAM, folder, String(listingsPerSecond)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  child = started;
  const lines = createInterface({ input: started.stdout });
  const [url] = (await once(lines, "line")) as [string];
  send = sender(url);
  client = sandboxClient(url);
}

/** Kills the process with SIGKILL. */
async function kill(): Promise<void> {
  if (child === null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  child = null;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sandbox-database-"));
});

afterEach(async () => {
  await kill();
  rmSync(folder, { recursive: true, force: true });
});

describe("after kill -9", () => {
  test("an answered payment, its sold listing and its session are kept", async () => {
    await start();
    const shopper = await openShopper(send, "durable");
    const item = await publishOne(client);
    const { payment } = paymentOf(await shopper.buy(item, { methodId: 11 }));
    const before = await client.orders();
    await kill();
    await start();
    expect(await client.orders()).toEqual(before);
    expect(before).toMatchObject([{ state: "paid", payments: 1, account: "durable" }]);
    // The same access token is still valid.
    const orders = await send({ path: "/api/v2/my_orders", access: shopper.access });
    expect(wireOrders.parse(orders.json).my_orders[0]?.transaction_id).toBe(payment.transaction_id);
    const again = await send({
      method: "POST",
      path: "/api/v2/conversations",
      access: shopper.access,
      body: { initiator: "buy", item_id: item.id, opposite_user_id: item.user.id },
    });
    expect(refusalOf(again)).toBe("409 item_sold");
  });

  test("a published listing, a changed price and a pending confirmation are kept", async () => {
    await start();
    const shopper = await openShopper(send, "patiente");
    const free = await publishOne(client);
    await client.changePrice(free.id, 7);
    const secure = await publishOne(client, { secure: true });
    const { payment, action } = paymentOf(await shopper.buy(secure));
    await kill();
    await start();
    const found = await send({ path: "/api/v2/catalog/items" });
    expect(found.json).toMatchObject({ items: [{ id: free.id, price: { amount: "7.0" } }] });
    const path = new URL(action?.parameters.url ?? "").pathname;
    expect((await send({ path })).text).toContain("Confirmer le paiement");
    await client.confirm(payment.transaction_id);
    expect(await client.orders()).toMatchObject([{ state: "paid", payments: 1 }]);
  });

  test("a refresh is kept; a token whose reply may have been lost works once more", async () => {
    await start();
    const refresh = async (token: string) =>
      await send({ method: "POST", path: "/web/api/auth/refresh", body: { refresh_token: token } });
    const first = wireTokens.parse((await refresh("sandbox-rotation")).json);
    const second = wireTokens.parse((await refresh(first.refresh_token)).json);
    await kill();
    await start();
    // It is unknown whether the second reply arrived, so the client may ask again.
    const third = wireTokens.parse((await refresh(first.refresh_token)).json);
    expect((await refresh(third.refresh_token)).status).toBe(200);
    // The pair in between has been replaced twice, so its use is reuse.
    expect(refusalOf(await refresh(second.refresh_token))).toBe("401 invalid_refresh_token");
  });

  test("killed at any moment of a rush, no answered payment is lost and none is taken twice", async () => {
    await start(20);
    for (let round = 0; round < 3; round += 1) {
      const shopper = await openShopper(send, `presse-${round}`);
      const answered: number[] = [];
      const buying = (async () => {
        for (;;) {
          const received = await shopper.buy(await publishOne(client));
          if (received.status === 200) answered.push(paymentOf(received).payment.transaction_id);
        }
      })().catch(() => {});
      await expect.poll(() => answered.length, { interval: 5 }).toBeGreaterThan(round + 1);
      await kill();
      await buying;
      await start(20);
      const paid = (await client.orders()).filter(({ state }) => state === "paid");
      for (const id of answered) expect(paid.map((order) => order.transaction_id)).toContain(id);
      expect(paid.every(({ payments }) => payments === 1)).toBe(true);
      expect(new Set(paid.map(({ item_id: item }) => item)).size).toBe(paid.length);
    }
  });
});

test("two sandboxes cannot share a database", async () => {
  await start();
  const second = startSandbox({
    port: 0,
    host: "127.0.0.1",
    dataDir: folder,
    seed: 1,
    listingsPerSecond: 0,
    log: createQuietLog(),
    clock: new FakeClock(),
  });
  await expect(second).rejects.toThrow(/database .* cannot be opened/);
});

test("a start on a used port fails and releases the database", async () => {
  const options = {
    host: "127.0.0.1",
    dataDir: folder,
    seed: 1,
    listingsPerSecond: 0,
    log: createQuietLog(),
    clock: new FakeClock(),
  };
  const first = await startSandbox({ ...options, port: 0, dataDir: null });
  await expect(startSandbox({ ...options, port: first.port })).rejects.toThrow(/EADDRINUSE/);
  const second = await startSandbox({ ...options, port: 0 });
  await Promise.all([first.stop(), second.stop(), second.stop()]);
});
