import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ProductEvent } from "#domain/events.ts";
import type { UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { createEventBus } from "#server/events.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import {
  createSessions,
  MAX_SESSIONS_PER_USER,
  SESSION_ABSOLUTE_MS,
  SESSION_IDLE_MS,
  sessionIdOf,
  type Sessions,
} from "./sessions.ts";

let world: TestStore;
let clock: FakeClock;
let sessions: Sessions;
let ended: ProductEvent[];
let personCount = 0;

beforeAll(async () => {
  world = await openTestStore();
});
afterAll(() => world[Symbol.asyncDispose]());

beforeEach(() => {
  clock = new FakeClock();
  ended = [];
  const events = createEventBus(createQuietLog());
  events.subscribe((event) => void ended.push(event));
  sessions = createSessions({ sessions: world.store.sessions, events, clock });
});

async function aPerson(): Promise<UserId> {
  personCount += 1;
  const { user } = await world.store.users.signIn(
    {
      provider: "discord",
      providerId: `person-${personCount}`,
      login: `person-${personCount}`,
      displayName: "",
      email: "same@example.org",
      pictureUrl: null,
    },
    clock.nowMs(),
  );
  await world.store.users.setPlan(user.id, "seeker", null);
  return user.id;
}

const sentBack = (setCookie: string): string => setCookie.split(";", 1)[0] ?? "";

async function startFor(userId: UserId): Promise<string> {
  return sentBack((await sessions.start(userId)).cookie);
}

function idOf(cookie: string) {
  const id = sessionIdOf(cookie);
  if (id === null) throw new Error("no session in the cookie");
  return id;
}

test("start() gives a cookie of 256 bits that no script, other host or other site sees", async () => {
  const { cookie } = await sessions.start(await aPerson());
  expect(cookie).toMatch(
    /^__Host-sid=[\w-]{43}; Path=\/; Max-Age=2592000; Secure; HttpOnly; SameSite=Strict$/,
  );
});

test("visitor() finds the person of the cookie, and none for any other", async () => {
  const userId = await aPerson();
  const cookie = await startFor(userId);
  expect(await sessions.visitor(`other=1; ${cookie}`)).toMatchObject({
    user: { id: userId },
    level: 1,
    sessionId: idOf(cookie),
  });
  const unknown = `__Host-sid=${"A".repeat(43)}`;
  for (const header of [undefined, "", unknown, `${cookie}x`, cookie.slice(0, -1), `${cookie}; ${unknown}`])
    expect(await sessions.visitor(header)).toBeNull();
});

test("the store holds nothing that opens a session", async () => {
  const userId = await aPerson();
  const cookie = await startFor(userId);
  const [stored] = await world.store.sessions.ofUser(userId);
  expect(stored?.id).toBe(idOf(cookie));
  expect(cookie).not.toContain(stored?.id);
  expect(await sessions.visitor(`__Host-sid=${stored?.id ?? ""}`)).toBeNull();
});

test("the end of a plan, a new plan and a suspension apply at the next call", async () => {
  const userId = await aPerson();
  const cookie = await startFor(userId);
  const levelNow = async () => (await sessions.visitor(cookie))?.level;
  await world.store.users.setPlan(userId, "thunder", clock.nowMs() + 1_000);
  expect(await levelNow()).toBe(2);
  await clock.advance(1_000);
  expect(await levelNow()).toBe(0);
  await world.store.users.setPlan(userId, "acquire", null);
  expect(await levelNow()).toBe(1);
  await world.store.users.setSuspended(userId, true);
  expect(await levelNow()).toBe(0);
});

test("a session ends after a day without a call, and that is published", async () => {
  const userId = await aPerson();
  const cookie = await startFor(userId);
  await clock.advance(SESSION_IDLE_MS - 1);
  expect(await sessions.visitor(cookie)).not.toBeNull();
  await clock.advance(SESSION_IDLE_MS);
  expect(await sessions.visitor(cookie)).toBeNull();
  expect(ended).toEqual([{ kind: "session_ended", userId, sessionId: idOf(cookie) }]);
  expect(await world.store.sessions.ofUser(userId)).toEqual([]);
});

test("a session ends after thirty days, however often it is used", async () => {
  const cookie = await startFor(await aPerson());
  const endMs = clock.nowMs() + SESSION_ABSOLUTE_MS;
  while (clock.nowMs() + SESSION_IDLE_MS / 2 < endMs) {
    await clock.advance(SESSION_IDLE_MS / 2);
    expect(await sessions.visitor(cookie)).not.toBeNull();
  }
  await clock.advance(endMs - clock.nowMs());
  expect(await sessions.visitor(cookie)).toBeNull();
});

