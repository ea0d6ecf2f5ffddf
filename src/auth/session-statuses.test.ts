import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { asSessionId, type SessionId, type UserId } from "#domain/ids.ts";
import type { SessionStore } from "#store/store.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { createSessionStatuses, type SessionStatuses } from "./session-statuses.ts";

const PAGES = 30;

let world: TestStore;
let pages: readonly { readonly id: SessionId; readonly userId: UserId }[];
beforeAll(async () => {
  world = await openTestStore();
  pages = await Promise.all(Array.from({ length: PAGES }, (_, n) => aPage(`page-${n}`)));
});
afterAll(() => world[Symbol.asyncDispose]());

async function aPage(name: string): Promise<{ readonly id: SessionId; readonly userId: UserId }> {
  const identity = {
    provider: "sandbox",
    providerId: name,
    login: name,
    displayName: "",
    email: "",
  } as const;
  const { user } = await world.store.users.signIn({ ...identity, pictureUrl: null }, 0);
  const id = asSessionId(name);
  const moments = { createdAtMs: 0, lastSeenAtMs: 0, device: "" };
  await world.store.sessions.create({ id, userId: user.id, ...moments });
  return { id, userId: user.id };
}

let asked: string[];
/** Runs between the read of statuses and its arrival. */
let beforeArrival: () => Promise<void>;
let clock: FakeClock;
let statuses: SessionStatuses;
beforeEach(() => {
  asked = [];
  beforeArrival = async () => undefined;
  clock = new FakeClock();
  const { sessions } = world.store;
  const watched: Pick<SessionStore, "statuses" | "statusChanges"> = {
    async statuses(ids) {
      asked.push(`statuses of ${ids.length}`);
      const found = await sessions.statuses(ids);
      await beforeArrival();
      return found;
    },
    async statusChanges(mark) {
      asked.push("changes");
      return await sessions.statusChanges(mark);
    },
  };
  statuses = createSessionStatuses({ sessions: watched, clock });
});

const askAll = () => Promise.all(pages.map(({ id }) => statuses.of(id)));
const isSuspended = async ({ id }: { readonly id: SessionId }): Promise<boolean | undefined> =>
  (await statuses.of(id))?.isSuspended;

test("the store is polled for changes once a second, however many pages are open", async () => {
  await askAll();
  asked.splice(0);
  for (let tenths = 0; tenths < 50; tenths += 1) {
    await askAll();
    await clock.advance(100);
  }
  expect(asked).toEqual(Array.from({ length: 4 }, () => "changes"));
});

test("a change is known within a second, and its person alone is read again", async () => {
  const page = await aPage("suspended");
  await askAll();
  await statuses.of(page.id);
  await world.store.users.setSuspended(page.userId, true);
  await clock.advance(1_000);
  asked.splice(0);
  expect(await isSuspended(page)).toBe(true);
  await askAll();
  expect(asked).toEqual(["changes", "statuses of 1"]);
});

test("a session that has ended is unknown, at once when it is read again", async () => {
  const [page, other] = [await aPage("ended"), await aPage("ended-too")];
  for (const { id } of [page, other]) await statuses.of(id);
  for (const { id } of [page, other]) await world.store.sessions.end(id, clock.nowMs());
  expect(await statuses.reread(page.id)).toBeNull();
  await clock.advance(1_000);
  expect(await statuses.of(other.id)).toBeNull();
});

test("a status that was read before a change and arrives after it is not kept", async () => {
  const page = await aPage("overtaken");
  await askAll();
  beforeArrival = async () => {
    beforeArrival = async () => undefined;
    await world.store.users.setSuspended(page.userId, true);
    await clock.advance(1_000);
    await askAll();
  };
  expect((await statuses.reread(page.id))?.isSuspended).toBe(false);
  expect(await isSuspended(page)).toBe(true);
});

test("after a long pause everything is read again", async () => {
  await askAll();
  await clock.advance(31 * 60_000);
  asked.splice(0);
  await askAll();
  expect(asked).toEqual(["changes", `statuses of ${PAGES}`]);
});
