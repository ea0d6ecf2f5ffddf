import { randomUUID } from "node:crypto";
import { and, eq, gt } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Secret } from "#domain/secret.ts";
import { asFilterId, asListingId, type UserId } from "#domain/ids.ts";
import type { PlannedAlert } from "#store/alert-store.ts";
import { alertOutbox } from "#store/schema/tables.ts";
import { systemClock } from "#server/clock.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { startDiscordReceiver, type DiscordReceiver } from "#verify/testing/discord-receiver.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import type { Channel, Outcome } from "./channel.ts";
import { createDiscord } from "./channels/discord/discord.ts";
import { Delivery, type DeliveryDeps, settledAs } from "./delivery.ts";
import { createLinkTokens } from "./links.ts";
import { replaceFilter } from "#verify/testing/replace-filter.ts";
const PATH = `123456789012345678/${"s".repeat(64)}`;
const ALL = { articles: true, purchases: true, account: true, summary: true };

let opened: TestStore;
let receiver: DiscordReceiver;
const lost: UserId[] = [];
const log = createQuietLog();
let stop: () => Promise<void>;
let wake: () => void;
/** A channel whose destinations never answer (address "hangs"), or do at once. */
const push: Channel = {
  send: (address) =>
    address.reveal() === "hangs" ? new Promise<Outcome>(() => undefined) : Promise.resolve({ kind: "sent" }),
  [Symbol.asyncDispose]: async () => undefined,
};

const CHANNELS = { push, telegram: null, discord: null, courriel: null };

function aDelivery(traits: Partial<DeliveryDeps> = {}): Delivery {
  const { alerts, sellers } = opened.store;
  return new Delivery({
    outbox: alerts.outbox,
    sellers,
    purchaseById: async () => null,
    channels: CHANNELS,
    links: createLinkTokens(alerts.linkKey),
    publicUrl: "https://synapse.example",
    marketUrl: "https://market.example",
    onLost: () => undefined,
    clock: systemClock,
    log,
    ...traits,
  });
}

