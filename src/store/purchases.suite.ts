import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { asFilterId, asListingId, asPurchaseId } from "#domain/ids.ts";
import type { UserId } from "#domain/ids.ts";
import type { MoneyLimits } from "#domain/settings.ts";
import type { User } from "#domain/user.ts";
import { Secret } from "#domain/secret.ts";
import { aFilter } from "#testing/a-filter.ts";
import { aListing } from "#testing/a-listing.ts";
import { budgets, ledger, purchaseAttempts } from "./purchase-schema.ts";
import type {
  Admission,
  Change,
  MoneyMove,
  Proposal,
  ProposalFacts,
  PurchaseRecord,
  PurchaseStore,
} from "./purchase-store.ts";
import type { OpenStore } from "./open-store.ts";
import { lockPerson, readProposalFacts } from "./purchases-facts.ts";
import type { AuditEntry, FilterStore, SettingsStore, UserStore } from "./store.ts";
import { NOW_MS, aPersonOf } from "./suite-store.suite.ts";

/** A store that keeps the books of buying, and what lies in its tables behind the ports. */
export interface BooksUnderTest {
  readonly users: Pick<UserStore, "signIn" | "setPlan" | "setSuspended">;
  readonly settings: Pick<SettingsStore, "get" | "change">;
  readonly filters: Pick<FilterStore, "add">;
  readonly purchases: PurchaseStore;
  readonly behind: BehindTheBooks;
}

export interface BehindTheBooks {
  /** What the audit says of somebody. */
  auditOf(userId: UserId): Promise<readonly AuditEntry[]>;
  budgetsOf(userId: UserId): Promise<readonly (typeof budgets.$inferSelect)[]>;
  /** Oldest first. */
  ledgerOf(userId: UserId): Promise<readonly Pick<typeof ledger.$inferSelect, "kind" | "amountCents">[]>;
  /** Makes every budget of the period say something else than its ledger. */
  miscount(period: string, heldCents: number): Promise<void>;
}

/** The same of a store with tables of SQL. */
export function booksOf(store: OpenStore): BooksUnderTest {
  const { db, users, settings, filters, purchases, audit } = store;
  const behind: BehindTheBooks = {
    auditOf: (userId) => audit.ofUser(userId, 100),
    budgetsOf: (userId) => db.select().from(budgets).where(eq(budgets.userId, userId)),
    ledgerOf: (userId) => db.select().from(ledger).where(eq(ledger.userId, userId)).orderBy(ledger.id),
    async miscount(period, heldCents) {
      await db.update(budgets).set({ heldCents }).where(eq(budgets.period, period));
    },
  };
  return { users, settings, filters, purchases, behind };
}

export interface PurchasesUnderTest {
  /** For tests that mind only what they put in themselves. */
  readonly shared: () => BooksUnderTest;
  /** For those that count what is in the whole store. */
  readonly open: () => Promise<AsyncDisposable & { readonly store: BooksUnderTest }>;
}

const DAY = "2030-03-17";
const MONTH = "2030-03";

let count = 0;

function aProposal(user: User, traits: Partial<Proposal> & { readonly listingId?: number } = {}): Proposal {
  count += 1;
  const { listingId = 7_000_000 + count, ...others } = traits;
  return {
    id: asPurchaseId(`purchase-${count}`),
    userId: user.id,
    listing: aListing({ id: listingId, totalPriceCents: 1_000 }),
    source: "auto",
    filterId: null,
    wishedAtMs: NOW_MS,
    nowMs: NOW_MS,
    dayKey: DAY,
    monthKey: MONTH,
    owner: "node-1",
    leaseUntilMs: NOW_MS + 30_000,
    ...others,
  };
}

const admitted = (
  traits: Partial<Extract<Admission<string>, { kind: "admit" }>> = {},
): Admission<string> => ({
  kind: "admit",
  mode: "live",
  lane: "acquire",
  epoch: 0,
  priceCapCents: 5_000,
  holdCents: 1_000,
  paymentMethodId: 1,
  hadDoubt: false,
  ...traits,
});

/** What a rule of buying decides, as far as these tests need one. */
function withinLimits({ spending, own, rivalState }: ProposalFacts): Admission<string> {
  const { limits, day, month } = spending;
  if (spending.isEveryoneStopped || limits.isStopped) return { kind: "refuse", refusal: "stopped" };
  if (own.length > 0) return { kind: "refuse", refusal: "already" };
  if (rivalState !== null) return { kind: "refuse", refusal: "taken" };
  const spent = (totals: typeof day): number => totals.heldCents + totals.capturedCents + totals.extraCents;
  const isWithin = spent(day) + 1_000 <= limits.dayEur * 100 && spent(month) + 1_000 <= limits.monthEur * 100;
  return isWithin ? admitted() : { kind: "refuse", refusal: "limit" };
}

