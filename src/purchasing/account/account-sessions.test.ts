import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Clock, MINUTE_MS } from "#domain/clock.ts";
import type { UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { createHttpMarketplace } from "#marketplace/http-marketplace.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import { type RequestBudget } from "#marketplace/request-budget.ts";
import { systemClock } from "#server/clock.ts";
import { createEventBus } from "#server/events.ts";
import { type Sandbox } from "#sandbox/sandbox.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { sandboxClient, type SandboxClient } from "#verify/testing/sandbox-client.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import type { AccountStore } from "#store/store.ts";
import {
  createAccountCalls,
  createAccountSessions,
  type AccountSessions,
  type AccountSessionsDeps,
} from "./account-sessions.ts";
import { aMarketplaceAt, startTestSandbox } from "#verify/testing/a-sandbox.ts";

let sandbox: Sandbox;
let control: SandboxClient;
let testStore: TestStore;
let marketplace: Marketplace & AsyncDisposable;
let userId: UserId;
let people = 0;
/** How far the product's clock runs ahead of the system clock. */
let aheadMs = 0;

const log = createQuietLog();
const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };

const AWAY = new Error("the store is away");

const sessionsOf = (owner: string, changed: Partial<AccountSessionsDeps> = {}): AccountSessions =>
  createAccountSessions({
    accounts: testStore.store.accounts,
    isStoreAway: (error) => error === AWAY,
    isAlive: () => true,
    marketplace,
    clock,
    events: createEventBus(log),
    log,
    owner,
    ...changed,
  });
const marketOf = (budget: RequestBudget) =>
  createHttpMarketplace({ origin: sandbox.url, userAgent: "Synapse (tests)", clock, budget });
/** Waits a hundredth of the time that it is asked to wait. */
const hasty: Clock = { ...clock, schedule: (delayMs, act) => systemClock.schedule(delayMs / 100, act) };
const accessOf = (sessions: AccountSessions): Promise<string> =>
  sessions.withAccess(userId, (access) => Promise.resolve(access.reveal()), { retryOn401: true });
const refreshCount = async (): Promise<number> => (await control.requests()).by_route["refresh"] ?? 0;

beforeAll(async () => {
  sandbox = await startTestSandbox({ log });
  control = sandboxClient(sandbox.url);
  testStore = await openTestStore();
  marketplace = aMarketplaceAt(sandbox.url, { clock });
});

afterAll(async () => {
  await marketplace[Symbol.asyncDispose]();
  await testStore[Symbol.asyncDispose]();
  await sandbox.stop();
});

beforeEach(async () => {
  people += 1;
  const name = `seeker-${people}`;
  const { user } = await testStore.store.users.signIn(
    {
      provider: "sandbox",
      providerId: name,
      login: name,
      displayName: name,
      email: `${name}@example.org`,
      pictureUrl: null,
    },
    clock.nowMs(),
  );
  userId = user.id;
  await testStore.store.settings.change(
    userId,
    { refreshToken: new Secret(`sandbox-${name}`) },
    clock.nowMs(),
  );
  await control.resetCounters();
});

afterEach(async () => {
  aheadMs = 0;
  await control.clearFaults();
});

test("the first call refreshes, later ones use the access token at hand", async () => {
  const sessions = sessionsOf("one");
  const first = await accessOf(sessions);
  expect(await accessOf(sessions)).toBe(first);
  expect(await refreshCount()).toBe(1);
  // Another process reads it from the store.
  expect(await accessOf(sessionsOf("two"))).toBe(first);
  expect(await refreshCount()).toBe(1);
});

test("many callers in two processes refresh once", async () => {
  const both = [sessionsOf("one"), sessionsOf("two")];
  const tokens = await Promise.all(
    both.flatMap((sessions) => Array.from({ length: 20 }, () => accessOf(sessions))),
  );
  expect(new Set(tokens).size).toBe(1);
  expect(await refreshCount()).toBe(1);
});

test("a process with a fast clock shares another's refresh in flight", async () => {
  await control.arm({ kind: "latency", route: "refresh", rate: 1, count: 1, delay_ms: 600 });
  const first = accessOf(sessionsOf("one"));
  await expect.poll(refreshCount).toBe(1);
  aheadMs = 10 * MINUTE_MS;
  expect(await accessOf(sessionsOf("two"))).toBe(await first);
  expect(await refreshCount()).toBe(1);
});

test("an access token that is about to expire is replaced", async () => {
  const sessions = sessionsOf("one");
  const first = await accessOf(sessions);
  aheadMs = 2 * 60 * MINUTE_MS - 30_000;
  expect(await accessOf(sessions)).not.toBe(first);
  expect(await refreshCount()).toBe(2);
});

