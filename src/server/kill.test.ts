import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ACHAT_CONFIRME, ACHAT_EN_ATTENTE } from "#contract/bounds.ts";
import { freePort } from "#testing/free-port.ts";
import type { Person } from "#testing/person.ts";
import { signInAt } from "#testing/person.ts";
import type { ProductProcess } from "#testing/product-process.ts";
import { spawnProduct } from "#testing/product-process.ts";
import type { SandboxClient } from "#testing/sandbox-client.ts";
import { sandboxClient } from "#testing/sandbox-client.ts";
import type { TemporaryFolder } from "#testing/temporary-folder.ts";
import { temporaryFolder } from "#testing/temporary-folder.ts";

/** How long the product is killed again and again; more by KILL_TEST_SECONDS. */
const KILLING_MS = Number(process.env["KILL_TEST_SECONDS"] ?? "60") * 1_000;
vi.setConfig({ testTimeout: KILLING_MS + 180_000, hookTimeout: 120_000 });

const SETTLED = { timeout: 120_000, interval: 250 };
const LISTINGS_PER_ROUND = 3;
const LONGEST_DELAY_MS = 900;
const KILL_WITHIN_MS = 10_000;

/** When the process dies: at any instant, or as soon as the marketplace has had a call of this step. */
const MOMENTS = ["any", "conversation", "build", "checkout", "payment", "orders", "refresh"] as const;

let folder: TemporaryFolder;
let market: ProductProcess;
let sandbox: SandboxClient;
let settings: Record<string, string>;
let url: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  market = spawnProduct({
    SERVICES: "sandbox",
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: `${folder.path}/market`,
  });
  await market.ready;
  sandbox = sandboxClient(sandboxUrl);
  url = `http://localhost:${port}`;
  settings = {
    PORT: String(port),
    SANDBOX_URL: sandboxUrl,
    DATA_DIR: `${folder.path}/product`,
    RATE_LIMITS: "off",
    RECONCILE_SECONDS: "2",
  };
});
afterAll(async () => {
  await market[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function momentToDie(moment: (typeof MOMENTS)[number]): Promise<void> {
  if (moment === "any") {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_DELAY_MS));
    return;
  }
  const giveUpAtMs = Date.now() + KILL_WITHIN_MS;
  while (Date.now() < giveUpAtMs) {
    const { by_route: calls } = await sandbox.requests();
    if ((calls[moment] ?? 0) > 0) return;
  }
}

async function aBuyer(): Promise<Person> {
  const lea = await signInAt(url, "thunder-lea");
  const all = 100_000;
  await lea.call("editSettings", { limites: { jour: all, mois: all, achats_jour: all } });
  await lea.call("addFilter", { tag: "Tout", mots: ["crash"], limit: 100, autobuy: true });
  return lea;
}

/** What the marketplace knows and what the product shows must be the same, and nothing is paid twice. */
async function expectAgreement(buyer: Person): Promise<void> {
  const orders = await sandbox.orders();
  const { purch: rows } = await buyer.call("purchases");
  for (const order of orders) expect(order.payments, `order ${order.transaction_id}`).toBeLessThanOrEqual(1);
  const paid = orders.filter((order) => order.payments === 1);
  expect(new Set(paid.map((order) => order.item_id)).size).toBe(paid.length);
  const confirmed = rows.filter((row) => row.status === ACHAT_CONFIRME);
  const pairOf = (transaction: number | null, item: number) => `${transaction} ${item}`;
  expect(confirmed.map((row) => pairOf(row.id_transaction, row.product.id)).toSorted()).toEqual(
    paid.map((order) => pairOf(order.transaction_id, order.item_id)).toSorted(),
  );
  expect(rows.filter((row) => row.source === "externe")).toEqual([]);
}

test("whenever the process is killed, nothing is paid twice and no payment is lost", async () => {
  let buyer: Person | null = null;
  const endAtMs = Date.now() + KILLING_MS;
  let rounds = 0;
  while (Date.now() < endAtMs || rounds < MOMENTS.length) {
    await using product = spawnProduct(settings);
    await product.ready;
    buyer ??= await aBuyer();
    // Doubts throw the person's own stop switch: here they are meant to go on.
    await buyer.call("editSettings", { limites: { arret: false } });
    await sandbox.resetCounters();
    await sandbox.publish(
      Array.from({ length: LISTINGS_PER_ROUND }, (_, i) => ({
        title: `Robe crash ${rounds}-${i}`,
        price: 5,
      })),
    );
    await momentToDie(MOMENTS[rounds % MOMENTS.length] ?? "any");
    product.kill("SIGKILL");
    await product.ended;
    rounds += 1;
  }

  await using last = spawnProduct(settings);
  await last.ready;
  const person = buyer;
  if (person === null) throw new Error("there was no round");
  await expect
    .poll(
      async () =>
        (await person.call("purchases")).purch.filter((row) => row.status === ACHAT_EN_ATTENTE).length,
      SETTLED,
    )
    .toBe(0);
  await expect.poll(() => expectAgreement(person).then(() => "agreed"), SETTLED).toBe("agreed");
  expect((await sandbox.orders()).filter((order) => order.payments === 1).length).toBeGreaterThan(0);
});