const changed = (
  next: PurchaseRecord,
  money: readonly MoneyMove[] = [],
  traits: Partial<Change> = {},
): Change => ({ next, money, attempts: [], stopsUser: false, ...traits });

function released(record: PurchaseRecord): Change {
  const next = { ...record, state: "failed" as const, holdCents: 0, leaseOwner: null, dueAtMs: null };
  return changed(next, [{ kind: "release", heldCents: record.holdCents }]);
}

function captured(record: PurchaseRecord, chargedCents: number): Change {
  const next = {
    ...record,
    state: "confirmed" as const,
    holdCents: 0,
    chargedCents,
    transactionId: 42,
    reachedCheckout: true,
    leaseOwner: null,
    dueAtMs: null,
  };
  return changed(next, [{ kind: "capture", heldCents: record.holdCents, cents: chargedCents }]);
}

export function describePurchases({ shared, open }: PurchasesUnderTest): void {
  const at = shared;

  async function opened(user: User, traits: Parameters<typeof aProposal>[1] = {}): Promise<PurchaseRecord> {
    const outcome = await at().purchases.propose(aProposal(user, traits), () => admitted());
    if (outcome.kind !== "opened") throw new Error(`not opened: ${outcome.kind}`);
    return outcome.record;
  }

  const limit = (user: User, limits: Partial<MoneyLimits>): Promise<void> =>
    at().settings.change(user.id, { limits }, NOW_MS);

  const budgetsOf = (user: User) => at().behind.budgetsOf(user.id);

  describe("a proposal", () => {
    test("opens an intent with its hold, in the budgets of its day and month and in the ledger", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      expect(await at().purchases.record(record)).toEqual(record);
      expect(record).toMatchObject({ state: "intent", holdCents: 1_000, leaseOwner: "node-1" });
      for (const period of [DAY, MONTH])
        expect(await at().purchases.totals(user.id, period)).toEqual({
          heldCents: 1_000,
          capturedCents: 0,
          extraCents: 0,
          purchases: 1,
        });
      expect(await at().purchases.totals(user.id, "1999-01-01")).toMatchObject({ heldCents: 0 });
      expect(await budgetsOf(user)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ period: DAY, heldCents: 1_000, capCents: 30_000, purchases: 1 }),
          expect.objectContaining({ period: MONTH, heldCents: 1_000, capCents: 200_000, purchases: 1 }),
        ]),
      );
      expect(await at().purchases.auditBooks(NOW_MS)).toEqual([]);
    });

    test("of a simulation is confirmed at once and holds no money", async () => {
      const user = await aPersonOf(at());
      const outcome = await at().purchases.propose(aProposal(user), () => admitted({ mode: "simulation" }));
      expect(outcome).toMatchObject({
        kind: "opened",
        record: { state: "confirmed", holdCents: 0, dueAtMs: null },
      });
      expect(await budgetsOf(user)).toEqual([]);
    });

    test("that is refused, or whose decision fails, leaves nothing behind", async () => {
      const user = await aPersonOf(at());
      const refused = await at().purchases.propose(aProposal(user), () => ({
        kind: "refuse",
        refusal: "no",
      }));
      expect(refused).toEqual({ kind: "refused", refusal: "no" });
      const failing = at().purchases.propose(aProposal(user), () => {
        throw new Error("undecided");
      });
      await expect(failing).rejects.toThrow();
      expect(await at().purchases.journal(user.id, 10)).toEqual([]);
    });

    test("sees the person, the account, the filter and what is under way", async () => {
      const user = await aPersonOf(at());
      await at().users.setPlan(user.id, "acquire", null);
      await at().settings.change(user.id, { refreshToken: new Secret("a-token-of-theirs") }, NOW_MS);
      const filterId = asFilterId(`filter-${count}-facts`);
      await at().filters.add(aFilter({ id: filterId, userId: user.id, isAutobuy: true, maxPurchases: 3 }), 9);
      const first = await opened(user, { filterId });
      const seen: ProposalFacts[] = [];
      await at().purchases.propose(aProposal(user, { filterId, listingId: first.listingId }), (facts) => {
        seen.push(facts);
        return { kind: "refuse", refusal: "seen" };
      });
      expect(seen[0]).toMatchObject({
        user: { plan: "acquire", isSuspended: false },
        accountState: "connected",
        filter: { isAutobuy: true, maxPurchases: 3, priceCapEur: 100 },
        beingPaidCount: 1,
        own: [{ id: first.id }],
        rivalState: "intent",
        filterPurchases: { live: 1, simulation: 0 },
        spending: { isFilterOff: false, day: { heldCents: 1_000, purchases: 1 } },
      });
    });

    test("sees nothing of another person's filter, and nothing to spend for nobody", async () => {
      const [owner, stranger] = [await aPersonOf(at()), await aPersonOf(at())];
      const filterId = asFilterId(`filter-${count}-foreign`);
      await at().filters.add(aFilter({ id: filterId, userId: owner.id, isAutobuy: true }), 9);
      const seen: ProposalFacts[] = [];
      const look = (facts: ProposalFacts): Admission<string> => {
        seen.push(facts);
        return { kind: "refuse", refusal: "seen" };
      };
      await at().purchases.propose(aProposal(stranger, { filterId }), look);
      await at().purchases.propose(
        aProposal({ ...stranger, id: "nobody" as typeof stranger.id }, { filterId }),
        look,
      );
      expect(seen[0]).toMatchObject({ filter: null, spending: { isFilterOff: true } });
      expect(seen[1]).toMatchObject({
        user: null,
        accountState: "absent",
        spending: { isAccountStopped: true, limits: { dayEur: 0 } },
      });
    });

    test("made 100 times at once for one listing opens one intent", async () => {
      const user = await aPersonOf(at());
      const listingId = 8_000_001;
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, () =>
          at().purchases.propose(aProposal(user, { listingId }), withinLimits),
        ),
      );
      expect(outcomes.filter(({ kind }) => kind === "opened")).toHaveLength(1);
      expect(await at().purchases.journal(user.id, 10)).toHaveLength(1);
    });

    test("of many people for one listing opens one intent, and the others see whose turn it is", async () => {
      const people = await Promise.all(Array.from({ length: 10 }, () => aPersonOf(at())));
      const listingId = 8_000_002;
      const propose = (user: User) => at().purchases.propose(aProposal(user, { listingId }), withinLimits);
      const outcomes = await Promise.all(people.map(propose));
      expect(outcomes.filter(({ kind }) => kind === "opened")).toHaveLength(1);
      const again = await Promise.all(people.map(propose));
      for (const outcome of again) expect(outcome.kind).toBe("refused");
    });

    test("never spends beyond a limit, however many come at once", async () => {
      const user = await aPersonOf(at());
      await limit(user, { dayEur: 73, monthEur: 2_000 });
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, () => at().purchases.propose(aProposal(user), withinLimits)),
      );
      expect(outcomes.filter(({ kind }) => kind === "opened")).toHaveLength(7);
      const [day] = (await budgetsOf(user)).filter(({ period }) => period === DAY);
      expect(day).toMatchObject({ heldCents: 7_000, capCents: 7_300, purchases: 7 });
      expect(await at().purchases.auditBooks(NOW_MS)).toEqual([]);
    });

    test("is refused by the table itself when a wrong decision would overspend", async () => {
      const user = await aPersonOf(at());
      await limit(user, { dayEur: 9, monthEur: 9 });
      await expect(at().purchases.propose(aProposal(user), () => admitted())).rejects.toThrow();
      expect(await at().purchases.journal(user.id, 10)).toEqual([]);
    });

    test("meets a conflict in the table itself when a wrong decision would buy twice", async () => {
      const [one, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const listingId = 8_000_010;
      const propose = (user: User, mode: "live" | "simulation") =>
        at().purchases.propose(aProposal(user, { listingId }), () => admitted({ mode }));
      expect((await propose(one, "live")).kind).toBe("opened");
      expect(await propose(other, "live")).toEqual({ kind: "conflict" });
      expect((await propose(one, "simulation")).kind).toBe("opened");
      expect(await propose(one, "simulation")).toEqual({ kind: "conflict" });
      expect(await budgetsOf(other)).toEqual([]);
    });

    test("keeps a title that databases stumble over", async () => {
      const user = await aPersonOf(at());
      const proposal = aProposal(user);
      const title = "Robe \u0000 \ud800 'été\" 🧥";
      await at().purchases.propose({ ...proposal, listing: { ...proposal.listing, title } }, () =>
        admitted(),
      );
      expect((await at().purchases.record(proposal))?.listing.id).toBe(proposal.listing.id);
    });
  });

  describe("an advance", () => {
    test("moves the row, its attempt, its money and the ledger in one transaction", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      const submitted = await at().purchases.advance(record, NOW_MS, (before) =>
        changed({ ...before, state: "submitting", attemptCount: 1, attemptPhase: "preparing" }, [], {
          attempts: [{ kind: "opened", n: 1 }],
        }),
      );
      expect(submitted?.after.state).toBe("submitting");
      await at().purchases.advance(record, NOW_MS + 1, (before) =>
        changed(
          { ...before, attemptPhase: "paying", holdCents: 1_300 },
          [{ kind: "hold", cents: 300, isFirst: false }],
          { attempts: [{ kind: "paying", n: 1, digest: "d", deadlineMs: NOW_MS + 60_000 }] },
        ),
      );
      await at().purchases.advance(record, NOW_MS + 2, (before) => ({
        ...captured(before, 1_250),
        attempts: [{ kind: "ended", n: 1, outcome: "confirmed", evidence: { status: 200 } }],
      }));
      const [entry] = await at().purchases.journal(user.id, 1);
      expect(entry).toMatchObject({
        purchase: { state: "confirmed", chargedCents: 1_250, transactionId: 42 },
        attempts: [{ n: 1, startedAtMs: NOW_MS, sentAtMs: NOW_MS + 1, outcome: "confirmed" }],
      });
      const [day] = (await budgetsOf(user)).filter(({ period }) => period === DAY);
      expect(day).toMatchObject({ heldCents: 0, capturedCents: 1_250, purchases: 1 });
      const kinds = await at().behind.ledgerOf(user.id);
      expect(kinds.map(({ kind }) => kind)).toEqual(["hold", "hold", "capture"]);
      expect(await at().purchases.auditBooks(NOW_MS)).toEqual([]);
    });

    test("that decides nothing, or fails, changes nothing", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      expect(await at().purchases.advance(record, NOW_MS, () => null)).toMatchObject({ change: null });
      const failing = at().purchases.advance(record, NOW_MS, (before) => ({
        ...released(before),
        money: [{ kind: "release", heldCents: 999_999 }],
      }));
      await expect(failing).rejects.toThrow();
      expect(await at().purchases.record(record)).toEqual(record);
      expect(await at().purchases.auditBooks(NOW_MS)).toEqual([]);
    });

    test("finds nothing under another person's id", async () => {
      const [owner, stranger] = [await aPersonOf(at()), await aPersonOf(at())];
      const record = await opened(owner);
      const foreign = { id: record.id, userId: stranger.id };
      expect(await at().purchases.record(foreign)).toBeNull();
      expect(await at().purchases.advance(foreign, NOW_MS, released)).toBeNull();
      expect((await at().purchases.record(record))?.state).toBe("intent");
    });

    test("of many at once on one purchase happens one after another", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      await Promise.all(
        Array.from({ length: 30 }, () =>
          at().purchases.advance(record, NOW_MS, (before) =>
            changed({ ...before, attemptCount: before.attemptCount + 1 }),
          ),
        ),
      );
      expect((await at().purchases.record(record))?.attemptCount).toBe(30);
    });

    test("frees the listing for the next in line, while a purchase of it that is final stays", async () => {
      const [first, second] = [await aPersonOf(at()), await aPersonOf(at())];
      const listingId = 8_000_003;
      const record = await opened(first, { listingId });
      const propose = () => at().purchases.propose(aProposal(second, { listingId }), withinLimits);
      expect(await propose()).toEqual({ kind: "refused", refusal: "taken" });
      await at().purchases.advance(record, NOW_MS, released);
      expect((await propose()).kind).toBe("opened");
    });

    test("never lets a final purchase keep a hold", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      const wrong = at().purchases.advance(record, NOW_MS, (before) =>
        changed({ ...before, state: "failed", dueAtMs: null }),
      );
      await expect(wrong).rejects.toThrow();
    });

    test("throws the person's stop with the change that asks for it, and the operator may lift that one", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      await at().purchases.advance(record, NOW_MS + 5, (before) => ({
        ...captured(before, 1_000),
        stopsUser: true,
      }));
      expect((await at().settings.get(user.id)).limits.isStopped).toBe(true);
      expect(await at().purchases.resumeAccount(user.id, NOW_MS + 10)).toBe(true);
      expect((await at().settings.get(user.id)).limits.isStopped).toBe(false);
      await limit(user, { isStopped: true });
      // What the person stopped stays stopped.
      expect(await at().purchases.resumeAccount(user.id, NOW_MS + 20)).toBe(false);
      expect((await at().settings.get(user.id)).limits.isStopped).toBe(true);
    });

    test("counts doubts of the last ten minutes, from the person's last resumption on", async () => {
      const user = await aPersonOf(at());
      const doubtsAt = async (nowMs: number): Promise<number> => {
        let doubts = -1;
        const record = await opened(user);
        await at().purchases.advance(record, nowMs, (before, facts) => {
          doubts = facts.recentDoubts;
          return released(before);
        });
        return doubts;
      };
      const doubted = await opened(user);
      await at().purchases.advance(doubted, NOW_MS, (before) =>
        changed({ ...before, attemptCount: 1 }, [], {
          attempts: [
            { kind: "opened", n: 1 },
            { kind: "ended", n: 1, outcome: "unknown", evidence: {} },
          ],
        }),
      );
      expect(await doubtsAt(NOW_MS + 599_999)).toBe(1);
      expect(await doubtsAt(NOW_MS + 600_000)).toBe(0);
      await limit(user, { isStopped: true });
      await at().settings.change(user.id, { limits: { isStopped: false } }, NOW_MS + 1);
      expect(await doubtsAt(NOW_MS + 2)).toBe(0);
    });

    test("lets a lowered limit bind at once, and its row's cap never falls below what was spent", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      await limit(user, { dayEur: 1, monthEur: 1 });
      expect(await at().purchases.propose(aProposal(user), withinLimits)).toMatchObject({ refusal: "limit" });
      await at().purchases.advance(record, NOW_MS, (before) => captured(before, 1_000));
      const [day] = (await budgetsOf(user)).filter(({ period }) => period === DAY);
      expect(day).toMatchObject({ capturedCents: 1_000, capCents: 1_000 });
    });
  });

  describe("stop switches", () => {
    test("bind every decision that had not committed when the switch was thrown", async () => {
      await using own = await open();
      const { store } = own;
      const user = await aPersonOf(store);
      let isThrown = false;
      const late: boolean[] = [];
      const proposing = Array.from({ length: 40 }, () =>
        store.purchases.propose(aProposal(user), (facts) => {
          if (isThrown) late.push(facts.spending.isEveryoneStopped);
          return withinLimits(facts);
        }),
      );
      await store.purchases.setSwitch({ name: "operator", isOn: true, reason: "test", changedAtMs: NOW_MS });
      isThrown = true;
      await Promise.all(proposing);
      const after = await store.purchases.propose(aProposal(user), withinLimits);
      expect(after).toEqual({ kind: "refused", refusal: "stopped" });
      expect(late.every(Boolean)).toBe(true);
    });

    test("of one person bind like the others", async () => {
      const user = await aPersonOf(at());
      let isThrown = false;
      const late: boolean[] = [];
      const proposing = Array.from({ length: 20 }, () =>
        at().purchases.propose(aProposal(user), (facts) => {
          if (isThrown) late.push(facts.spending.limits.isStopped);
          return withinLimits(facts);
        }),
      );
      await limit(user, { isStopped: true });
      isThrown = true;
      await Promise.all(proposing);
      expect(late.every(Boolean)).toBe(true);
      expect(await at().purchases.propose(aProposal(user), withinLimits)).toMatchObject({
        refusal: "stopped",
      });
    });

    test("of an account pause longer each time, and the operator's stop has no end", async () => {
      const user = await aPersonOf(at());
      const pauseAt = (nowMs: number): Promise<number> => at().purchases.pauseAccount(user.id, "403", nowMs);
      expect(await pauseAt(NOW_MS)).toBe(NOW_MS + 60_000);
      expect(await pauseAt(NOW_MS + 1)).toBe(NOW_MS + 60_000);
      expect(await pauseAt(NOW_MS + 60_000)).toBe(NOW_MS + 180_000);
      const stopsAt = async (nowMs: number): Promise<boolean> => {
        let isStopped = false;
        await at().purchases.propose(aProposal(user, { nowMs }), (facts) => {
          isStopped = facts.spending.isAccountStopped;
          return { kind: "refuse", refusal: "seen" };
        });
        return isStopped;
      };
      expect([await stopsAt(NOW_MS + 179_999), await stopsAt(NOW_MS + 180_000)]).toEqual([true, false]);
      await at().purchases.stopAccount(user.id, "operator", NOW_MS);
      expect(await stopsAt(NOW_MS + 10 ** 9)).toBe(true);
      expect(await at().purchases.accountStop(user.id)).toEqual({ untilMs: null, reason: "operator" });
      await at().purchases.resumeAccount(user.id, NOW_MS);
      expect(await stopsAt(NOW_MS)).toBe(false);
      expect(await at().purchases.accountStop(user.id)).toBeNull();
    });

    test("that yield to any other never change its reason, and are ended by theirs alone", async () => {
      const user = await aPersonOf(at());
      const reasonOf = async () => (await at().purchases.accountStop(user.id))?.reason;
      await at().purchases.stopUnlessStopped(user.id, "erasure");
      expect(await reasonOf()).toBe("erasure");
      await at().purchases.stopAccount(user.id, "operator", NOW_MS);
      await at().purchases.stopUnlessStopped(user.id, "erasure");
      await at().purchases.endAccountStop(user.id, "erasure");
      expect(await reasonOf()).toBe("operator");
    });
  });

  describe("a suspension", () => {
    test("stops what is not yet paid, whoever wished it, until it is lifted", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user, { source: "click" });
      const stopsIt = async (): Promise<boolean | null> => {
        let isStopped: boolean | null = null;
        await at().purchases.advance(record, NOW_MS, (_before, facts) => {
          isStopped = facts.isAccountStopped;
          return null;
        });
        return isStopped;
      };
      expect(await stopsIt()).toBe(false);
      await at().users.setSuspended(user.id, true);
      expect(await stopsIt()).toBe(true);
      await at().users.setSuspended(user.id, false);
      expect(await stopsIt()).toBe(false);
    });

    test("binds every decision that had not committed", async () => {
      const user = await aPersonOf(at());
      let isSuspended = false;
      const late: boolean[] = [];
      const proposing = Array.from({ length: 20 }, () =>
        at().purchases.propose(aProposal(user), (facts) => {
          if (isSuspended) late.push(facts.spending.isAccountStopped);
          return withinLimits(facts);
        }),
      );
      await at().users.setSuspended(user.id, true);
      isSuspended = true;
      await Promise.all(proposing);
      expect(late.every(Boolean)).toBe(true);
    });
  });

  describe("orders made elsewhere", () => {
    const order = (user: User, traits: { transactionId: number; listingId: number }) => {
      count += 1;
      return {
        id: asPurchaseId(`external-${count}`),
        userId: user.id,
        transactionId: traits.transactionId,
        listingId: asListingId(traits.listingId),
        listing: aListing({ id: traits.listingId }),
        totalCents: 2_500,
        orderedAtMs: NOW_MS,
        nowMs: NOW_MS,
        dayKey: DAY,
        monthKey: MONTH,
      };
    };

    test("are booked once as extra, beyond any limit, and count in later decisions", async () => {
      const user = await aPersonOf(at());
      await limit(user, { dayEur: 30 });
      const found = order(user, { transactionId: 501, listingId: 9_000_001 });
      expect(await at().purchases.recordExternal(found)).toBe(true);
      expect(await at().purchases.recordExternal({ ...found, id: asPurchaseId("external-again") })).toBe(
        false,
      );
      expect(await at().purchases.list(user.id, 10)).toMatchObject([
        { source: "external", state: "confirmed", chargedCents: 2_500, transactionId: 501 },
      ]);
      expect(await at().purchases.propose(aProposal(user), withinLimits)).toMatchObject({ refusal: "limit" });
      expect(await at().purchases.auditBooks(NOW_MS)).toEqual([]);
    });

    test("of any size are booked: no sum is too large for the books", async () => {
      const user = await aPersonOf(at());
      for (const transactionId of [601, 602, 603, 604]) {
        const found = order(user, { transactionId, listingId: 9_100_000 + transactionId });
        await at().purchases.recordExternal({ ...found, totalCents: 999_999_999 });
      }
      const [day] = (await budgetsOf(user)).filter(({ period }) => period === DAY);
      expect(day?.extraCents).toBe(3_999_999_996);
      expect(await at().purchases.propose(aProposal(user), withinLimits)).toMatchObject({ refusal: "limit" });
      expect(await at().purchases.auditBooks(NOW_MS)).toEqual([]);
    });

    test("are never taken for one while a purchase of ours may explain it", async () => {
      const user = await aPersonOf(at());
      const record = await opened(user);
      const found = order(user, { transactionId: 502, listingId: record.listingId });
      expect(await at().purchases.recordExternal(found)).toBe(false);
      await at().purchases.advance(record, NOW_MS, released);
      expect(await at().purchases.recordExternal(found)).toBe(true);
      expect(await at().purchases.byTransaction(user.id, 502)).toMatchObject({
        source: "external",
        epoch: 1,
      });
    });

    test("do not take the listing from others of ours", async () => {
      const [buyer, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const listingId = 9_000_003;
      await opened(other, { listingId });
      const found = order(buyer, { transactionId: 503, listingId });
      expect(await at().purchases.recordExternal(found)).toBe(true);
    });
  });

  describe("reading", () => {
    test("lists newest first, without bare attempts and what was hidden", async () => {
      const user = await aPersonOf(at());
      const bare = await opened(user, { nowMs: NOW_MS + 1 });
      const bought = await opened(user, { nowMs: NOW_MS + 2 });
      const failed = await opened(user, { nowMs: NOW_MS + 3 });
      await at().purchases.advance(bare, NOW_MS, released);
      await at().purchases.advance(bought, NOW_MS, (before) => captured(before, 900));
      await at().purchases.advance(failed, NOW_MS, (before) => {
        const change = released(before);
        return { ...change, next: { ...change.next, reachedCheckout: true } };
      });
      const ids = async () => (await at().purchases.list(user.id, 10)).map(({ id }) => id);
      expect(await ids()).toEqual([failed.id, bought.id]);
      expect(await at().purchases.hideFinal(user.id, NOW_MS)).toBe(1);
      expect(await at().purchases.hideFinal(user.id, NOW_MS)).toBe(0);
      expect(await ids()).toEqual([bought.id]);
      expect(await at().purchases.journal(user.id, 10)).toHaveLength(3);
    });

    test("hiding touches no money and nobody else", async () => {
      const [user, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const mine = await opened(user);
      const theirs = await opened(other);
      await at().purchases.advance(mine, NOW_MS, released);
      const money = () => at().behind.ledgerOf(user.id);
      const before = [await money(), await budgetsOf(user)];
      await at().purchases.hideFinal(user.id, NOW_MS);
      expect([await money(), await budgetsOf(user)]).toEqual(before);
      expect(await at().purchases.record(theirs)).toEqual(theirs);
    });

    test("finds what is due, and ends the leases of those who are gone", async () => {
      await using own = await open();
      const { store } = own;
      const user = await aPersonOf(store);
      const propose = async (owner: string, leaseUntilMs: number) => {
        const proposal = aProposal(user, { owner, leaseUntilMs });
        await store.purchases.propose(proposal, () => admitted());
        return proposal.id;
      };
      const mine = await propose("node-1", NOW_MS + 5);
      const theirs = await propose("node-2", NOW_MS + 50_000);
      const due = async (nowMs: number) => (await store.purchases.due(nowMs, 10)).map(({ id }) => id);
      expect(await due(NOW_MS + 4)).toEqual([]);
      expect(await due(NOW_MS + 5)).toEqual([mine]);
      expect(await store.purchases.endForeignLeases("node-1", NOW_MS)).toBe(1);
      expect(await due(NOW_MS)).toEqual([theirs]);
      expect(await store.purchases.userIdsWithOpenPurchases()).toEqual([user.id]);
    });

    test("knows when a filter has bought enough: what is accepted counts, what may still fail does not", async () => {
      const user = await aPersonOf(at());
      const filterId = asFilterId(`filter-${count}-max`);
      await at().filters.add(aFilter({ id: filterId, userId: user.id, isAutobuy: true, maxPurchases: 1 }), 9);
      const record = await opened(user, { filterId });
      expect(await at().purchases.hasReachedMaximum(filterId)).toBe(false);
      await at().purchases.advance(record, NOW_MS, (before) => captured(before, 900));
      expect(await at().purchases.hasReachedMaximum(filterId)).toBe(true);
      expect(await at().purchases.hasReachedMaximum(asFilterId("none"))).toBe(false);
    });

    test("gives the right to sweep an account to one node per interval", async () => {
      const user = await aPersonOf(at());
      const claim = (nowMs: number) => at().purchases.claimSweep(user.id, nowMs, nowMs - 1_000);
      const claims = await Promise.all([claim(NOW_MS), claim(NOW_MS), claim(NOW_MS)]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await claim(NOW_MS + 1_001)).toBe(true);
    });

    test("keeps in mind what nobody was told, until it was told as it is", async () => {
      const user = await aPersonOf(at());
      const purchase = await opened(user);
      const isUntold = async (movedBeforeMs = NOW_MS + 10): Promise<boolean> =>
        (await at().purchases.untold(movedBeforeMs, 1_000)).some(({ id }) => id === purchase.id);
      expect([await isUntold(), await isUntold(NOW_MS - 1)]).toEqual([true, false]);
      const entry = { atMs: NOW_MS, kind: "purchase.intent", userId: user.id, details: { from: null, n: 1 } };
      await at().purchases.markTold([{ record: purchase, entry }]);
      expect(await at().behind.auditOf(user.id)).toContainEqual(entry);
      expect(await isUntold()).toBe(false);
      const quietly = { ...purchase, attemptCount: 1 };
      await at().purchases.advance(purchase, NOW_MS + 1, () => changed(quietly));
      expect(await isUntold()).toBe(false);
      await at().purchases.advance(purchase, NOW_MS + 2, (record) => ({ ...released(record), isNews: true }));
      // Word of what it was before comes late.
      await at().purchases.markTold([{ record: purchase, entry: null }]);
      expect(await isUntold()).toBe(true);
    });

    test("an id that nobody could have is nobody's", async () => {
      const user = await aPersonOf(at());
      const id = asPurchaseId("a\u0000b");
      expect(await at().purchases.find(id)).toBeNull();
      expect(await at().purchases.record({ id, userId: user.id })).toBeNull();
    });
  });

  describe("the books", () => {
    test("are found out when a budget is not what its ledger says", async () => {
      await using own = await open();
      const { store } = own;
      const user = await aPersonOf(store);
      await store.purchases.propose(aProposal(user), () => admitted());
      expect(await store.purchases.auditBooks(NOW_MS)).toEqual([]);
      await store.behind.miscount(DAY, 400);
      const findings = await store.purchases.auditBooks(NOW_MS);
      expect(findings.some((finding) => finding.includes("its ledger"))).toBe(true);
      expect(findings.some((finding) => finding.includes("its purchases hold"))).toBe(true);
    });

    test("outlive an erased person under the bare id", async () => {
      const user = await aPersonOf(at());
      await opened(user);
      await at().purchases.erase(user.id);
      expect(await at().purchases.journal(user.id, 10)).toEqual([]);
      expect(await budgetsOf(user)).toHaveLength(2);
      expect(await at().behind.ledgerOf(user.id)).toHaveLength(1);
    });
  });
}

/** What the tables themselves refuse, whoever asks. */
export function describeAppendOnlyBooks(at: () => OpenStore): void {
  describe("the ledger and the attempts", () => {
    async function paid(): Promise<User> {
      const user = await aPersonOf(at());
      const { purchases } = at();
      const outcome = await purchases.propose(aProposal(user), () => admitted());
      if (outcome.kind !== "opened") throw new Error("no purchase");
      const { record } = outcome;
      const ended = { kind: "ended", n: 1, outcome: "confirmed", evidence: {} } as const;
      await purchases.advance(record, NOW_MS, () => ({
        ...changed(record),
        attempts: [{ kind: "opened", n: 1 }],
      }));
      await purchases.advance(record, NOW_MS, () => ({ ...captured(record, 900), attempts: [ended] }));
      return user;
    }

    test.each([
      "update ledger set amount_cents = 0",
      "delete from ledger",
      "truncate ledger",
      "update purchase_attempts set outcome = 'failed'",
      "update purchase_attempts set outcome = null",
      "delete from purchase_attempts",
      "truncate purchase_attempts",
    ])("refuse to be rewritten: %s", async (statement) => {
      await paid();
      const table = statement.includes("ledger") ? "ledger" : "purchase_attempts";
      const refused = at().db.execute(sql.raw(statement));
      await expect(refused).rejects.toHaveProperty("cause.message", `${table} is append-only`);
    });

    test("let attempts go with their person alone, and the ledger with nobody", async () => {
      const [gone, left] = [await paid(), await paid()];
      const attemptsOf = async (user: User): Promise<number> =>
        at().db.$count(purchaseAttempts, eq(purchaseAttempts.userId, user.id));
      await at().purchases.erase(gone.id);
      expect([await attemptsOf(gone), await attemptsOf(left)]).toEqual([0, 1]);
      expect(await at().db.$count(ledger, eq(ledger.userId, gone.id))).toBe(2);
      // The leave ended with that transaction.
      const again = at().db.delete(purchaseAttempts).where(eq(purchaseAttempts.userId, left.id));
      await expect(again).rejects.toThrow();
    });
  });
}

/** What only engines with locks of their own can get wrong. */
export function describePurchaseLocks(at: () => OpenStore): void {
  describe("stop switches and decisions that are under way", () => {
    const throwSwitch = (isOn: boolean): Promise<void> =>
      at().purchases.setSwitch({ name: "operator", isOn, reason: "test", changedAtMs: NOW_MS });
    afterEach(() => throwSwitch(false));

    const stops: readonly (readonly [string, (user: User) => Promise<void>])[] = [
      ["a person's switch", (user) => at().settings.change(user.id, { limits: { isStopped: true } }, NOW_MS)],
      ["a suspension", (user) => at().users.setSuspended(user.id, true)],
      ["the operator's switch", () => throwSwitch(true)],
    ];

    test.each(stops)("wait for a decision that has read %s as off", async (_what, stop) => {
      const user = await aPersonOf(at());
      let hasStopped = false;
      const { promise: hasRead, resolve: tellRead } = Promise.withResolvers<void>();
      const stopping = hasRead.then(async () => {
        await stop(user);
        hasStopped = true;
      });
      const isOvertaken = await at().db.transaction(async (tx) => {
        await lockPerson(tx, user.id);
        await readProposalFacts(tx, aProposal(user));
        tellRead();
        await tx.execute(sql`select pg_sleep(0.3)`);
        return hasStopped;
      });
      await stopping;
      expect([isOvertaken, hasStopped]).toEqual([false, true]);
    });
  });
}
