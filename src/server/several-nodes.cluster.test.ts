import { execFile } from "node:child_process";
import { request } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACHAT_CONFIRME } from "#contract/bounds.ts";
import { type Cluster, startCluster } from "#verify/testing/cluster.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({
    nodes: { "web-1": "web", "web-2": "web", worker: "feed,match,buy" },
    env: { RECONCILE_SECONDS: "2" },
  });
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

const CLI = join(import.meta.dirname, "..", "cli", "main.ts");

/** Runs an `admin` command as an operator on that node's machine. */
async function operate(node: string, ...command: string[]): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: cluster.dataDir(node) };
  await promisify(execFile)(process.execPath, [CLI, ...command], { env });
}

/** The status of one node's answer, bypassing the proxy. */
async function editSettings(cookie: string, node: string): Promise<number | undefined> {
  const { promise: status, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { cookie, host: new URL(cluster.url).host, "content-type": "application/json" };
  request(`${cluster.nodeUrl(node)}/vinted/edit`, { method: "POST", headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  })
    .on("error", reject)
    .end(JSON.stringify({ relais: ["Tabac"] }));
  return await status;
}

describe("several nodes are one product", () => {
  test("a published listing reaches a person's pages on every node, once each", async () => {
    const lea = await cluster.signIn("seeker-lea");
    const { filtre } = await lea.call("addFilter", { tag: "Robes", mots: ["cluster"], limit: 50 });
    const tabs = ["web-1", "web-2"].map((node) => cluster.openTab(lea, { node }));
    for (const tab of tabs) await expect.poll(() => tab.life).toEqual(["connect"]);
    const [published] = await cluster.sandbox.publish({ title: "Robe cluster", price: 10 });
    for (const tab of tabs) {
      await expect.poll(() => tab.items).toHaveLength(1);
      expect(tab.items[0]).toMatchObject({ id: published?.id, filtres: [filtre._id] });
    }
  });

  test("a page that reconnects to another node continues after its cursor", async () => {
    const tom = await cluster.signIn("seeker-tom");
    await tom.call("addFilter", { tag: "Suite", mots: ["suite"], limit: 50 });
    const before = cluster.openTab(tom, { node: "web-1" });
    await expect.poll(() => before.life).toEqual(["connect"]);
    await cluster.sandbox.publish({ title: "Jean suite un", price: 10 });
    await expect.poll(() => before.items).toHaveLength(1);
    const depuis = before.flux.findLast(({ items }) => items.length > 0)?.curseur ?? "";
    before.close();
    await cluster.sandbox.publish({ title: "Jean suite deux", price: 10 });
    const after = cluster.openTab(tom, { node: "web-2", depuis });
    await expect.poll(() => after.items.map(({ title }) => title)).toEqual(["Jean suite deux"]);
    const whole = cluster.openTab(tom, { node: "web-2" });
    await expect.poll(() => whole.items).toHaveLength(2);
  });

  test("an automatic purchase is made once, and shown to pages on every node", async () => {
    const zoe = await cluster.signIn("thunder-zoe");
    await zoe.call("addFilter", { tag: "Auto", mots: ["auto"], limit: 50, autobuy: true });
    const tabs = ["web-1", "web-2"].map((node) => cluster.openTab(zoe, { node }));
    for (const tab of tabs) await expect.poll(() => tab.life).toEqual(["connect"]);
    const [published] = await cluster.sandbox.publish({ title: "Veste auto", price: 10 });
    for (const tab of tabs)
      await expect
        .poll(() => tab.purchases.some(({ purchase }) => purchase?.status === ACHAT_CONFIRME))
        .toBe(true);
    const orders = (await cluster.sandbox.orders()).filter(({ item_id }) => item_id === published?.id);
    expect(orders.map(({ payments }) => payments)).toEqual([1]);
  });

  test("a click is bought by the node that took it", async () => {
    const ana = await cluster.signIn("seeker-ana");
    await ana.call("addFilter", { tag: "Clic", mots: ["clic"], limit: 50 });
    const tab = cluster.openTab(ana);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    const [published] = await cluster.sandbox.publish({ title: "Pull clic", price: 10 });
    await expect.poll(() => tab.items).toHaveLength(1);
    const { purchase } = await ana.call("clickPurchase", { id: published?.id ?? 0 });
    expect(purchase.status).toBe(ACHAT_CONFIRME);
  });

  test("a person who signs out is disconnected on every node", async () => {
    const max = await cluster.signIn("seeker-max");
    const tabs = ["web-1", "web-2"].map((node) => cluster.openTab(max, { node }));
    for (const tab of tabs) await expect.poll(() => tab.life).toEqual(["connect"]);
    await max.raw("GET", "/auth/out");
    for (const tab of tabs) await expect.poll(() => tab.life.at(-1)).toMatch(/^disconnect/);
  });

  test("a page that only polls stays at one node behind the proxy, and receives its listings", async () => {
    const ida = await cluster.signIn("seeker-ida");
    await ida.call("addFilter", { tag: "Longue", mots: ["longue"], limit: 50 });
    const tab = cluster.openTab(ida, { transports: ["polling"] });
    await expect.poll(() => tab.life).toEqual(["connect"]);
    for (const title of ["Robe longue un", "Robe longue deux"]) {
      await cluster.sandbox.publish({ title, price: 10 });
      await expect.poll(() => tab.items.map((item) => item.title)).toContain(title);
    }
    expect(tab.life).toEqual(["connect"]);
    expect(tab.socket.io.engine.transport.name).toBe("polling");
  });

  test("a person suspended at one node is disconnected and refused on every node", async () => {
    const noa = await cluster.signIn("seeker-noa");
    const tabs = ["web-1", "web-2"].map((node) => cluster.openTab(noa, { node }));
    for (const tab of tabs) await expect.poll(() => tab.life).toEqual(["connect"]);
    await operate("worker", "suspend", "seeker-noa");
    for (const tab of tabs) await expect.poll(() => tab.life.at(-1)).toMatch(/^disconnect/);
    const again = cluster.openTab(noa, { node: "web-1" });
    await expect.poll(() => again.life.at(-1)).toMatch(/^connect_error/);
    expect((await noa.raw("GET", "/filtres/get")).status).not.toBe(200);
  });

  test("a person's pace is counted over all nodes", async () => {
    const amy = await cluster.signIn("seeker-amy");
    const statuses: (number | undefined)[] = [];
    // A burst of ten, then one every six seconds: slow calls are refused later.
    for (let call = 0; call < 60 && !statuses.includes(429); call += 1)
      statuses.push(await editSettings(amy.cookie, call % 2 === 0 ? "web-1" : "web-2"));
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(statuses).toContain(429);
  });

  test("a person has five pages open over all nodes, and no sixth", async () => {
    const eva = await cluster.signIn("seeker-eva");
    const nodes = ["web-1", "web-2", "web-1", "web-2", "web-1"];
    for (const node of nodes) {
      const tab = cluster.openTab(eva, { node });
      await expect.poll(() => tab.life).toEqual(["connect"]);
    }
    const sixth = cluster.openTab(eva, { node: "web-2" });
    await expect.poll(() => sixth.life.at(-1)).toMatch(/^connect_error: Trop d'onglets/);
  });

  test("each node says what it does in the language of Prometheus", async () => {
    const text = await (await fetch(cluster.metricsUrl("worker"))).text();
    expect(text).toMatch(/^synapse_nodes 3$/m);
    expect(text).toMatch(/^synapse_market_requests_total\{call="payment",outcome="ok"\} \d+$/m);
    expect(text).toMatch(/^synapse_purchase_moves_total\{state="confirmed"\} \d+$/m);
    expect(text).toMatch(/^synapse_queued\{queue="wishes"\} \d+$/m);
  });
});
