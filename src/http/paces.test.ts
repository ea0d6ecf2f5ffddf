import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UserId } from "#domain/ids.ts";
import { startHttpWorld, type Client, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

describe("limits of pace", () => {
  async function untilRefused(client: Client, path: string, most: number): Promise<number> {
    for (let count = 0; count < most; count += 1) if ((await client.get(path)).status === 429) return count;
    return most;
  }

  test("a person who reads too much gets a time to come back, and no one else does", async () => {
    const person = await world.signIn("seeker");
    expect(await untilRefused(person, "/auth/user", 400)).toBe(300);
    // Whole lists have their own rates.
    expect(await untilRefused(person, "/filtres/get", 400)).toBe(120);
    expect(await untilRefused(person, "/vinted/purchases", 400)).toBe(300);
    const refusedAnswer = await person.get("/filtres/get");
    expect([refusedAnswer.status, refusedAnswer.headers["retry-after"], refusedAnswer.body]).toEqual([
      429,
      "1",
      { success: false, error: "Trop de demandes : réessayez dans 1 seconde." },
    ]);
    expect((await (await world.signIn("seeker")).get("/filtres/get")).status).toBe(200);
    await world.clock.advance(1_000);
    expect((await person.get("/filtres/get")).status).toBe(200);
  });

  test("one person's whole lists are made one at a time, and do not delay others", async () => {
    const [greedy, other] = [await world.signIn("seeker"), await world.signIn("seeker")];
    const { filters: ownFilters, listings, purchases } = world.store;
    const ofUser = ownFilters.ofUser.bind(ownFilters);
    const activeOf = ownFilters.activeOf.bind(ownFilters);
    const recentMatches = listings.recentMatches.bind(listings);
    const list = purchases.list.bind(purchases);
    const gate = Promise.withResolvers<void>();
    const underWay = { now: 0, most: 0 };
    async function watched<Made>(userId: string, make: () => Promise<Made>): Promise<Made> {
      if (userId !== greedy.user.id) return await make();
      underWay.now += 1;
      underWay.most = Math.max(underWay.most, underWay.now);
      await gate.promise;
      const made = await make();
      underWay.now -= 1;
      return made;
    }
    Object.assign(ownFilters, {
      ofUser: (userId: UserId) => watched(userId, async () => await ofUser(userId)),
      activeOf: (userId: UserId) => watched(userId, async () => await activeOf(userId)),
    });
    Object.assign(listings, {
      recentMatches: (userId: UserId, limit: number) =>
        watched(userId, async () => await recentMatches(userId, limit)),
    });
    Object.assign(purchases, {
      list: (userId: UserId, limit: number) => watched(userId, async () => await list(userId, limit)),
    });
    try {
      const all = ["/filtres/get", "/vinted/purchases", "/vinted/etat", "/articles/recent"];
      const paths = Array.from({ length: 5 }, () => all).flat();
      const asked = paths.map(async (path) => await greedy.get(path));
      // Other calls, and other people, wait for none of them.
      expect((await greedy.get("/auth/user")).status).toBe(200);
      expect((await other.get("/filtres/get")).status).toBe(200);
      expect(underWay).toEqual({ now: 1, most: 1 });
      gate.resolve();
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect([new Set(statuses), underWay.most]).toEqual([new Set([200]), 1]);
    } finally {
      gate.resolve();
      Object.assign(ownFilters, { ofUser, activeOf });
      Object.assign(listings, { recentMatches });
      Object.assign(purchases, { list });
    }
  });

  test("the market's prices have the pace of whole lists, backtests that of previews", async () => {
    const person = await world.signIn("seeker");
    const statusOf = async (path: string) => (await person.get(path)).status;
    // Refused ones count too, and read no archive.
    for (let count = 0; count < 118; count += 1) expect(await statusOf("/marche/prix?type=0")).toBe(400);
    expect(await statusOf("/marche/populaires")).toBe(200);
    expect(await statusOf("/filtres/get")).toBe(200);
    for (const path of ["/marche/prix?type=221", "/marche/populaires", "/filtres/get"])
      expect(await statusOf(path), path).toBe(429);
    const backtest = async () => (await person.post("/filtres/rejeu", { jours: 0 })).status;
    for (let count = 0; count < 20; count += 1) expect(await backtest()).toBe(400);
    expect(await backtest()).toBe(429);
    expect((await person.post("/filtres/apercu", {})).status).toBe(429);
  });

  test("clicks have a pace of their own, and the code of the refused one says that nothing was bought", async () => {
    const person = await world.signIn("seeker");
    const click = async () => await person.post("/purchase/click", { id: 1 });
    for (let count = 0; count < 30; count += 1) expect(await click()).toMatchObject({ status: 404 });
    expect(await click()).toMatchObject({ status: 429, body: { code: "attente" } });
  });

  test("writing has a pace of its own", async () => {
    const person = await world.signIn("seeker");
    const statuses: number[] = [];
    for (let count = 0; count < 61; count += 1)
      statuses.push((await person.post("/filtres/delete", { IDs: ["x"] })).status);
    expect(new Set(statuses.slice(0, 60))).toEqual(new Set([404]));
    expect(statuses[60]).toBe(429);
    expect((await person.get("/filtres/get")).status).toBe(200);
  });
});