test("a 401 throws the token away; only a call that may be repeated is repeated", async () => {
  const sessions = sessionsOf("one");
  const used: string[] = [];
  const refusedOnce = (access: Secret): Promise<string> => {
    used.push(access.reveal());
    return used.length === 1 ? Promise.reject(new MarketplaceError("unauthorised")) : Promise.resolve("done");
  };
  expect(await sessions.withAccess(userId, refusedOnce, { retryOn401: true })).toBe("done");
  expect(new Set(used).size).toBe(2);

  used.length = 0;
  await expect(sessions.withAccess(userId, refusedOnce, { retryOn401: false })).rejects.toMatchObject({
    code: "unauthorised",
  });
  expect(used).toHaveLength(1);
  expect(await accessOf(sessions)).not.toBe(used[0]);
});

test("a lost refresh response is retried once, and a revoked session is reported to the person", async () => {
  await control.arm({ kind: "refresh_lost", route: "refresh", rate: 1 });
  await expect(accessOf(sessionsOf("one"))).rejects.toBeInstanceOf(MarketplaceError);
  expect(await refreshCount()).toBe(2);
});

/** A refresh that holds the claim and waits for its turn in the budget. */
async function heldRefresh(owner: string, changed: Partial<AccountSessionsDeps> = {}) {
  const turn = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const market = marketOf({
    take: () => {
      asked.resolve();
      return turn.promise;
    },
  });
  const refresh = accessOf(sessionsOf(owner, { marketplace: market, ...changed }));
  await asked.promise;
  return {
    refresh,
    letGo(afterMs: number) {
      aheadMs += afterMs;
      turn.resolve();
    },
    [Symbol.asyncDispose]: () => market[Symbol.asyncDispose](),
  };
}

test("a refresh whose turn comes after another process took it over sends nothing", async () => {
  await accessOf(sessionsOf("one"));
  aheadMs = 2 * 60 * MINUTE_MS;
  await using held = await heldRefresh("one");
  const access = await accessOf(sessionsOf("two", { clock: hasty }));
  held.letGo(31_000);
  await expect(held.refresh).rejects.toMatchObject({ code: "too_late", isDefinite: true });
  expect(await refreshCount()).toBe(2);
  expect(await accessOf(sessionsOf("one"))).toBe(access);
  expect((await testStore.store.settings.get(userId)).account.state).toBe("connected");
});

test("a refresh whose turn comes too late leaves its account free for the next one", async () => {
  await using held = await heldRefresh("one");
  held.letGo(31_000);
  await expect(held.refresh).rejects.toMatchObject({ code: "too_late" });
  expect(await refreshCount()).toBe(0);
  expect(await accessOf(sessionsOf("two"))).not.toBe("");
  expect(await refreshCount()).toBe(1);
});

test("a refresh whose node was counted out while it waited for its turn sends nothing", async () => {
  const { nodes } = testStore.store;
  await accessOf(sessionsOf("one"));
  aheadMs = 2 * 60 * MINUTE_MS;
  await nodes.join("one", -1_000);
  await using held = await heldRefresh("one", { isAlive: () => false });
  expect(await nodes.countOut(0)).toContain("one");
  const access = await accessOf(sessionsOf("two"));
  held.letGo(0);
  await expect(held.refresh).rejects.toMatchObject({ code: "too_late" });
  expect(await refreshCount()).toBe(2);
  expect(await accessOf(sessionsOf("two"))).toBe(access);
  expect((await testStore.store.settings.get(userId)).account.state).toBe("connected");
});

test("a lost refresh response is not retried once another process may refresh", async () => {
  await control.arm({ kind: "refresh_lost", route: "refresh", rate: 1 });
  let turns = 0;
  await using market = marketOf({
    take() {
      turns += 1;
      if (turns > 1) aheadMs += 31_000;
      return Promise.resolve();
    },
  });
  const lost = { code: "broken_connection", isDefinite: false };
  await expect(accessOf(sessionsOf("one", { marketplace: market }))).rejects.toMatchObject(lost);
  expect(await refreshCount()).toBe(1);
});

test("a captcha instead of new tokens is not asked for a second time", async () => {
  await control.arm({ route: "refresh", kind: "captcha", variant: "status_200", rate: 1 });
  await expect(accessOf(sessionsOf("one"))).rejects.toMatchObject({ code: "blocked" });
  expect(await refreshCount()).toBe(1);
});