beforeAll(async () => {
  opened = await openTestStore();
  receiver = await startDiscordReceiver();
  const discord = createDiscord({ origin: receiver.url, sandboxUrl: null });
  const delivery = aDelivery({ channels: { ...CHANNELS, discord }, onLost: (userId) => lost.push(userId) });
  delivery.run();
  stop = () => delivery.stop();
  wake = () => delivery.wake();
});
afterAll(async () => {
  await stop();
  await receiver[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();
});

async function aPerson(channel: "discord" | "push", address: string) {
  const { store } = opened;
  const name = randomUUID();
  const identity = { provider: "sandbox" as const, providerId: name, login: name, displayName: name };
  const { user } = await store.users.signIn({ ...identity, email: "", pictureUrl: null }, Date.now());
  await store.users.setPlan(user.id, "seeker", null);
  const connect = async (): Promise<void> => {
    const destination = { id: randomUUID(), userId: user.id, channel, name: "Essai", identity: name };
    const facts = { address: new Secret(address), events: ALL, sessionId: null, nowMs: Date.now() };
    await store.alerts.destinations.connect({ ...destination, ...facts }, 100);
  };
  await connect();
  const alert = async (traits: Partial<PlannedAlert> = {}): Promise<void> => {
    const nowMs = Date.now();
    const message = {
      title: "Achat confirmé",
      body: "@everyone [x](https://evil.example)",
      path: "/synapse/achats",
    };
    const times = { plannedAtMs: nowMs, dueAtMs: nowMs, giveUpAtMs: nowMs + 600_000 };
    const subject = randomUUID();
    const type = "purchase" as const;
    await store.alerts.outbox.plan({
      alerts: [{ userId: user.id, type, subject, message, isLoud: false, ...times, ...traits }],
      counters: [],
    });
    wake();
  };
  const results = async () =>
    (await store.alerts.outbox.journal(user.id, 50)).map(({ result, attempts }) => `${result} ${attempts}`);
  const destination = async () => (await store.alerts.destinations.ofUser(user.id))[0];
  return { user, alert, results, destination, connect };
}

/** Makes the alerts due that are due later. */
async function makeDue(userId: UserId): Promise<void> {
  const isTheirs = and(eq(alertOutbox.userId, userId), gt(alertOutbox.dueAtMs, Date.now()));
  await opened.store.db.update(alertOutbox).set({ dueAtMs: Date.now() }).where(isTheirs);
  wake();
}

test("a redirect is not followed, and no failure is logged with the address", async () => {
  await using elsewhere = await startDiscordReceiver();
  const person = await aPerson("discord", PATH);
  receiver.answerNext(307, { location: `${elsewhere.url}/x` });
  await person.alert();
  await expect.poll(person.results).toEqual(["refused 1"]);
  expect(elsewhere.received).toEqual([]);
  expect(JSON.stringify(log.lines)).not.toContain("ssss");
  const sent = JSON.stringify(receiver.received.at(-1)?.body);
  expect(sent).toContain(String.raw`\\@everyone \\[x\\]\\(https`);
  expect(sent).toContain('"flags":4096');
});

test("a 429 is waited for and a 500 tried again; both arrive once", async () => {
  const person = await aPerson("discord", PATH);
  const before = receiver.received.length;
  receiver.answerNext(429, { "retry-after": "2" });
  await person.alert();
  await expect.poll(person.results).toEqual(["sent 2"]);
  expect(receiver.received.length - before).toBe(2);
});

test("an address that no longer exists gets one request, and no more until it is saved again", async () => {
  const person = await aPerson("discord", PATH);
  const before = receiver.received.length;
  receiver.answerNext(404);
  await person.alert();
  await expect.poll(async () => (await person.destination())?.state).toBe("lost");
  for (let time = 0; time < 5; time += 1) await person.alert();
  expect(await person.results()).toEqual(["refused 1"]);
  expect(receiver.received.length - before).toBe(1);
  expect(lost).toContain(person.user.id);
  await person.connect();
  await person.alert();
  await expect.poll(person.results).toEqual(["sent 1", "refused 1"]);
});

test("receivers that hang delay nobody else", async () => {
  const slow = await Promise.all(Array.from({ length: 40 }, () => aPerson("push", "hangs")));
  for (const one of slow) await one.alert();
  const person = await aPerson("push", "fine");
  await person.alert();
  await expect.poll(person.results).toEqual(["sent 1"]);
});

test("alerts that expired are not sent: a bank confirmation, a listing that is too old", async () => {
  const person = await aPerson("push", "fine");
  await person.alert({ type: "bank", subject: "bank:p1:2" });
  await person.alert({ type: "article", giveUpAtMs: Date.now() - 1 });
  await expect.poll(async () => (await person.results()).toSorted()).toEqual(["abandoned 1", "useless 1"]);
});

const ARTICLE = {
  listingId: asListingId(7),
  totalPriceCents: 100,
  path: "/items/7",
  photoUrl: null,
  seller: { id: 7, login: "vendeuse" },
};
const messageOf = (article: object) => {
  const words = { title: "1,00 € · Robe", body: "M", path: "/synapse/articles" };
  return { ...words, article: { ...ARTICLE, ...article } };
};

test("a listing is not sent if meanwhile its filter is off, its seller blocked or its person suspended", async () => {
  const { store } = opened;
  const person = await aPerson("push", "fine");
  const filters = Array.from({ length: 2 }, () =>
    aFilter({ id: asFilterId(randomUUID()), userId: person.user.id }),
  );
  for (const filter of filters) await store.filters.add(filter, 10);
  const filterIds = filters.map(({ id }) => id);
  const outcomeOf = async () => {
    const subject = randomUUID();
    await person.alert({ type: "article", subject, message: messageOf({ filterIds }) });
    const find = async () => {
      const [latest] = await store.alerts.outbox.journal(person.user.id, 1);
      return latest?.result === "waiting" ? null : [latest?.result, latest?.reason];
    };
    await expect.poll(find).not.toBeNull();
    return await find();
  };
  const [one, other] = filters;
  if (one === undefined || other === undefined) throw new Error("there are no filters");
  expect(await outcomeOf()).toEqual(["sent", null]);
  await replaceFilter(store.filters, { ...one, isActive: false }, systemClock.nowMs());
  expect(await outcomeOf()).toEqual(["sent", null]);
  await replaceFilter(store.filters, { ...other, alertMode: "none" }, systemClock.nowMs());
  expect(await outcomeOf()).toEqual(["useless", "filter"]);
  await replaceFilter(store.filters, other, systemClock.nowMs());
  await store.sellers.block(person.user.id, [{ sellerId: 7, login: "vendeuse" }], { nowMs: 1, limit: 10 });
  expect(await outcomeOf()).toEqual(["useless", "blocked"]);
  await store.sellers.unblock(person.user.id, "vendeuse");
  // Planned before the suspension, due only after it.
  const times = { dueAtMs: Date.now() + 300_000, giveUpAtMs: Date.now() + 600_000 };
  await person.alert({ type: "article", ...times, message: messageOf({ filterIds }) });
  await store.users.setSuspended(person.user.id, true);
  await makeDue(person.user.id);
  await expect.poll(async () => (await person.results())[0]).toBe("useless 1");
});

test("a listing is not sent if meanwhile the person paused alerts, switched them off or has no plan", async () => {
  const { store } = opened;
  const person = await aPerson("push", "fine");
  const { id: userId } = person.user;
  const { id = "" } = (await person.destination()) ?? {};
  /** Of alerts that wait while the change is made. */
  const outcomesAfter = async (change: () => Promise<unknown>) => {
    const times = { dueAtMs: Date.now() + 300_000, giveUpAtMs: Date.now() + 600_000 };
    await person.alert({ type: "article", ...times, message: messageOf({}) });
    await person.alert({ type: "purchase", ...times });
    await change();
    await makeDue(userId);
    await expect.poll(async () => (await person.results()).join()).not.toContain("waiting");
    const [purchase, article] = await store.alerts.outbox.journal(userId, 2);
    return [article, purchase].map((one) => [one?.result, one?.reason]);
  };
  const { destinations } = store.alerts;
  const pauseUntil = async (pausedUntilMs: number) =>
    await store.alerts.changeSettings(userId, { pausedUntilMs });
  const switchArticles = async (articles: boolean) =>
    await destinations.setEvents(userId, [{ id, events: { articles } }]);
  const sent = ["sent", null];
  expect(await outcomesAfter(() => pauseUntil(Date.now() + 600_000))).toEqual([["useless", "paused"], sent]);
  expect(await outcomesAfter(() => pauseUntil(0))).toEqual([sent, sent]);
  expect(await outcomesAfter(() => switchArticles(false))).toEqual([["useless", "off"], sent]);
  await switchArticles(true);
  expect(await outcomesAfter(() => store.users.setPlan(userId, "none", null))).toEqual([
    ["useless", "plan"],
    sent,
  ]);
});

test("an alert planned before its destination was found lost is not sent there", async () => {
  const { store } = opened;
  const person = await aPerson("discord", PATH);
  const before = receiver.received.length;
  receiver.answerNext(404);
  await person.alert();
  await expect.poll(async () => (await person.destination())?.state).toBe("lost");
  const { id = "" } = (await person.destination()) ?? {};
  await person.alert({ destinationId: id });
  await expect.poll(person.results).toEqual(["useless 1", "refused 1"]);
  expect(receiver.received.length - before).toBe(1);
  await store.alerts.destinations.remove(person.user.id, id, Date.now());
});

test("an alert delayed into quiet hours is sent silently", async () => {
  const person = await aPerson("discord", PATH);
  const { hour, minute } = Temporal.Now.zonedDateTimeISO("Europe/Paris");
  const inAnHour = (hour * 60 + minute + 60) % 1_440;
  const from = (inAnHour + 1_320) % 1_440;
  await opened.store.alerts.changeSettings(person.user.id, { quiet: { isOn: true, from, to: inAnHour } });
  await person.alert({ isLoud: true });
  await expect.poll(person.results).toEqual(["sent 1"]);
  expect(receiver.received.at(-1)?.body).toMatchObject({ flags: 4_096 });
});

test("nodes share what a channel takes in a second", async () => {
  const rooms: unknown[] = [];
  const { alerts } = opened.store;
  const telegram: Channel = { ...push, maxPerSecond: 25 };
  const delivery = aDelivery({
    outbox: {
      ...alerts.outbox,
      claim: ({ room }) => {
        rooms.push(room);
        return Promise.resolve([]);
      },
    },
    channels: { ...CHANNELS, telegram },
    nodeCount: () => Promise.resolve(3),
  });
  delivery.run();
  await expect.poll(() => rooms[0]).toEqual({ push: 32, telegram: 8 });
  await delivery.stop();
});

test("what is claimed while delivery stops is sent and settled: the next start sends nothing twice", async () => {
  const { alerts } = opened.store;
  await stop();
  const person = await aPerson("push", "stops");
  await person.alert();
  const claimed = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const delivery = aDelivery({
    outbox: {
      ...alerts.outbox,
      async claim(wanted) {
        const found = await alerts.outbox.claim(wanted);
        claimed.resolve();
        await answer.promise;
        return found;
      },
    },
  });
  delivery.run();
  await claimed.promise;
  const stopped = delivery.stop();
  answer.resolve();
  await stopped;
  expect(await person.results()).toEqual(["sent 1"]);
});

test("an unknown outcome is retried, and marked uncertain after the third attempt", () => {
  const claimed = { attempts: 1, unknownAttempts: 1, giveUpAtMs: 1e12, id: 1, destinationId: "d" };
  const after = (changes: Partial<typeof claimed>, outcome: Outcome) =>
    settledAs({ ...claimed, ...changes } as Parameters<typeof settledAs>[0], outcome, 0);
  expect(after({}, { kind: "unknown" })).toMatchObject({
    result: "waiting",
    dueAtMs: 1_000,
    isOutcomeKnown: false,
  });
  expect(after({ attempts: 3, unknownAttempts: 3 }, { kind: "unknown" }).result).toBe("uncertain");
  expect(after({ attempts: 9 }, { kind: "wait", waitMs: null })).toMatchObject({ dueAtMs: 600_000 });
  expect(after({}, { kind: "wait", waitMs: 60_000 })).toMatchObject({
    dueAtMs: 60_000,
    notBeforeMs: 60_000,
  });
  expect(after({ giveUpAtMs: 500 }, { kind: "wait", waitMs: null }).result).toBe("abandoned");
});