test("use is written at most once a minute", async () => {
  const userId = await aPerson();
  const cookie = await startFor(userId);
  const startMs = clock.nowMs();
  const lastSeenMs = async () => (await world.store.sessions.ofUser(userId))[0]?.lastSeenAtMs;
  await clock.advance(59_999);
  await sessions.visitor(cookie);
  expect(await lastSeenMs()).toBe(startMs);
  await clock.advance(1);
  await sessions.visitor(cookie);
  expect(await lastSeenMs()).toBe(startMs + 60_000);
});

test("end() ends a session once and publishes it once", async () => {
  const userId = await aPerson();
  const cookie = await startFor(userId);
  await sessions.end(idOf(cookie));
  await sessions.end(idOf(cookie));
  expect(await sessions.visitor(cookie)).toBeNull();
  expect(ended).toEqual([{ kind: "session_ended", userId, sessionId: idOf(cookie) }]);
});

test("start() kills the session that it replaces, whosever it was", async () => {
  const lea = await aPerson();
  const max = await aPerson();
  const old = await startFor(lea);
  const { cookie } = await sessions.start(max, { replaced: idOf(old) });
  expect(await sessions.visitor(old)).toBeNull();
  expect(await sessions.visitor(sentBack(cookie))).toMatchObject({ user: { id: max } });
  expect(ended).toEqual([{ kind: "session_ended", userId: lea, sessionId: idOf(old) }]);
});

/** A device with push alerts, added by the session of a cookie. */
async function addDevice(userId: UserId, cookie: string): Promise<void> {
  const id = randomUUID();
  const events = { articles: true, purchases: true, account: true, summary: true };
  const common = { id, userId, channel: "push" as const, name: "", address: new Secret(id), identity: id };
  const device = { ...common, events, sessionId: idOf(cookie), nowMs: clock.nowMs() };
  await world.store.alerts.destinations.connect(device, 10);
}

const deviceCount = async (userId: UserId) => (await world.store.alerts.destinations.ofUser(userId)).length;

test.each([
  ["a moment", 0],
  ["two days", 2 * SESSION_IDLE_MS],
])(
  "who signs in %s later in the same browser ends the alerts of another person there",
  async (_, laterMs) => {
    const [lea, max] = [await aPerson(), await aPerson()];
    const old = await startFor(lea);
    await addDevice(lea, old);
    await clock.advance(laterMs);
    await sessions.visitor(old);
    expect(await deviceCount(lea)).toBe(1);
    await sessions.start(max, { replaced: idOf(old) });
    expect(await deviceCount(lea)).toBe(0);
  },
);

test("who signs in again in the same browser keeps its alerts", async () => {
  const lea = await aPerson();
  const old = await startFor(lea);
  await addDevice(lea, old);
  await sessions.start(lea, { replaced: idOf(old) });
  expect(await deviceCount(lea)).toBe(1);
});

test("a person has five sessions at most: the oldest end", async () => {
  const userId = await aPerson();
  const cookies: string[] = [];
  for (let count = 0; count < MAX_SESSIONS_PER_USER + 2; count += 1) {
    cookies.push(await startFor(userId));
    await clock.advance(1_000);
  }
  const alive = await Promise.all(cookies.map(async (cookie) => (await sessions.visitor(cookie)) !== null));
  expect(alive).toEqual([false, false, true, true, true, true, true]);
});

test("expired sessions do not count among the five", async () => {
  const userId = await aPerson();
  const oldest = await startFor(userId);
  await clock.advance(1_000);
  for (let count = 1; count < MAX_SESSIONS_PER_USER; count += 1) await startFor(userId);
  await clock.advance(SESSION_IDLE_MS / 2);
  await sessions.visitor(oldest);
  await clock.advance(SESSION_IDLE_MS / 2);
  await startFor(userId);
  expect(await sessions.visitor(oldest)).not.toBeNull();
});

test("twenty sign-ins at the same moment leave five sessions at most", async () => {
  const userId = await aPerson();
  await Promise.all(Array.from({ length: 20 }, () => sessions.start(userId)));
  expect((await world.store.sessions.ofUser(userId)).length).toBeLessThanOrEqual(MAX_SESSIONS_PER_USER);
});

test("endAll() ends every session of one person and no other", async () => {
  const lea = await aPerson();
  const max = await aPerson();
  const cookies = [await startFor(lea), await startFor(lea)];
  const other = await startFor(max);
  await sessions.endAll(lea);
  for (const cookie of cookies) expect(await sessions.visitor(cookie)).toBeNull();
  expect(await sessions.visitor(other)).not.toBeNull();
  expect(ended).toHaveLength(2);
});

test("prune() deletes expired sessions and keeps live ones", async () => {
  const userId = await aPerson();
  await startFor(userId);
  await clock.advance(SESSION_IDLE_MS + 1);
  const alive = await startFor(userId);
  await sessions.prune();
  expect((await world.store.sessions.ofUser(userId)).map(({ id }) => id)).toEqual([idOf(alive)]);
});
