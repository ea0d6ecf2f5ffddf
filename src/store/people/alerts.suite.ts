import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asFilterId, asListingId, asSessionId, type SessionId, type UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import type { NewDestination, PlannedAlert, SettledAlert } from "../alert-store.ts";
import type { OpenStore } from "../open-store.ts";
import { users } from "../schema/tables.ts";
import { aPersonOf, NOW_MS, rowsOf, type StoreUnderTest } from "../suite-store.suite.ts";

const ADDRESS = { street: "1 rue de la Paix", city: "Paris", postalCode: 75_002, country: "France" } as const;
const ALL = { articles: true, purchases: true, account: true, summary: true };

function aDestination(userId: UserId, traits: Partial<NewDestination> = {}): NewDestination {
  const id = randomUUID();
  const address = new Secret(`secret-${id}`);
  const common = { id, userId, channel: "push" as const, name: "Téléphone", address, identity: id };
  return { ...common, events: ALL, sessionId: null, nowMs: NOW_MS, ...traits };
}

function anAlert(userId: UserId, traits: Partial<PlannedAlert> = {}): PlannedAlert {
  return {
    userId,
    type: "article",
    subject: `article:${randomUUID()}`,
    message: { title: "32,10 € · Blazer", body: "M", path: "/synapse/articles" },
    isLoud: true,
    plannedAtMs: NOW_MS,
    dueAtMs: NOW_MS,
    giveUpAtMs: NOW_MS + 600_000,
    ...traits,
  };
}

const claim = { limit: 64, leaseMs: 30_000, nowMs: NOW_MS };

async function connected(store: OpenStore, destination: NewDestination) {
  const result = await store.alerts.destinations.connect(destination, 10);
  if (result.kind !== "connected") throw new Error(`not connected: ${result.kind}`);
  return result;
}

/** Entries of the audit log, oldest first. */
async function changesOf(store: OpenStore, userId: UserId) {
  const entries = await store.audit.ofUser(userId, 50);
  return entries.map(({ kind, details }) => ({ kind, details })).toReversed();
}

async function aSessionOf(store: OpenStore, userId: UserId): Promise<SessionId> {
  const id = asSessionId(randomUUID());
  await store.sessions.create({ id, userId, createdAtMs: NOW_MS, lastSeenAtMs: NOW_MS, device: "" });
  return id;
}

function sent(claimed: { readonly id: number; readonly destinationId: string }): SettledAlert {
  const { id, destinationId } = claimed;
  const rest = { reason: null, dueAtMs: NOW_MS, isOutcomeKnown: true, sentAtMs: NOW_MS, notBeforeMs: 0 };
  return { id, destinationId, result: "sent", ...rest, isDestinationLost: false };
}

/** Gives the person a key of which this node lacks the master key. @returns undoes it */
async function takeKey(store: OpenStore, userId: UserId): Promise<() => Promise<void>> {
  const isTheirs = eq(users.id, userId);
  const [kept] = await store.db.select({ wrappedDataKey: users.wrappedDataKey }).from(users).where(isTheirs);
  if (kept === undefined) throw new Error("the person has no key");
  // The format and id of a master key that this node lacks.
  const wrappedDataKey = Uint8Array.from(kept.wrappedDataKey, (byte, n) => (n === 1 ? byte ^ 1 : byte));
  await store.db.update(users).set({ wrappedDataKey }).where(isTheirs);
  return async () => void (await store.db.update(users).set(kept).where(isTheirs));
}

