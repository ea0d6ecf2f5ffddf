import { eq, sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { asFilterId, asSessionId, asUserId, type UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import type { OpenStore } from "../open-store.ts";
import { users } from "../schema/tables.ts";
import {
  type StoreUnderTest,
  NOW_MS,
  anIdentity,
  aPersonOf,
  rowsOf,
  storeForAll,
} from "../suite-store.suite.ts";

export function describeUsers({ shared, open }: StoreUnderTest): void {
  describe("users", () => {
    const at = shared;

    test("a newcomer has no plan and the default settings", async () => {
      const identity = anIdentity({ pictureUrl: "https://example.org/zoe.png" });
      const { user, isNew } = await at().users.signIn(identity, NOW_MS);
      expect(isNew).toBe(true);
      expect(user).toMatchObject({ ...identity, plan: "none", planEndsAtMs: null, isSuspended: false });
      expect(user.createdAtMs).toBe(NOW_MS);
      expect(await at().users.byId(user.id)).toEqual(user);
      expect((await at().settings.get(user.id)).limits).toMatchObject({ dayEur: 300, isStopped: false });
    });

    test("signing in again updates name, e-mail and picture and keeps the person", async () => {
      const identity = anIdentity();
      const first = await at().users.signIn(identity, NOW_MS);
      await at().users.setPlan(first.user.id, "thunder", null);
      const renamed = { ...identity, login: "renamed", email: "new@example.org", displayName: "Z" };
      const again = await at().users.signIn(renamed, NOW_MS + 5);
      expect(again.isNew).toBe(false);
      expect(again.user).toEqual({ ...first.user, ...renamed, plan: "thunder" });
      expect(await at().users.find("renamed")).toEqual(again.user);
      expect(await at().users.find(identity.login)).toBeNull();
    });

    test("a newcomer's welcome is saved with them, or neither is; it changes nobody else", async () => {
      const identity = anIdentity();
      const welcome = (dayEur: number) => ({ plan: "acquire" as const, settings: { limits: { dayEur } } });
      await expect(at().users.signIn(identity, NOW_MS, welcome(3e9))).rejects.toThrow();
      const { user, isNew } = await at().users.signIn(identity, NOW_MS, welcome(7));
      expect([isNew, user.plan]).toEqual([true, "acquire"]);
      expect(await at().users.byId(user.id)).toEqual(user);
      await at().users.signIn(identity, NOW_MS, welcome(8));
      expect((await at().settings.get(user.id)).limits.dayEur).toBe(7);
    });

    test("parallel first sign-ins of one person make one person", async () => {
      const identity = anIdentity();
      const answers = await Promise.all(Array.from({ length: 8 }, () => at().users.signIn(identity, NOW_MS)));
      expect(new Set(answers.map(({ user }) => user.id)).size).toBe(1);
      expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    });

    test("one e-mail with two provider ids, or one id of two providers, is two people", async () => {
      const email = "shared@example.org";
      const one = await aPersonOf(at(), { email, providerId: "shared-1" });
      const two = await aPersonOf(at(), { email, providerId: "shared-2" });
      const three = await aPersonOf(at(), { email, providerId: "shared-1", provider: "discord" });
      expect(new Set([one.id, two.id, three.id]).size).toBe(3);
    });

    test("somebody is found by id or by unique login, whatever its case", async () => {
      const user = await aPersonOf(at(), { login: "Unique-Login" });
      expect(await at().users.find(user.id)).toEqual(user);
      expect(await at().users.find("uNIQUE-lOGIN")).toEqual(user);
      await aPersonOf(at(), { login: "unique-login" });
      expect(await at().users.find("unique-login")).toBeNull();
      expect(await at().users.find("nobody-of-this-name")).toBeNull();
      expect(await at().users.find("a\u0000b")).toBeNull();
      expect(await at().users.byId(asUserId("a\u0000b"))).toBeNull();
    });

    test("a changed suspension or plan is returned at once", async () => {
      const user = await aPersonOf(at());
      await at().users.setPlan(user.id, "acquire", NOW_MS + 1);
      await at().users.setSuspended(user.id, true);
      expect(await at().users.byId(user.id)).toMatchObject({
        plan: "acquire",
        planEndsAtMs: NOW_MS + 1,
        isSuspended: true,
      });
    });

    test("the terms of plans are read without opening a profile", async () => {
      const [whole, unreadable] = [await aPersonOf(at()), await aPersonOf(at())];
      await at().users.setPlan(unreadable.id, "acquire", NOW_MS + 1);
      await makeUnreadable(at(), unreadable.id);
      const terms = await at().users.subscribers([whole.id, unreadable.id, asUserId("nobody")]);
      expect(terms).toHaveLength(2);
      expect(terms).toContainEqual({ id: whole.id, plan: "none", planEndsAtMs: null, isSuspended: false });
      expect(terms).toContainEqual({
        id: unreadable.id,
        plan: "acquire",
        planEndsAtMs: NOW_MS + 1,
        isSuspended: false,
      });
    });

    test("no personal data is readable in the tables", async () => {
      const canaries = anIdentity({
        providerId: "canary-provider-id",
        login: "canary-login",
        displayName: "canary-name",
        email: "canary@example.org",
        pictureUrl: "https://canary.example.org/",
      });
      const { user } = await at().users.signIn(canaries, NOW_MS);
      await at().settings.change(
        user.id,
        {
          refreshToken: new Secret("canary-token"),
          address: { street: "canary street", city: "canary city", postalCode: 75_001, country: "France" },
          pickupPointNames: ["canary point"],
        },
        NOW_MS,
      );
      const everything = await wholeDatabase(at());
      // Control: unsealed values are found.
      expect(everything).toContain(user.id);
      expect(everything.toLowerCase()).not.toContain("canary");
    });
  });

  describe("the waiting list", () => {
    const at = storeForAll(open);

    test("ranks people without a current plan by arrival", async () => {
      const [first, second, third, fourth] = await inOrderOfArrival(at(), 4);
      const placeOf = (id: typeof first.id, nowMs: number) => at().users.waitlistPlace(id, nowMs);
      expect(await placeOf(first.id, NOW_MS)).toEqual({ rank: 1, total: 4 });
      expect(await placeOf(fourth.id, NOW_MS)).toEqual({ rank: 4, total: 4 });

      await at().users.setPlan(first.id, "seeker", NOW_MS + 1_000);
      await at().users.setSuspended(second.id, true);
      expect(await placeOf(first.id, NOW_MS)).toBeNull();
      expect(await placeOf(second.id, NOW_MS)).toBeNull();
      expect(await placeOf(third.id, NOW_MS)).toEqual({ rank: 1, total: 2 });
      expect((await at().users.waitlist(NOW_MS)).map(({ id }) => id)).toEqual([third.id, fourth.id]);

      // The plan ends now: the person is back in the waiting list at the former rank.
      const endedMs = NOW_MS + 1_000;
      expect(await placeOf(first.id, endedMs)).toEqual({ rank: 1, total: 3 });
      expect(await placeOf(third.id, endedMs)).toEqual({ rank: 2, total: 3 });
      expect((await at().users.all()).map(({ id }) => id)).toEqual(
        [first, second, third, fourth].map(({ id }) => id),
      );
    });

    test("somebody whose profile cannot be opened is listed and found by id, which is their only name", async () => {
      const [unreadable] = await inOrderOfArrival(at(), 4);
      await makeUnreadable(at(), unreadable.id);
      const bare = {
        ...unreadable,
        login: unreadable.id,
        providerId: "",
        displayName: "",
        email: "",
      };
      expect(await at().users.find(unreadable.id)).toEqual(bare);
      expect(await at().users.all()).toContainEqual(bare);
      expect(await at().users.waitlist(NOW_MS)).toContainEqual(bare);
      await expect(at().users.byId(unreadable.id)).rejects.toMatchObject({ code: "unreadable" });
      await at().users.erase(unreadable.id);
      expect(await at().users.find(unreadable.id)).toBeNull();
    });

    test("concurrent requests for places share few counts, one after the other", async () => {
      const [one, , , other] = await inOrderOfArrival(at(), 4);
      const { total } = (await at().users.waitlistPlace(one.id, NOW_MS)) ?? { total: 0 };
      const asking = vi.spyOn(at().db, "select");
      const places = await Promise.all(
        Array.from({ length: 300 }, (_, n) =>
          at().users.waitlistPlace((n % 2 === 0 ? one : other).id, NOW_MS),
        ),
      );
      const questions = asking.mock.calls.length;
      asking.mockRestore();
      expect(new Set(places.map((place) => place?.total))).toEqual(new Set([total]));
      expect(new Set(places.map((place) => place?.rank)).size).toBe(2);
      // Two queries for each of the two people.
      expect(questions).toBe(4);
    });
  });

  describe("erasing a person", () => {
    const at = storeForAll(open);

    test("deletes all of their data and nobody else's", async () => {
      const [gone, stays] = [await aPersonWithEverything(at(), 1), await aPersonWithEverything(at(), 2)];
      const before = await rowCountsOf(at(), stays.id);
      await at().users.erase(gone.id);
      expect(await at().users.byId(gone.id)).toBeNull();
      // Audit entries and the ledger outlive the person under the bare id.
      expect(Object.keys(await rowCountsOf(at(), gone.id))).toEqual(["audit_entries"]);
      expect(await rowCountsOf(at(), stays.id)).toEqual(before);
      expect(Object.keys(before).length).toBeGreaterThanOrEqual(6);
      await at().users.erase(gone.id);
    });
  });
}

async function inOrderOfArrival(store: OpenStore, count: 4) {
  const people = [];
  for (let n = 0; n < count; n += 1) {
    people.push((await store.users.signIn(anIdentity(), NOW_MS + n)).user);
  }
  const [first, second, third, fourth] = people;
  if (!first || !second || !third || !fourth) throw new Error("four people were asked for");
  return [first, second, third, fourth] as const;
}

async function makeUnreadable(store: OpenStore, id: UserId): Promise<void> {
  await store.db
    .update(users)
    .set({ sealedProfile: new Uint8Array(64) })
    .where(eq(users.id, id));
}

async function aPersonWithEverything(store: OpenStore, n: number) {
  const user = await aPersonOf(store);
  await store.sessions.create({
    id: asSessionId(`session-of-everything-${n}`),
    userId: user.id,
    createdAtMs: NOW_MS,
    lastSeenAtMs: NOW_MS,
    device: "",
  });
  await store.filters.add(aFilter({ id: asFilterId(`everything-${n}`), userId: user.id }), 10);
  await store.settings.change(user.id, { refreshToken: new Secret("token-of-somebody") }, NOW_MS);
  const match = aMatch({ userId: user.id });
  await store.listings.record({ listings: [match.listing], matches: [match], marks: [] });
  await store.audit.append({ atMs: NOW_MS, kind: "login", userId: user.id, details: {} });
  return user;
}

async function wholeDatabase(store: OpenStore): Promise<string> {
  const texts: string[] = [];
  for (const table of await tableNames(store)) {
    const rows = await rowsOf(store, sql`select * from ${sql.identifier(table)}`);
    const bytes = rows.flatMap((row) => Object.values(row)).filter((value) => value instanceof Uint8Array);
    texts.push(JSON.stringify(rows), ...bytes.map((value) => Buffer.from(value).toString("latin1")));
  }
  return texts.join("\n");
}

/** The number of rows per table that contain this person's id; tables without any are omitted. */
async function rowCountsOf(store: OpenStore, id: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await tableNames(store)) {
    const whole = sql`select count(*)::int as n from ${sql.identifier(table)} t where to_json(t)::text like ${`%${id}%`}`;
    const rows = await rowsOf(store, whole);
    const n = Number(rows[0]?.["n"]);
    if (n > 0) counts[table] = n;
  }
  return counts;
}

async function tableNames(store: OpenStore): Promise<readonly string[]> {
  const rows = await rowsOf(
    store,
    sql`select tablename from pg_tables where schemaname = 'public' order by tablename`,
  );
  return rows.map((row) => String(row["tablename"]));
}
