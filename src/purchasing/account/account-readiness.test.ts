import { expect, it } from "vitest";
import { Secret } from "#domain/secret.ts";
import type { User } from "#domain/user.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { systemClock } from "#server/clock.ts";
import type { Call } from "../buying-world.suite.ts";
import { buyingWorldPerTest } from "../world-per-test.suite.ts";

const start = buyingWorldPerTest();

/** @param intercept wraps each call to the marketplace @returns also the names of the calls, in order */
async function startNoting(intercept: Intercept = (_name, call) => call()) {
  const called: Call[] = [];
  const current = await start({
    intercept: async (name, call) => {
      called.push(name);
      return await intercept(name, call);
    },
  });
  return { current, called };
}

type Intercept = (name: Call, call: () => Promise<unknown>) => Promise<unknown>;

/** Connects the account of the token and clicks: its orders must be read before it buys. */
async function expectOrdersReadFirst(
  { current, called }: Awaited<ReturnType<typeof startNoting>>,
  person: User,
  token: string,
): Promise<void> {
  const refreshToken = new Secret(token);
  await current.store.settings.change(person.id, { refreshToken }, systemClock.nowMs());
  called.splice(0);
  expect((await current.click(person, await current.listing())).kind).toBe("accepted");
  expect(called.filter((name) => name === "orders" || name === "openTransaction")).toEqual([
    "orders",
    "openTransaction",
  ]);
}

it("a refresh of the token that was asked to wait is not repeated by changes of filters and settings", async () => {
  const current = await start();
  const person = await current.person("thunder-limited");
  const filter = await current.autobuyFilter(person);
  await current.sandbox.arm({ route: "refresh", kind: "rate_limit", rate: 1, retry_after: 600 });
  const refusals = () =>
    current.logged.filter(({ message }) => message === "an account could not be prepared").length;
  for (let n = 1; n <= 3; n += 1) {
    const before = refusals();
    await current.events.publish({ kind: "filters_changed", userId: person.id, filterIds: [filter.id] });
    // The orders, then the token.
    await expect.poll(refusals).toBe(before + 2);
  }
  expect((await current.sandbox.requests()).by_route["refresh"]).toBe(1);
});

it("a token is obtained in advance, once", async () => {
  const current = await start();
  const person = await current.person("thunder-warm");
  await current.events.publish({ kind: "settings_changed", userId: person.id });
  await expect
    .poll(async () => (await current.store.accounts.tokens(person.id))?.accessToken ?? null)
    .not.toBeNull();
  expect((await current.sandbox.requests()).by_route["refresh"]).toBe(1);
});

it("an account that had to be reconnected before its orders were read has them read before it pays", async () => {
  let refuse: (() => Promise<void>) | null = null;
  const world = await startNoting(async (name, call) => {
    if (name !== "orders" || refuse === null) return await call();
    await refuse();
    refuse = null;
    throw new MarketplaceError("server_error");
  });
  const { current, called } = world;
  const person = await current.person("seeker-refused", "seeker");
  // Another call's refresh is refused while the first attempt's reading of the orders fails.
  refuse = async () => {
    const { generation = 0 } = (await current.store.accounts.tokens(person.id)) ?? {};
    await current.store.accounts.markRefused(person.id, generation, systemClock.nowMs());
  };
  const missed = await current.click(person, await current.listing());
  expect(missed).toMatchObject({ kind: "missing", what: ["account"] });
  expect(called).not.toContain("openTransaction");
  await expectOrdersReadFirst(world, person, "sandbox-seeker-refused");
});

it("the orders of another account are read when it is connected, not with the next sweep", async () => {
  const { current, called } = await startNoting();
  const person = await current.person("thunder-first");
  const reads = (): number => called.filter((name) => name === "orders").length;
  const changed = (): Promise<void> =>
    current.events.publish({ kind: "settings_changed", userId: person.id });
  await changed();
  await expect.poll(reads).toBe(1);
  await changed();
  const refreshToken = new Secret("sandbox-thunder-second");
  await current.store.settings.change(person.id, { refreshToken }, systemClock.nowMs());
  await changed();
  await expect.poll(reads).toBe(2);
});

it("the orders of another account are read before it buys, although its connection was not announced yet", async () => {
  const world = await startNoting();
  const { current } = world;
  const person = await current.person("seeker-known", "seeker");
  expect((await current.click(person, await current.listing())).kind).toBe("accepted");
  await expectOrdersReadFirst(world, person, "sandbox-seeker-unread");
});

it("a checkout is not paid from another account that was connected meanwhile", async () => {
  let connectAnother: (() => Promise<unknown>) | null = null;
  const { current, called } = await startNoting(async (name, call) => {
    const answer = await call();
    if (name !== "updateCheckout") return answer;
    await connectAnother?.();
    connectAnother = null;
    return answer;
  });
  const person = await current.person("seeker-quoted", "seeker");
  const listing = await current.listing();
  const refreshToken = new Secret("sandbox-seeker-paying");
  connectAnother = () => current.store.settings.change(person.id, { refreshToken }, systemClock.nowMs());
  expect((await current.click(person, listing)).kind).toBe("accepted");
  await current.settled(person, listing, "confirmed");
  expect(called.filter((name) => name === "orders")).toHaveLength(2);
  expect(called.indexOf("pay")).toBeGreaterThan(called.lastIndexOf("orders"));
  const paid = (await current.truth(listing)).filter(({ payments }) => payments > 0);
  expect(paid).toMatchObject([{ account: "seeker-paying", payments: 1 }]);
});
