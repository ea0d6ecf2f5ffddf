import { expect, test } from "vitest";
import { createSessions } from "#auth/sessions.ts";
import { asPurchaseId } from "#domain/ids.ts";
import type { PurchasingOperator } from "#purchasing/purchasing.ts";
import { aListing } from "#testing/a-listing.ts";
import { createQuietLog } from "#testing/quiet-log.ts";
import { openTestStore } from "#testing/test-store.ts";
import { A_MOMENT_MS, FakeClock } from "#testing/fake-clock.ts";
import { eraseOwnAccount } from "./erase-person.ts";
import { createEventBus } from "./events.ts";

async function whoLeaves(login: string) {
  const opened = await openTestStore();
  const { store } = opened;
  const identity = { provider: "sandbox", providerId: login, login, displayName: login } as const;
  const { user } = await store.users.signIn({ ...identity, email: "", pictureUrl: null }, A_MOMENT_MS);
  const clock = new FakeClock();
  const events = createEventBus(createQuietLog());
  const sessions = createSessions({ sessions: store.sessions, events, clock });
  /** A click of theirs commits right before the stop that nothing of them can pass any more. */
  const stop: PurchasingOperator["stop"] = async () => {
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
        hadDoubt: false,
      }),
    );
    await store.purchases.stopAccount(user.id, "erasure", A_MOMENT_MS);
  };
  const missing = () => Promise.reject(new Error("not asked"));
  const operator = { stop, resume: missing, resolve: missing, stops: missing };
  const deps = { store, sessions, purchasing: { operator }, events, clock };
  return { ...opened, user, leave: () => eraseOwnAccount(user, deps) };
}

test("whose purchase began in the last moment stays, and can come back to follow it", async () => {
  await using person = await whoLeaves("acquire-presque");
  const { store, user } = person;
  expect(await person.leave()).toBe("open_purchases");
  expect(await store.users.byId(user.id)).toMatchObject({ isSuspended: false });
  expect(await store.purchases.accountStop(user.id)).toBeNull();
  expect(await store.purchases.journal(user.id, 10)).toHaveLength(1);
});

test("a stop that the operator threw outlives such an attempt", async () => {
  await using person = await whoLeaves("acquire-arret");
  const { store, user } = person;
  await store.purchases.stopAccount(user.id, "fraud", A_MOMENT_MS);
  expect(await person.leave()).toBe("open_purchases");
  expect(await store.purchases.accountStop(user.id)).toEqual({ untilMs: null, reason: "fraud" });
});
