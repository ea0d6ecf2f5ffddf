import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACHAT_CONFIRME } from "#contract/bounds.ts";
import type { Cluster } from "#testing/cluster.ts";
import { startCluster } from "#testing/cluster.ts";

/** Generous: the machine may be busy. Nothing is measured here. */
const SOON = { timeout: 30_000, interval: 20 };

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

describe("several nodes are one product", () => {
  test("what is published reaches a person's pages on every node, once each", async () => {
    const lea = await cluster.signIn("seeker-lea");
    const { filtre } = await lea.call("addFilter", { tag: "Robes", mots: ["cluster"], limit: 50 });
    const tabs = ["web-1", "web-2"].map((node) => cluster.openTab(lea, { node }));
    for (const tab of tabs) await expect.poll(() => tab.life, SOON).toEqual(["connect"]);
    const [published] = await cluster.sandbox.publish({ title: "Robe cluster", price: 10 });
    for (const tab of tabs) {
      await expect.poll(() => tab.items, SOON).toHaveLength(1);
      expect(tab.items[0]).toMatchObject({ id: published?.id, filtres: [filtre._id] });
    }
  });

  test("a page goes on at another node where it stood", async () => {
    const tom = await cluster.signIn("seeker-tom");
    await tom.call("addFilter", { tag: "Suite", mots: ["suite"], limit: 50 });
    const before = cluster.openTab(tom, { node: "web-1" });
    await expect.poll(() => before.life, SOON).toEqual(["connect"]);
    await cluster.sandbox.publish({ title: "Jean suite un", price: 10 });
    await expect.poll(() => before.items, SOON).toHaveLength(1);
    const depuis = before.flux.findLast(({ items }) => items.length > 0)?.curseur ?? "";
    before.close();
    await cluster.sandbox.publish({ title: "Jean suite deux", price: 10 });
    const after = cluster.openTab(tom, { node: "web-2", depuis });
    await expect.poll(() => after.items.map(({ title }) => title), SOON).toEqual(["Jean suite deux"]);
    const whole = cluster.openTab(tom, { node: "web-2" });
    await expect.poll(() => whole.items, SOON).toHaveLength(2);
  });

  test("an automatic purchase is made once, and told on every node", async () => {
    const zoe = await cluster.signIn("thunder-zoe");
    await zoe.call("addFilter", { tag: "Auto", mots: ["auto"], limit: 50, autobuy: true });
    const tabs = ["web-1", "web-2"].map((node) => cluster.openTab(zoe, { node }));
    for (const tab of tabs) await expect.poll(() => tab.life, SOON).toEqual(["connect"]);
    const [published] = await cluster.sandbox.publish({ title: "Veste auto", price: 10 });
    for (const tab of tabs)
      await expect
        .poll(() => tab.purchases.some(({ purchase }) => purchase?.status === ACHAT_CONFIRME), SOON)
        .toBe(true);
    const orders = (await cluster.sandbox.orders()).filter(({ item_id }) => item_id === published?.id);
    expect(orders.map(({ payments }) => payments)).toEqual([1]);
  });

  test("a click is bought by the node that took it", async () => {
    const ana = await cluster.signIn("seeker-ana");
    await ana.call("addFilter", { tag: "Clic", mots: ["clic"], limit: 50 });
    const tab = cluster.openTab(ana);
    await expect.poll(() => tab.life, SOON).toEqual(["connect"]);
    const [published] = await cluster.sandbox.publish({ title: "Pull clic", price: 10 });
    await expect.poll(() => tab.items, SOON).toHaveLength(1);
    const { purchase } = await ana.call("clickPurchase", { id: published?.id ?? 0 });
    expect(purchase.status).toBe(ACHAT_CONFIRME);
  });

  test("who signs out is cut off on every node", async () => {
    const max = await cluster.signIn("seeker-max");
    const tabs = ["web-1", "web-2"].map((node) => cluster.openTab(max, { node }));
    for (const tab of tabs) await expect.poll(() => tab.life, SOON).toEqual(["connect"]);
    await max.raw("GET", "/auth/out");
    for (const tab of tabs) await expect.poll(() => tab.life.at(-1), SOON).toMatch(/^disconnect/);
  });

  test("a person has five pages open over all nodes, and no sixth", async () => {
    const eva = await cluster.signIn("seeker-eva");
    const nodes = ["web-1", "web-2", "web-1", "web-2", "web-1"];
    for (const node of nodes) {
      const tab = cluster.openTab(eva, { node });
      await expect.poll(() => tab.life, SOON).toEqual(["connect"]);
    }
    const sixth = cluster.openTab(eva, { node: "web-2" });
    await expect.poll(() => sixth.life.at(-1), SOON).toMatch(/^connect_error: Trop d'onglets/);
  });

  test("each node says what it does in the language of Prometheus", async () => {
    const text = await (await fetch(cluster.metricsUrl("worker"))).text();
    expect(text).toMatch(/^synapse_nodes 3$/m);
    expect(text).toMatch(/^synapse_market_requests_total\{call="payment",outcome="ok"\} \d+$/m);
    expect(text).toMatch(/^synapse_purchase_moves_total\{state="confirmed"\} \d+$/m);
    expect(text).toMatch(/^synapse_queued\{queue="wishes"\} \d+$/m);
  });
});
