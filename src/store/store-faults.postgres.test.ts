import { eq, sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { asListingId } from "#domain/ids.ts";
import type { User } from "#domain/user.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { aProposal, admitted } from "./purchases/purchases-under-test.suite.ts";
import type { Tx } from "./engines/db.ts";
import { lockPerson } from "./purchases/buying-accounts.ts";
import type { OpenStore } from "./open-store.ts";
import type { ProposalOutcome } from "./purchase-store.ts";
import { budgets, ledger, purchases } from "./schema/purchase-tables.ts";
import { users } from "./schema/tables.ts";
import { isStoreAway } from "./errors.ts";
import { NOW_MS, aPersonOf, postgresForAll, rowsOf, storeForAll } from "./suite-store.suite.ts";

const at = storeForAll(postgresForAll());
let store: OpenStore;
let user: User;
beforeAll(() => {
  store = at();
});
beforeEach(async () => {
  user = await aPersonOf(store);
});

const propose = (): Promise<ProposalOutcome<string>> =>
  store.purchases.propose(aProposal(user), () => admitted());

/** Blocks decisions about the person until the transaction ends. */
async function holdDecisions(tx: Tx): Promise<void> {
  await lockPerson(tx, user.id);
}

/** The backend that waits for the lock, in the middle of its transaction. */
async function waitingSession(): Promise<number> {
  const isWaiting = sql`select pid from pg_stat_activity where wait_event_type = 'Lock'
    and datname = current_database() and query like '-- OPEN%' and pid <> pg_backend_pid()`;
  // A backend seen before may be missing from a single read.
  const found: unknown[] = [];
  await expect
    .poll(async () => {
      const rows = await rowsOf(store, isWaiting);
      found.splice(0, Infinity, ...rows.map(({ pid }) => pid));
      return found.length;
    })
    .toBe(1);
  return Number(found[0]);
}

it("one locked person does not delay the other proposals of a batch", async () => {
  const others = await Promise.all(Array.from({ length: 5 }, () => aPersonOf(store)));
  const blocked = await store.db.transaction(async (tx) => {
    await holdDecisions(tx);
    let isDecided = false;
    const ofBlocked = propose().finally(() => {
      isDecided = true;
    });
    const outcomes = await Promise.all(
      others.map((other) => store.purchases.propose(aProposal(other), () => admitted())),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(others.map(() => "opened"));
    expect(isDecided).toBe(false);
    return { ofBlocked };
  });
  expect(await blocked.ofBlocked).toMatchObject({ kind: "opened" });
});

it("an erasure under way prevents writes for its person, and delays nobody else", async () => {
  const other = await aPersonOf(store);
  const origin = { firstSeenAtMs: 1, leafIds: [], usual: null };
  const [theirs, gone] = [aProposal(other, { origin }), aProposal(user, { origin })];
  const opening = await store.db.transaction(async (tx) => {
    await lockPerson(tx, user.id);
    const ofGone = store.purchases.propose(gone, ({ user: person }) =>
      person === null ? { kind: "refuse", refusal: "nobody" } : admitted(),
    );
    expect(await store.purchases.propose(theirs, () => admitted())).toMatchObject({ kind: "opened" });
    await tx.execute(sql`delete from buying_accounts where user_id = ${user.id}`);
    await tx.delete(users).where(eq(users.id, user.id));
    return { ofGone };
  });
  expect(await opening.ofGone).toEqual({ kind: "refused", refusal: "nobody" });
  expect(await store.stories.story(theirs)).toMatchObject({ origin: { firstSeenAtMs: 1 } });
  expect(await store.stories.story(gone)).toBeNull();
});

describe("a decision about money whose session is interrupted", () => {
  it.each([
    ["by a killed backend", sql`pg_terminate_backend`],
    // A cancelled query reports the same code as a statement timeout, without the wait.
    ["by a statement timeout", sql`pg_cancel_backend`],
  ])("%s rolls back, fails as retryable, and succeeds when retried", async (_how, end) => {
    let failure: unknown = null;
    await store.db.transaction(async (tx) => {
      await holdDecisions(tx);
      const proposing = propose().catch((error: unknown) => {
        failure = error;
      });
      await tx.execute(sql`select ${end}(${await waitingSession()}::int)`);
      await proposing;
    });
    expect(isStoreAway(failure)).toBe(true);
    for (const table of [purchases, budgets, ledger])
      expect(await store.db.$count(table, eq(table.userId, user.id))).toBe(0);

    expect(await propose()).toMatchObject({ kind: "opened" });
    expect(await store.purchases.totals(user.id, "2030-03-17")).toMatchObject({
      heldCents: 1_000,
      purchases: 1,
    });
    expect(await store.purchases.auditLedger(NOW_MS)).toEqual([]);
  });

  it("on a connection that ends between two statements loses the whole transaction", async () => {
    const listing = aListing({ id: asListingId(99_000) });
    const broken = store.db.transaction(async (tx) => {
      await tx.insert(budgets).values({
        userId: user.id,
        period: "2030-03-17",
        capCents: 1,
        heldCents: 0,
        capturedCents: 0,
        extraCents: listing.totalPriceCents,
        purchases: 0,
      });
      const [row] = await rowsOf({ db: tx }, sql`select pg_backend_pid() as pid`);
      await store.db.execute(sql`select pg_terminate_backend(${Number(row?.["pid"])}::int)`);
      await tx.execute(sql`select 1`);
    });
    await expect(broken).rejects.toSatisfy(isStoreAway);
    expect(await store.db.$count(budgets, eq(budgets.userId, user.id))).toBe(0);
  });
});