export function describeAlerts({ shared }: StoreUnderTest): void {
  describe("destinations", () => {
    it("are sealed, updated when connected again, and move to the person who connects them last", async () => {
      const store = shared();
      const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
      const first = aDestination(person.id);
      const { destination } = await connected(store, first);
      const [row] = await rowsOf(
        store,
        sql`select encode(sealed_address, 'escape') as text, address_key from alert_destinations where id = ${first.id}`,
      );
      expect(JSON.stringify(row)).not.toContain("secret-");
      const again = await connected(store, { ...first, id: randomUUID(), name: "Renommé" });
      expect(again).toMatchObject({ isNew: false, destination: { id: destination.id, name: "Renommé" } });
      const moved = await connected(store, { ...first, id: randomUUID(), userId: other.id });
      expect(moved).toMatchObject({ isNew: true, movedFrom: { id: first.id, userId: person.id } });
      expect(await store.alerts.destinations.ofUser(person.id)).toEqual([]);
      const { id, channel } = moved.destination;
      expect(await store.alerts.destinations.remove(other.id, id, NOW_MS)).toMatchObject({ id });
      const details = { destinationId: first.id, channel };
      expect(await changesOf(store, person.id)).toEqual([
        { kind: "alerts.added", details },
        { kind: "alerts.removed", details },
      ]);
      expect(await changesOf(store, other.id)).toEqual([
        { kind: "alerts.added", details: { destinationId: id, channel } },
        { kind: "alerts.removed", details: { destinationId: id, channel } },
      ]);
    });

    it("are redirected by another address of a channel that a person has once, not by the same one", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      const connect = async (address: string) => {
        const traits = { channel: "discord" as const, identity: person.id, address: new Secret(address) };
        return await connected(store, aDestination(person.id, traits));
      };
      expect(await connect("webhook 1")).toMatchObject({ isNew: true, isRedirected: false });
      expect(await connect("webhook 1")).toMatchObject({ isNew: false, isRedirected: false });
      expect(await connect("webhook 2")).toMatchObject({ isNew: false, isRedirected: true });
      await rowsOf(
        store,
        sql`update alert_destinations set sealed_address = 'no seal'::bytea where user_id = ${person.id} returning id`,
      );
      expect(await connect("webhook 2")).toMatchObject({ isNew: false, isRedirected: true });
      const kinds = (await changesOf(store, person.id)).map(({ kind }) => kind);
      const redirected = ["alerts.removed", "alerts.added"];
      expect(kinds).toEqual(["alerts.added", ...redirected, ...redirected]);
      // The keys of a browser's subscription change, its endpoint stays.
      const device = aDestination(person.id);
      await connected(store, device);
      expect(
        await connected(store, { ...device, id: randomUUID(), address: new Secret("other keys") }),
      ).toMatchObject({ isNew: false, isRedirected: false });
      await store.users.erase(person.id);
    });

    it("are limited in number, also when they are added concurrently", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      const adding = Array.from({ length: 14 }, () =>
        store.alerts.destinations.connect(aDestination(person.id), 10),
      );
      const kinds = (await Promise.all(adding)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "connected")).toHaveLength(10);
    });

    it("of a chat use up its code, and end the permission to buy from Telegram, once there is room", async () => {
      const store = shared();
      const { destinations, telegram } = store.alerts;
      const person = await aPersonOf(store);
      const chat = (code: string) => aDestination(person.id, { channel: "telegram", code });
      await store.alerts.changeSettings(person.id, { buysFromTelegram: true });
      await telegram.save(person.id, "AAAABBBB", NOW_MS + 10);
      expect(await destinations.connect(chat("AAAABBBB"), 0)).toEqual({ kind: "full" });
      expect(await destinations.connect(chat("CCCCDDDD"), 10)).toEqual({ kind: "absent" });
      expect(await store.alerts.settings(person.id)).toMatchObject({ buysFromTelegram: true });
      // Two chats with one code, concurrently.
      const both = [chat("AAAABBBB"), chat("AAAABBBB")];
      const kinds = (await Promise.all(both.map((one) => destinations.connect(one, 10)))).map(
        ({ kind }) => kind,
      );
      expect(kinds.toSorted()).toEqual(["absent", "connected"]);
      expect(await store.alerts.settings(person.id)).toMatchObject({ buysFromTelegram: false });
      expect(await destinations.ofUser(person.id)).toHaveLength(1);
      await store.users.erase(person.id);
    });

    it("that were lost give way to a new one of their session, also at the limit; working ones stay", async () => {
      const store = shared();
      const { destinations, outbox } = store.alerts;
      const person = await aPersonOf(store);
      const [here, elsewhere] = [await aSessionOf(store, person.id), await aSessionOf(store, person.id)];
      await connected(store, aDestination(person.id, { name: "perdu ici", sessionId: here }));
      await connected(store, aDestination(person.id, { name: "perdu ailleurs", sessionId: elsewhere }));
      await outbox.plan({ alerts: [anAlert(person.id)], counters: [] });
      const claimed = await outbox.claim({ ...claim, room: { push: 32 } });
      await outbox.settle(claimed.map((one) => ({ ...sent(one), isDestinationLost: true })));
      for (const name of ["de nouveau", "second"]) {
        const again = aDestination(person.id, { name, sessionId: here });
        expect(await destinations.connect(again, name === "second" ? 3 : 2)).toMatchObject({
          kind: "connected",
        });
      }
      const kept = await destinations.ofUser(person.id);
      expect(kept.map(({ name, state }) => `${name} ${state}`).toSorted()).toEqual([
        "de nouveau active",
        "perdu ailleurs lost",
        "second active",
      ]);
    });

    it("are removed when their session is ended, which is recorded, but not when it only expires", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      const deviceOf = async (name: string) => {
        const sessionId = await aSessionOf(store, person.id);
        const { destination } = await connected(store, aDestination(person.id, { name, sessionId }));
        return { sessionId, added: destination.id };
      };
      const left = async () =>
        (await store.alerts.destinations.ofUser(person.id)).map(({ name }) => name).toSorted();
      const removed = async () =>
        (await changesOf(store, person.id)).flatMap(({ kind, details }) =>
          kind === "alerts.removed" ? [details["destinationId"]] : [],
        );
      const kept = await deviceOf("kept");
      await store.sessions.end(kept.sessionId, NOW_MS, person.id);
      const one = await deviceOf("one");
      await store.sessions.end(one.sessionId, NOW_MS);
      expect([await left(), await removed()]).toEqual([["kept"], [one.added]]);
      const last = await deviceOf("last");
      await store.sessions.endAll(person.id, NOW_MS);
      expect([await left(), await removed()]).toEqual([["kept"], [one.added, last.added]]);
    });

    it("a lost mailbox is written to again once the person's address is another one", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      await connected(store, aDestination(person.id, { channel: "courriel", identity: person.id }));
      // Added automatically, it is no news.
      expect(await changesOf(store, person.id)).toEqual([]);
      await store.alerts.outbox.plan({ alerts: [anAlert(person.id, { type: "account" })], counters: [] });
      const [claimed] = await store.alerts.outbox.claim({ ...claim, room: { courriel: 32 } });
      if (claimed === undefined) throw new Error("nothing was claimed");
      await store.alerts.outbox.settle([{ ...sent(claimed), result: "refused", isDestinationLost: true }]);
      const stateAfterSignIn = async (email: string) => {
        await store.users.signIn({ ...person, email }, NOW_MS);
        return (await store.alerts.destinations.ofUser(person.id)).map(({ state }) => state);
      };
      expect(await stateAfterSignIn(person.email)).toEqual(["lost"]);
      expect(await stateAfterSignIn("nouvelle@adresse.example")).toEqual(["active"]);
      await store.users.erase(person.id);
    });

    it("change all or none, and are deleted with their person", async () => {
      const store = shared();
      const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
      const own = await connected(store, aDestination(person.id));
      const foreign = await connected(store, aDestination(other.id));
      const none = { articles: false, purchases: false, account: false, summary: false };
      const change = [own, foreign].map(({ destination: { id } }) => ({ id, events: none }));
      expect(await store.alerts.destinations.setEvents(person.id, change)).toBe(false);
      expect(await store.alerts.destinations.ofUser(person.id)).toMatchObject([{ events: ALL }]);
      // Two concurrent changes do not overwrite each other.
      const { id } = own.destination;
      await Promise.all(
        [{ articles: false }, { account: false }].map((events) =>
          store.alerts.destinations.setEvents(person.id, [{ id, events }]),
        ),
      );
      const events = { ...ALL, articles: false, account: false };
      expect(await store.alerts.destinations.ofUser(person.id)).toMatchObject([{ events }]);
      await store.alerts.changeSettings(person.id, { quiet: { isOn: true } });
      const { quiet } = await store.alerts.changeSettings(person.id, { quiet: { from: 60 } });
      expect(quiet).toEqual({ isOn: true, from: 60, to: 420 });
      await store.alerts.destinations.setEvents(person.id, [{ id, events: ALL }]);
      await store.alerts.outbox.plan({ alerts: [anAlert(person.id)], counters: [] });
      await store.alerts.changeSettings(person.id, { maxPerHour: 3 });
      await store.alerts.telegram.save(person.id, "ABCDEFGH", NOW_MS + 1);
      await store.users.erase(person.id);
      expect(await store.alerts.destinations.connect(aDestination(person.id), 10)).toEqual({
        kind: "absent",
      });
      await store.alerts.changeSettings(person.id, { maxPerHour: 3 });
      for (const table of [
        "alert_destinations",
        "alert_outbox",
        "alert_settings",
        "alert_links",
        "telegram_codes",
      ])
        expect(
          await rowsOf(store, sql`select 1 from ${sql.identifier(table)} where user_id = ${person.id}`),
        ).toEqual([]);
    });
  });

  describe("the outbox", () => {
    it("plans an alert once for each destination that wants it, and none for suspended people", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      await connected(store, aDestination(person.id));
      await connected(store, aDestination(person.id, { events: { ...ALL, articles: false } }));
      const alert = anAlert(person.id);
      for (let time = 0; time < 3; time += 1)
        await store.alerts.outbox.plan({
          alerts: [alert, anAlert(person.id, { type: "account" })],
          counters: [],
        });
      const journal = await store.alerts.outbox.journal(person.id, 50);
      expect(journal.filter(({ type }) => type === "article")).toHaveLength(1);
      expect(journal.filter(({ type }) => type === "account")).toHaveLength(6);
      await store.users.setSuspended(person.id, true);
      await store.alerts.outbox.plan({ alerts: [anAlert(person.id)], counters: [] });
      expect(await store.alerts.outbox.journal(person.id, 50)).toHaveLength(7);
      await store.users.erase(person.id);
    });

    it("announces a bank confirmation to every destination, by mail only without any other", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      await connected(store, aDestination(person.id, { channel: "courriel", identity: person.id }));
      const bank = () => anAlert(person.id, { type: "bank" });
      await store.alerts.outbox.plan({ alerts: [bank()], counters: [] });
      const none = { articles: false, purchases: false, account: false, summary: false };
      await connected(store, aDestination(person.id, { events: none }));
      await store.alerts.outbox.plan({ alerts: [bank()], counters: [] });
      const channels = (await store.alerts.outbox.journal(person.id, 50)).map(({ channel }) => channel);
      expect(channels).toEqual(["push", "courriel"]);
      await store.users.erase(person.id);
    });

    it("announces a digest with purchases also where purchases are wanted without a summary", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      const events = { articles: false, purchases: true, account: true, summary: false };
      await connected(store, aDestination(person.id, { channel: "discord", events }));
      await connected(store, aDestination(person.id, { events: { ...events, purchases: false } }));
      const digests = [
        anAlert(person.id, { type: "digest", subject: "digest:articles" }),
        anAlert(person.id, { type: "digest", subject: "digest:purchases", hasPurchases: true }),
      ];
      await store.alerts.outbox.plan({ alerts: digests, counters: [] });
      const planned = await rowsOf(
        store,
        sql`select channel, subject from alert_outbox where user_id = ${person.id}`,
      );
      expect(planned).toEqual([{ channel: "discord", subject: "digest:purchases" }]);
      await store.users.erase(person.id);
    });

    it("is claimed one alert per destination, each once, banks first, also concurrently", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      const { destination } = await connected(store, aDestination(person.id));
      const alerts = [anAlert(person.id), anAlert(person.id, { type: "bank", subject: "bank:1:1" })];
      await store.alerts.outbox.plan({ alerts, counters: [] });
      const room = { push: 32 };
      const claims = Array.from({ length: 8 }, () => store.alerts.outbox.claim({ ...claim, room }));
      const own = (await Promise.all(claims)).flat().filter(({ userId }) => userId === person.id);
      expect(own).toMatchObject([{ type: "bank", attempts: 1, unknownAttempts: 1 }]);
      expect(own[0]?.address.reveal()).toContain("secret-");
      await store.alerts.outbox.settle(own.map(sent));
      expect(await store.alerts.outbox.claim({ ...claim, room: {} })).toEqual([]);
      const next = await store.alerts.outbox.claim({ ...claim, room });
      expect(next.filter(({ userId }) => userId === person.id)).toMatchObject([{ type: "article" }]);
      const [gone] = next.filter(({ userId }) => userId === person.id);
      if (gone === undefined) throw new Error("nothing was claimed");
      await store.alerts.outbox.plan({ alerts: [anAlert(person.id)], counters: [] });
      await store.alerts.outbox.settle([
        { ...sent(gone), result: "refused", reason: "lost", sentAtMs: null, isDestinationLost: true },
      ]);
      const results = (await store.alerts.outbox.journal(person.id, 50)).map(({ result }) => result);
      expect(results.toSorted()).toEqual(["refused", "sent", "useless"]);
      expect(await store.alerts.destinations.ofUser(person.id)).toMatchObject([
        { id: destination.id, state: "lost" },
      ]);
      await store.users.erase(person.id);
    });

    it("is claimed although another destination's address cannot be read, which is lost", async () => {
      const store = shared();
      const people = [await aPersonOf(store), await aPersonOf(store)];
      const [broken, whole] = people.map(({ id }) => id);
      if (broken === undefined || whole === undefined) throw new Error("nobody is there");
      for (const { id } of people) await connected(store, aDestination(id));
      await rowsOf(
        store,
        sql`update alert_destinations set sealed_address = 'no seal'::bytea where user_id = ${broken} returning id`,
      );
      await store.alerts.outbox.plan({ alerts: people.map(({ id }) => anAlert(id)), counters: [] });
      const claimed = await store.alerts.outbox.claim({ ...claim, room: { push: 32 } });
      expect(claimed.filter(({ userId }) => userId === whole)).toHaveLength(1);
      expect(claimed.filter(({ userId }) => userId === broken)).toEqual([]);
      expect(await store.alerts.outbox.journal(broken, 50)).toMatchObject([
        { result: "refused", reason: "lost" },
      ]);
      expect(await store.alerts.destinations.ofUser(broken)).toMatchObject([{ state: "lost" }]);
      for (const { id } of people) await store.users.erase(id);
    });

    it("waits, its destination untouched, while its person's key is missing on this node", async () => {
      const store = shared();
      const people = [await aPersonOf(store), await aPersonOf(store)];
      const [sealed, whole] = people.map(({ id }) => id);
      if (sealed === undefined || whole === undefined) throw new Error("nobody is there");
      for (const { id } of people) await connected(store, aDestination(id));
      const returnKey = await takeKey(store, sealed);
      await store.alerts.outbox.plan({ alerts: people.map(({ id }) => anAlert(id)), counters: [] });
      const claimedBy = async (nowMs: number) =>
        (await store.alerts.outbox.claim({ ...claim, nowMs, room: { push: 32 } })).map(
          ({ userId }) => userId,
        );
      expect(await claimedBy(NOW_MS)).toEqual([whole]);
      expect(await store.alerts.outbox.journal(sealed, 50)).toMatchObject([
        { result: "waiting", reason: null },
      ]);
      expect(await store.alerts.destinations.ofUser(sealed)).toMatchObject([{ state: "active" }]);
      await returnKey();
      expect(await claimedBy(NOW_MS + 599_000)).toEqual([]);
      const [again] = await store.alerts.outbox.claim({
        ...claim,
        nowMs: NOW_MS + 600_000,
        room: { push: 32 },
      });
      expect(again).toMatchObject({ userId: sealed, attempts: 2, unknownAttempts: 1 });
      for (const { id } of people) await store.users.erase(id);
    });

    it("is given up at the end of its time while its person's key is missing on every node", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      await connected(store, aDestination(person.id));
      await takeKey(store, person.id);
      for (const [type, reason] of [
        ["article", "late"],
        ["account", "away"],
      ] as const) {
        await store.alerts.outbox.plan({ alerts: [anAlert(person.id, { type })], counters: [] });
        const outcomes: unknown[] = [];
        for (const laterMs of [0, 600_000]) {
          await store.alerts.outbox.claim({ ...claim, nowMs: NOW_MS + laterMs, room: { push: 32 } });
          const [newest] = await store.alerts.outbox.journal(person.id, 1);
          outcomes.push([newest?.result, newest?.reason]);
        }
        expect(outcomes).toEqual([
          ["waiting", null],
          ["abandoned", reason],
        ]);
      }
      await store.users.erase(person.id);
    });

    it("is claimed whatever characters a message contains", async () => {
      const store = shared();
      const people = [await aPersonOf(store), await aPersonOf(store), await aPersonOf(store)];
      for (const { id } of people) await connected(store, aDestination(id));
      const common = { totalPriceCents: 100, photoUrl: null, filterIds: [] };
      const texts = ["half an emoji \uD83D", "a zero \u0000", "plain"];
      const alerts = people.map(({ id }, index) => {
        const title = texts[index] ?? "";
        const article = {
          ...common,
          listingId: asListingId(index),
          path: title,
          seller: { id: 1, login: title },
        };
        return anAlert(id, { message: { title, body: title, path: "/synapse/articles", article } });
      });
      await store.alerts.outbox.plan({ alerts, counters: [] });
      const claimed = await store.alerts.outbox.claim({ ...claim, room: { push: 32 } });
      const titles = claimed.map(({ message }) => message.title);
      expect(titles).toEqual(expect.arrayContaining(["half an emoji \uFFFD", "a zero ", "plain"]));
      for (const { id } of people) await store.users.erase(id);
    });

    it("gives up what waited past its time, also on a channel that nobody claims", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      await connected(store, aDestination(person.id, { channel: "telegram" }));
      const alerts = [
        anAlert(person.id),
        anAlert(person.id, { type: "account", giveUpAtMs: NOW_MS + 1_000 }),
        anAlert(person.id, { type: "account", giveUpAtMs: NOW_MS + 86_400_000 }),
      ];
      await store.alerts.outbox.plan({ alerts, counters: [] });
      const outcomes = async () =>
        (await store.alerts.outbox.journal(person.id, 50))
          .map(({ result, reason }) => `${result} ${String(reason)}`)
          .toSorted();
      await store.alerts.prune(NOW_MS + 30_000);
      expect(await outcomes()).toEqual(Array(3).fill("waiting null"));
      await store.alerts.prune(NOW_MS + 700_000);
      expect(await outcomes()).toEqual(["abandoned away", "abandoned late", "waiting null"]);
      await store.users.erase(person.id);
    });

    it("keeps counters and marks, which never move back, and returns to the planner who receives what", async () => {
      const store = shared();
      const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
      await connected(store, aDestination(person.id));
      await connected(store, aDestination(other.id, { events: { ...ALL, articles: false } }));
      const filter = aFilter({
        id: asFilterId(randomUUID()),
        userId: person.id,
        alertMode: "silent",
        isAutobuy: true,
      });
      await store.filters.add(filter, 10);
      await store.settings.change(
        person.id,
        { refreshToken: new Secret("refresh"), address: ADDRESS },
        NOW_MS,
      );
      const hour = { beganAtMs: NOW_MS, sentCount: 1, sentBy: {}, countedBy: {} };
      const counters = [{ userId: person.id, counters: { hour, away: null } }];
      const before = await store.alerts.outbox.mark("audit");
      await store.alerts.outbox.plan({ alerts: [], counters, marks: { audit: before + 7 } });
      await store.alerts.outbox.plan({ alerts: [], counters: [], marks: { audit: before + 5 } });
      expect(await store.alerts.outbox.mark("audit")).toBe(before + 7);
      const readers = await store.alerts.outbox.readers(null);
      expect(readers.filter(({ userId }) => userId === other.id)).toEqual([]);
      expect(readers.find(({ userId }) => userId === person.id)).toMatchObject({
        hasArticles: true,
        counters: { hour },
        filters: [{ id: filter.id, mode: "silent", isBuying: true }],
      });
    });

    it("goes to the people whose filters cannot buy, stopped or without account or whole address: their listings are announced", async () => {
      const store = shared();
      const person = await aPersonOf(store);
      await connected(store, aDestination(person.id));
      const traits = { userId: person.id, isAutobuy: true };
      await store.filters.add(aFilter({ id: asFilterId(randomUUID()), ...traits }), 10);
      const isBuying = async () => {
        const [reader] = await store.alerts.outbox.readers([person.id]);
        return reader?.filters.map((one) => one.isBuying);
      };
      expect(await isBuying()).toEqual([false]);
      await store.settings.change(person.id, { refreshToken: new Secret("refresh") }, NOW_MS);
      expect(await isBuying()).toEqual([false]);
      for (const missing of [
        { street: "", city: "", postalCode: 0 },
        { street: "" },
        { city: "" },
        { postalCode: 0 },
      ]) {
        await store.settings.change(person.id, { address: { ...ADDRESS, ...missing } }, NOW_MS);
        expect(await isBuying()).toEqual([false]);
      }
      await store.settings.change(person.id, { address: ADDRESS }, NOW_MS);
      expect(await isBuying()).toEqual([true]);
      await store.accounts.markRefused(person.id, 1, NOW_MS);
      expect(await isBuying()).toEqual([false]);
      await store.settings.change(person.id, { refreshToken: new Secret("again") }, NOW_MS);
      expect(await isBuying()).toEqual([true]);
      await store.settings.change(person.id, { limits: { isStopped: true } }, NOW_MS);
      expect(await isBuying()).toEqual([false]);
      await store.settings.change(person.id, { limits: { isStopped: false } }, NOW_MS);
      expect(await isBuying()).toEqual([true]);
      await store.purchases.stopAccount(person.id, "the operator's reason");
      expect(await isBuying()).toEqual([false]);
      await store.purchases.resumeAccount(person.id, NOW_MS);
      expect(await isBuying()).toEqual([true]);
    });

    it("goes to everybody although one person's address cannot be read: what their filter finds is announced", async () => {
      const store = shared();
      const people = [await aPersonOf(store), await aPersonOf(store)];
      for (const { id: userId } of people) {
        await connected(store, aDestination(userId));
        await store.filters.add(aFilter({ id: asFilterId(randomUUID()), userId, isAutobuy: true }), 10);
        await store.settings.change(
          userId,
          { refreshToken: new Secret("refresh"), address: ADDRESS },
          NOW_MS,
        );
      }
      const [broken, whole] = people.map(({ id }) => id);
      await rowsOf(
        store,
        sql`update settings set sealed_address = 'no seal'::bytea where user_id = ${broken} returning user_id`,
      );
      const readers = await store.alerts.outbox.readers(people.map(({ id }) => id));
      const isBuying = (userId: UserId | undefined) =>
        readers.find((reader) => reader.userId === userId)?.filters.map((one) => one.isBuying);
      expect([isBuying(broken), isBuying(whole)]).toEqual([[false], [true]]);
    });
  });

  it("a link is used once, by its person and before it expires; a code is its person's until then", async () => {
    const store = shared();
    const [person, other] = [await aPersonOf(store), await aPersonOf(store)];
    const tokenHash = randomUUID();
    const link = { tokenHash, listingId: asListingId(7), totalPriceCents: 100, expiresAtMs: NOW_MS + 10 };
    await store.alerts.outbox.plan({ alerts: [anAlert(person.id, { link })], counters: [] });
    const { links, telegram } = store.alerts;
    expect(await links.find(other.id, tokenHash)).toBeNull();
    expect(await links.spend(other.id, tokenHash, NOW_MS)).toBe(false);
    expect(await links.spend(person.id, tokenHash, NOW_MS + 10)).toBe(false);
    const spent = await Promise.all(
      Array.from({ length: 10 }, () => links.spend(person.id, tokenHash, NOW_MS)),
    );
    expect(spent.filter(Boolean)).toHaveLength(1);
    await telegram.save(person.id, "AAAABBBB", NOW_MS + 10);
    expect(await telegram.ownerOf("AAAABBBB", NOW_MS + 10)).toBeNull();
    await telegram.save(person.id, "CCCCDDDD", NOW_MS + 10);
    expect(await telegram.ownerOf("AAAABBBB", NOW_MS)).toBeNull();
    expect(await telegram.ownerOf("CCCCDDDD", NOW_MS)).toBe(person.id);
  });
}
