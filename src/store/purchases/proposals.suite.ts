import { describe, expect, test } from "vitest";
import { asFilterId } from "#domain/ids.ts";
import type { User } from "#domain/user.ts";
import { Secret } from "#domain/secret.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import type { ProposalFacts } from "../purchase-facts.ts";
import type { Admission } from "../purchase-store.ts";
import {
  aProposal,
  actsOn,
  admitted,
  DAY,
  MONTH,
  nextNumber,
  withinLimits,
  type PurchasesUnderTest,
} from "./purchases-under-test.suite.ts";
import { NOW_MS, aPersonOf } from "../suite-store.suite.ts";

export function describeProposals({ shared: at }: PurchasesUnderTest): void {
  const { opened, limit, budgetsOf } = actsOn(at);

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
      expect(await at().purchases.auditLedger(NOW_MS)).toEqual([]);
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

    test("that is refused, or whose decision fails, writes nothing", async () => {
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

    test("is decided with the person, the account, the filter and the purchases under way", async () => {
      const user = await aPersonOf(at());
      await at().users.setPlan(user.id, "acquire", null);
      await at().settings.change(user.id, { refreshToken: new Secret("a-token-of-theirs") }, NOW_MS);
      const filterId = asFilterId(`filter-${nextNumber()}-facts`);
      await at().filters.add(aFilter({ id: filterId, userId: user.id, isAutobuy: true, maxPurchases: 3 }), 9);
      const first = await opened(user, { filterId });
      const seen: ProposalFacts[] = [];
      await at().purchases.propose(aProposal(user, { filterId, listingId: first.listingId }), (facts) => {
        seen.push(facts);
        return { kind: "refuse", refusal: "seen" };
      });
      expect(seen[0]).toMatchObject({
        user: { plan: "acquire", isSuspended: false },
        settings: { account: { state: "connected", tokenTail: "eirs" }, paymentMethodId: 1 },
        filter: { isAutobuy: true, maxPurchases: 3, priceCapEur: 100 },
        beingPaidCount: 1,
        awaitingCount: 0,
        own: [{ id: first.id }],
        rivalState: "intent",
        ruleFacts: { group: null, taken: { filterCount: 1, filterCents: 1_000 }, paid: { filterCount: 0 } },
        spending: { day: { heldCents: 1_000, purchases: 1 } },
      });
    });

    test("is decided without another person's filter, and with a limit of 0 for an unknown person", async () => {
      const [owner, stranger] = [await aPersonOf(at()), await aPersonOf(at())];
      const filterId = asFilterId(`filter-${nextNumber()}-foreign`);
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
      expect(seen[0]).toMatchObject({ filter: null });
      expect(seen[1]).toMatchObject({
        user: null,
        settings: { account: { state: "absent" } },
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

    test("of many people for one listing opens one intent, and the others are refused", async () => {
      const people = await Promise.all(Array.from({ length: 10 }, () => aPersonOf(at())));
      const listingId = 8_000_002;
      const propose = (user: User) => at().purchases.propose(aProposal(user, { listingId }), withinLimits);
      const outcomes = await Promise.all(people.map(propose));
      expect(outcomes.filter(({ kind }) => kind === "opened")).toHaveLength(1);
      const again = await Promise.all(people.map(propose));
      for (const outcome of again) expect(outcome.kind).toBe("refused");
    });

    test("batched with others is decided by its own facts, whatever fails for another", async () => {
      const aPerson = () => aPersonOf(at());
      const [poor, undecided, late] = [await aPerson(), await aPerson(), await aPerson()];
      const [one, two, first] = [await aPerson(), await aPerson(), await aPerson()];
      await limit(poor, { dayEur: 9, monthEur: 9 });
      const { listingId } = await opened(first);
      const outcomes = await Promise.allSettled([
        at().purchases.propose(aProposal(one), withinLimits),
        // Exceeds the limit, which only the table's constraint notices.
        at().purchases.propose(aProposal(poor), () => admitted()),
        at().purchases.propose(aProposal(undecided), () => {
          throw new Error("undecided");
        }),
        at().purchases.propose(aProposal(late, { listingId }), () => admitted()),
        at().purchases.propose(aProposal(first, { listingId }), withinLimits),
        at().purchases.propose(aProposal(two), () => admitted({ mode: "simulation" })),
      ]);
      expect(outcomes).toMatchObject([
        { value: { kind: "opened", record: { userId: one.id, state: "intent" } } },
        { status: "rejected" },
        { status: "rejected", reason: { message: "undecided" } },
        { value: { kind: "conflict" } },
        { value: { kind: "refused", refusal: "already" } },
        { value: { kind: "opened", record: { userId: two.id, mode: "simulation" } } },
      ]);
      const people = [poor, undecided, late, one, two, first];
      const kept = await Promise.all(people.map(({ id }) => at().purchases.journal(id, 10)));
      expect(kept.map(({ length }) => length)).toEqual([0, 0, 0, 1, 1, 1]);
      expect(await at().purchases.auditLedger(NOW_MS)).toEqual([]);
    });

    test("refused in a batch whose write fails is not decided again", async () => {
      const [poor, refused] = [await aPersonOf(at()), await aPersonOf(at())];
      await limit(poor, { dayEur: 9, monthEur: 9 });
      let decisions = 0;
      const outcomes = await Promise.allSettled([
        at().purchases.propose(aProposal(poor), () => admitted()),
        at().purchases.propose(aProposal(refused), () => {
          decisions += 1;
          return decisions === 1 ? { kind: "refuse", refusal: "waits" } : admitted();
        }),
      ]);
      expect(outcomes).toMatchObject([
        { status: "rejected" },
        { value: { kind: "refused", refusal: "waits" } },
      ]);
      // The batch is retried behind this, one by one.
      expect((await opened(refused)).userId).toBe(refused.id);
      expect(await at().purchases.journal(refused.id, 10)).toHaveLength(1);
    });

    test("never exceeds a limit, however many are made concurrently", async () => {
      const user = await aPersonOf(at());
      await limit(user, { dayEur: 73, monthEur: 2_000 });
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, () => at().purchases.propose(aProposal(user), withinLimits)),
      );
      expect(outcomes.filter(({ kind }) => kind === "opened")).toHaveLength(7);
      const [day] = (await budgetsOf(user)).filter(({ period }) => period === DAY);
      expect(day).toMatchObject({ heldCents: 7_000, capCents: 7_300, purchases: 7 });
      expect(await at().purchases.auditLedger(NOW_MS)).toEqual([]);
    });

    test("is refused by a constraint when a wrong decision would overspend", async () => {
      const user = await aPersonOf(at());
      await limit(user, { dayEur: 9, monthEur: 9 });
      await expect(at().purchases.propose(aProposal(user), () => admitted())).rejects.toThrow();
      expect(await at().purchases.journal(user.id, 10)).toEqual([]);
    });

    test("is a conflict with a unique index when a wrong decision would buy twice", async () => {
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

    test("keeps a title with characters that PostgreSQL cannot store", async () => {
      const user = await aPersonOf(at());
      const proposal = aProposal(user);
      const title = "Robe \u0000 \ud800 'été\" 🧥";
      await at().purchases.propose({ ...proposal, listing: { ...proposal.listing, title } }, () =>
        admitted(),
      );
      const record = await at().purchases.record(proposal);
      expect(record?.listing).toEqual({ ...proposal.listing, title });
      const advance = await at().purchases.advance(proposal, NOW_MS, () => null);
      expect(advance?.before).toEqual(record);
    });
  });
}
