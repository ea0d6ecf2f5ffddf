import { expect, test } from "vitest";
import { createSessions } from "#auth/sessions.ts";
import { asPurchaseId, type UserId } from "#domain/ids.ts";
import type { User } from "#domain/user.ts";
import type { PurchaseStore } from "#store/purchase-store.ts";
import type { Store } from "#store/store.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { A_MOMENT_MS, FakeClock } from "#verify/testing/fake-clock.ts";
import { eraseOwnAccount } from "./erase-person.ts";
import { createEventBus } from "./events.ts";

interface ErasureRace {
  readonly clicks?: boolean;
  /** false: the click commits after the last count of open purchases. */
  readonly isCounted?: boolean;
  /** An action of the operator during the erasure. */
  readonly meanwhile?: (store: Store, user: User) => Promise<void>;
}

async function erasingPerson(login: string, race: ErasureRace = {}) {
  const { clicks = true, isCounted = true, meanwhile: act } = race;
  const opened = await openTestStore();
  const { store } = opened;
  const identity = { provider: "sandbox", providerId: login, login, displayName: login } as const;
  const { user } = await store.users.signIn({ ...identity, email: "", pictureUrl: null }, A_MOMENT_MS);
  const clock = new FakeClock();
  const events = createEventBus(createQuietLog());
  const sessions = createSessions({ sessions: store.sessions, events, clock });
  /** Commits a click right before the stop that blocks all later ones. */
  const stopAfterClick: PurchaseStore["stopUnlessStopped"] = async (userId, reason) => {
    await store.purchases.propose(
      {
        id: asPurchaseId(`last-${login}`),
        userId: user.id,
        listing: aListing(),
        source: "click",
        filterId: null,
        wishedAtMs: A_MOMENT_MS,
        nowMs: A_MOMENT_MS,
        dayKey: "2030-03-17",
        monthKey: "2030-03",
        owner: "node-1",
        leaseUntilMs: A_MOMENT_MS + 30_000,
      },
      () => ({
        kind: "admit",
        mode: "live",
        lane: "click",
        epoch: 0,
        priceCapCents: 2_000,
        holdCents: 1_120,
        paymentMethodId: 1,
        hadUnknownOutcome: false,
      }),
    );
    await store.purchases.stopUnlessStopped(userId, reason);
    await act?.(store, user);
  };
  const missing = () => Promise.reject(new Error("not asked"));
  const operator = { stop: missing, resume: missing, resolve: missing, stops: missing };
  const openCount = async (userId: UserId) => (isCounted ? await store.purchases.openCount(userId) : 0);
  const purchases = { ...store.purchases, openCount, ...(clicks && { stopUnlessStopped: stopAfterClick }) };
  const watched = { ...store, purchases };
  const log = createQuietLog();
  const deps = { store: watched, sessions, purchasing: { operator }, events, clock, log };
  const leave = (users = store.users) => eraseOwnAccount(user, { ...deps, store: { ...watched, users } });
  return { ...opened, user, leave, events, logged: log.lines };
}

test("a person whose purchase began at the last moment is not erased, and can sign in to follow it", async () => {
  await using person = await erasingPerson("acquire-presque");
  const { store, user } = person;
  expect(await person.leave()).toBe("open_purchases");
  expect(await store.users.byId(user.id)).toMatchObject({ isSuspended: false });
  expect(await store.purchases.accountStop(user.id)).toBeNull();
  expect(await store.purchases.journal(user.id, 10)).toHaveLength(1);
});

test.each<[string, NonNullable<ErasureRace["meanwhile"]>]>([
  ["a suspension", (store, user) => store.users.setSuspended(user.id, true)],
  ["a stop", (store, user) => store.purchases.stopAccount(user.id, "operator")],
])("%s set by the operator meanwhile is kept after such an attempt", async (name, meanwhile) => {
  await using person = await erasingPerson(`acquire-${name.replace(" ", "-")}`, { meanwhile });
  const { store, user } = person;
  expect(await person.leave()).toBe("open_purchases");
  const isSuspended = (await store.users.byId(user.id))?.isSuspended;
  const stop = await store.purchases.accountStop(user.id);
  expect([isSuspended, stop?.reason]).toEqual(name === "a stop" ? [false, "operator"] : [true, undefined]);
});

test.each<[string, NonNullable<ErasureRace["meanwhile"]>]>([
  ["suspended", (store, user) => store.users.setSuspended(user.id, true)],
  ["stopped", (store, user) => store.purchases.stopAccount(user.id, "operator")],
])("a person whom the operator has %s cannot erase their account", async (_what, act) => {
  await using person = await erasingPerson("acquire-retenu", { clicks: false });
  const { store, user } = person;
  await act(store, user);
  const before = await store.purchases.accountStop(user.id);
  expect(await person.leave()).toBe("barred");
  expect(await store.users.byId(user.id)).not.toBeNull();
  expect(await store.purchases.accountStop(user.id)).toEqual(before);
});

test("the log keeps the id of an erased person, and nothing else of them", async () => {
  await using person = await erasingPerson("acquire-trace", { clicks: false });
  const { user } = person;
  expect(await person.leave()).toBe("erased");
  const fields = { userId: user.id, kind: "self_erase" };
  expect(person.logged).toEqual([{ level: "info", fields, message: "a person is erased" }]);
  await using staying = await erasingPerson("acquire-reste");
  expect(await staying.leave()).toBe("open_purchases");
  expect(staying.logged).toEqual([]);
});

test("an interrupted erasure can be repeated, also while the marketplace pauses the account", async () => {
  await using person = await erasingPerson("acquire-reprise", { clicks: false });
  const { store, user } = person;
  await store.purchases.pauseAccount(user.id, "403", A_MOMENT_MS);
  await store.purchases.stopUnlessStopped(user.id, "erasure");
  expect(await person.leave()).toBe("erased");
  expect(await store.users.byId(user.id)).toBeNull();
});

test("an erasure that fails does not keep the person from buying, and can be repeated", async () => {
  await using person = await erasingPerson("acquire-panne", { clicks: false });
  const { store, user } = person;
  const failing = { ...store.users, erase: () => Promise.reject(new Error("too slow")) };
  await expect(person.leave(failing)).rejects.toThrow("too slow");
  expect(await store.users.byId(user.id)).not.toBeNull();
  expect(await store.purchases.accountStop(user.id)).toBeNull();
  expect(await person.leave()).toBe("erased");
});

test("an erasure whose answer is lost is announced to the other parts of the product", async () => {
  await using person = await erasingPerson("acquire-reponse", { clicks: false });
  const { store, user } = person;
  const losing = {
    ...store.users,
    erase: async (...args: Parameters<typeof store.users.erase>) => {
      await store.users.erase(...args);
      throw new Error("connection lost");
    },
  };
  const heard: string[] = [];
  person.events.subscribe(({ kind }) => void heard.push(kind));
  await expect(person.leave(losing)).rejects.toThrow("connection lost");
  expect(await store.users.byId(user.id)).toBeNull();
  expect(heard).toContain("filters_changed");
});

test("a person who signs in during their erasure, and may buy again, is not erased", async () => {
  const meanwhile = (store: Store, user: User) => store.purchases.endAccountStop(user.id, "erasure");
  // The purchase that then begins is not counted any more.
  await using person = await erasingPerson("acquire-revient", { meanwhile, isCounted: false });
  const { store, user } = person;
  await expect(person.leave()).rejects.toThrow("signed in");
  expect(await store.purchases.journal(user.id, 10)).toHaveLength(1);
});