test("a 429 of another shape instead of new tokens pauses the account and is not asked for a second time", async () => {
  let sent = 0;
  await using market = aMarketplaceAt("http://market.invalid", {
    clock,
    exchange: {
      async send() {
        sent += 1;
        return { status: 429, retryAfter: "60", text: "<html>Too many requests</html>" };
      },
      [Symbol.asyncDispose]: async () => undefined,
    },
  });
  const pausesMs: number[] = [];
  const calls = createAccountCalls({
    sessions: sessionsOf("one", { marketplace: market }),
    clock,
    log,
    onBlocked: async () => undefined,
    onPaused: async (_user, untilMs) => void pausesMs.push(untilMs - clock.nowMs()),
  });
  for (let n = 1; n <= 2; n += 1) {
    const asked = calls.call(userId, async () => undefined, { retryOn401: true });
    await expect(asked).rejects.toMatchObject({ code: "rate_limited" });
  }
  expect(sent).toBe(1);
  expect(pausesMs[0]).toBeGreaterThan(MINUTE_MS - 5_000);
  expect((await testStore.store.settings.get(userId)).account.state).toBe("connected");
});

test("an unknown refresh token asks the person to reconnect and is not sent again", async () => {
  await testStore.store.settings.change(userId, { refreshToken: new Secret("no-such-token") }, clock.nowMs());
  const sessions = sessionsOf("one");
  await expect(accessOf(sessions)).rejects.toMatchObject({ code: "session_refused" });
  expect((await testStore.store.settings.get(userId)).account.state).toBe("reconnect");
  await expect(accessOf(sessions)).rejects.toMatchObject({ code: "session_refused" });
  expect(await refreshCount()).toBe(1);

  await testStore.store.settings.change(
    userId,
    { refreshToken: new Secret(`sandbox-seeker-${people}`) },
    clock.nowMs(),
  );
  expect(await accessOf(sessions)).not.toBe("");
});

test("a token that the person saves during a refresh replaces the pair that is being refreshed", async () => {
  await control.arm({ kind: "latency", route: "refresh", rate: 1, count: 1, delay_ms: 400 });
  const sessions = sessionsOf("one");
  const underWay = accessOf(sessions);
  await expect.poll(refreshCount).toBe(1);
  await testStore.store.settings.change(
    userId,
    { refreshToken: new Secret("sandbox-somebody-new") },
    clock.nowMs(),
  );
  await expect(underWay).rejects.toMatchObject({ code: "unauthorised" });
  const saved = await testStore.store.settings.refreshToken(userId);
  expect(saved?.reveal()).toBe("sandbox-somebody-new");
});

test.each(["before", "after"])(
  "a refreshed pair is kept and the account stays connected when the store fails %s the write took effect",
  async (moment) => {
    const { accounts } = testStore.store;
    let breaks = 1;
    const breaking: AccountStore = {
      ...accounts,
      async saveRotation(...asked) {
        const isBreaking = breaks > 0;
        breaks -= 1;
        if (!isBreaking) return await accounts.saveRotation(...asked);
        if (moment === "after") await accounts.saveRotation(...asked);
        throw AWAY;
      },
    };
    const access = await accessOf(sessionsOf("node-1", { accounts: breaking }));
    expect(breaks).toBeLessThan(0);
    aheadMs += 24 * 60 * MINUTE_MS;
    expect(await accessOf(sessionsOf("node-2"))).not.toBe(access);
    expect(await accounts.tokens(userId)).toMatchObject({ state: "connected", generation: 3 });
  },
);

test("a refresh that waited is not sent once the marketplace has asked the account to wait", async () => {
  const sessions = sessionsOf("node-1");
  // Asked after the session was read for the call and for the refresh, before the refresh leaves.
  let reads = 0;
  const mayUse = () => {
    reads += 1;
    if (reads > 2) throw new MarketplaceError("rate_limited", { retryAfterMs: MINUTE_MS });
  };
  const asked = sessions.withAccess(userId, async () => undefined, { retryOn401: true, mayUse });
  await expect(asked).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: MINUTE_MS });
  expect(await refreshCount()).toBe(0);
  // Nothing was sent: another node need not wait until the claim is abandoned.
  await accessOf(sessionsOf("node-2"));
  expect(await refreshCount()).toBe(1);
});

test("a call about an account is not sent from another that was connected since", async () => {
  const sessions = sessionsOf("one");
  const { connectedAtMs = 0 } = (await testStore.store.accounts.tokens(userId)) ?? {};
  const options = { retryOn401: true, connectedAtMs };
  const used = await sessions.withAccess(userId, async (access) => access.reveal(), options);
  expect(used).not.toBe("");
  const refreshToken = new Secret(`sandbox-seeker-${people}-b`);
  await testStore.store.settings.change(userId, { refreshToken }, clock.nowMs() + 1);
  const isSent = vi.fn<() => Promise<void>>();
  await expect(sessions.withAccess(userId, isSent, options)).rejects.toMatchObject({ code: "unauthorised" });
  expect(isSent).not.toHaveBeenCalled();
  // Its own session is not thrown away for that.
  const later = await accessOf(sessions);
  expect(await accessOf(sessions)).toBe(later);
  expect(await refreshCount()).toBe(2);
});
