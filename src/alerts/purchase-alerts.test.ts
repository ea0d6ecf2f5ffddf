import { expect, test, vi } from "vitest";
import { asPurchaseId, asUserId, type UserId } from "#domain/ids.ts";
import type { Purchase } from "#domain/purchase.ts";
import { Secret } from "#domain/secret.ts";
import { createEventBus } from "#server/events.ts";
import { aPurchase } from "#verify/testing/a-purchase.ts";
import { startDiscordReceiver } from "#verify/testing/discord-receiver.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { createDiscordCalls } from "./discord-calls.ts";
import { createPurchaseAlerts } from "./purchase-alerts.ts";

const PATH = `123456789012345678/${"s".repeat(64)}`;
const SOON = { timeout: 10_000, interval: 10 };

/** One person with a webhook, and whatever purchases the test puts in. */
async function anAlertedPerson() {
  await using opening = new AsyncDisposableStack();
  const { store } = opening.use(await openTestStore());
  const receiver = opening.use(await startDiscordReceiver());
  const log = createQuietLog();
  const clock = new FakeClock();
  const events = createEventBus(log);
  const purchases = new Map<string, Purchase>();
  const alertsOf = () =>
    createPurchaseAlerts({
      store,
      purchaseById: async (_, id) => purchases.get(id) ?? null,
      discord: createDiscordCalls(receiver.url),
      publicUrl: "https://synapse.example",
      events,
      clock,
      log,
    });
  const alerts = alertsOf();
  await alerts.run();
  opening.defer(() => alerts.stop());
  const { user } = await store.users.signIn(
    {
      provider: "sandbox",
      providerId: "1",
      login: "alerte",
      displayName: "Alerte",
      email: "",
      pictureUrl: null,
    },
    clock.nowMs(),
  );
  await store.alerts.setWebhook(user.id, new Secret(PATH));
  const change = async (id: string, traits: Partial<Purchase> = {}): Promise<void> => {
    const purchaseId = asPurchaseId(id);
    purchases.set(id, aPurchase({ id: purchaseId, userId: user.id, ...traits }));
    await hear(user.id, id);
  };
  const hear = async (userId: UserId, id: string): Promise<void> =>
    await events.publish({ kind: "purchase_changed", userId, purchaseId: asPurchaseId(id) });
  const resources = opening.move();
  return {
    user,
    store,
    receiver,
    log,
    clock,
    alerts,
    alertsOf,
    change,
    hear,
    titles: () => receiver.received.map(({ body }) => JSON.stringify(body).match(/"title":"([^"]+)"/)?.[1]),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

test("each state that matters is told once, in order, though every node hears of it", async () => {
  await using world = await anAlertedPerson();
  const second = world.alertsOf();
  await second.run();
  await world.change("a", { state: "submitting" });
  await world.change("a");
  await world.change("a");
  await expect.poll(world.titles, SOON).toEqual(["Achat confirmé"]);
  await world.change("b", { state: "quarantine" });
  await expect.poll(world.titles, SOON).toEqual(["Achat confirmé", "Achat à vérifier (Inconnu)"]);
  await second.stop();
  expect(world.receiver.received[0]?.path).toBe(`/api/webhooks/${PATH}`);
});

test("a 429 is waited for and tried once more, then let go", async () => {
  await using world = await anAlertedPerson();
  world.receiver.answerNext(429, { "retry-after": "2" });
  await world.change("a");
  await expect.poll(() => world.receiver.received.length, SOON).toBe(1);
  await expect
    .poll(async () => {
      await world.clock.advance(2_000);
      return world.receiver.received.length;
    }, SOON)
    .toBe(2);

  world.receiver.answerNext(429, { "retry-after": "1" });
  world.receiver.answerNext(429, { "retry-after": "1" });
  await world.change("b");
  await expect
    .poll(async () => {
      await world.clock.advance(1_000);
      return world.log.lines.length;
    }, SOON)
    .toBe(1);
  expect(world.receiver.received).toHaveLength(4);
  await world.clock.advance(1_000);
  world.receiver.answerNext(429, { "retry-after": "3600" });
  await world.change("c");
  await expect.poll(() => world.log.lines.length, SOON).toBe(2);
  expect(world.receiver.received).toHaveLength(5);
});

test("a webhook that Discord refuses is left alone, whatever its owner buys, until they save another", async () => {
  await using world = await anAlertedPerson();
  world.receiver.answerNext(404);
  await world.change("a");
  await expect.poll(() => world.log.lines.length, SOON).toBe(1);
  const asked = vi.spyOn(world.store.alerts, "webhook");
  for (let index = 0; index < 40; index += 1) await world.change(`more-${index}`);
  const other = `123456789012345678/${"o".repeat(64)}`;
  await expect.poll(() => asked.mock.calls.length, SOON).toBe(40);
  await asked.mock.results.at(-1)?.value;
  expect(world.receiver.received).toHaveLength(1);
  await world.store.alerts.setWebhook(world.user.id, new Secret(other));
  world.receiver.answerNext(429, { "retry-after": "3600" });
  await world.change("c");
  await expect.poll(() => world.log.lines.length, SOON).toBe(2);
  await world.change("d");
  await expect.poll(() => asked.mock.calls.length, SOON).toBe(42);
  await asked.mock.results.at(-1)?.value;
  asked.mockRestore();
  expect(world.receiver.received.map(({ path }) => path)).toEqual(
    [PATH, other].map((path) => `/api/webhooks/${path}`),
  );
  await world.clock.advance(3_600_000);
  await world.change("e");
  await expect.poll(() => world.receiver.received.length, SOON).toBe(3);
});

test("a webhook that answers its owner's test again is told again", async () => {
  await using world = await anAlertedPerson();
  world.receiver.answerNext(403);
  await world.change("a");
  await expect.poll(() => world.log.lines.length, SOON).toBe(1);
  expect(await world.alerts.test(world.user.id)).toEqual({ kind: "sent" });
  await world.change("b");
  await expect.poll(() => world.receiver.received.length, SOON).toBe(3);
  world.receiver.answerNext(404);
  expect(await world.alerts.test(world.user.id)).toEqual({ kind: "gone" });
  await world.change("c");
  await world.alerts.stop();
  expect(world.receiver.received).toHaveLength(4);
});

test("people whose webhooks are slow push out nobody else's alerts", async () => {
  await using world = await anAlertedPerson();
  const others = Array.from({ length: 20 }, (_, n) => asUserId(`slow-${n}`));
  const gate = Promise.withResolvers<null>();
  // Also when an expectation fails: the world's end waits for whoever waits here.
  using ending = new DisposableStack();
  ending.defer(() => gate.resolve(null));
  const webhookOf = world.store.alerts.webhook.bind(world.store.alerts);
  vi.spyOn(world.store.alerts, "webhook").mockImplementation((userId) =>
    userId === world.user.id ? webhookOf(userId) : gate.promise,
  );
  for (const userId of others) for (let n = 0; n < 50; n += 1) await world.hear(userId, `slow-${n}`);
  expect(world.log.lines).toEqual([]);
  await world.change("a");
  await world.hear(asUserId("slow-0"), "one too many");
  expect(world.log.lines).toHaveLength(1);
  gate.resolve(null);
  await expect.poll(world.titles, SOON).toEqual(["Achat confirmé"]);
});

test("a redirect is not followed, and no failure is logged with the address", async () => {
  await using world = await anAlertedPerson();
  await using elsewhere = await startDiscordReceiver();
  world.receiver.answerNext(307, { location: `${elsewhere.url}/x` });
  await world.change("a");
  await expect.poll(() => world.log.lines.length, SOON).toBe(1);
  world.receiver.answerNext(404);
  await world.change("b");
  await expect.poll(() => world.log.lines.length, SOON).toBe(2);
  expect(elsewhere.received).toEqual([]);
  await world.store.alerts.setWebhook(world.user.id, new Secret(PATH.replace("1", "9")));
  await world.receiver[Symbol.asyncDispose]();
  await world.change("c");
  await expect.poll(() => world.log.lines.length, SOON).toBe(3);
  expect(await world.alerts.test(world.user.id)).toMatchObject({ kind: "failed" });
  const logged = JSON.stringify(world.log.lines);
  for (const secret of PATH.split("/")) expect(logged).not.toContain(secret);
});

test("what waits is bounded, and the end waits for nobody", async () => {
  await using world = await anAlertedPerson();
  world.receiver.answerNext(429, { "retry-after": "50" });
  for (let index = 0; index < 60; index += 1) await world.change(`many-${index}`);
  expect(world.log.lines).toHaveLength(10);
  await expect.poll(() => world.receiver.received.length, SOON).toBe(1);
  let hasStopped = false;
  const stopped = world.alerts.stop().then(() => (hasStopped = true));
  await expect
    .poll(async () => {
      await world.clock.advance(1_000);
      return hasStopped;
    }, SOON)
    .toBe(true);
  await stopped;
});
