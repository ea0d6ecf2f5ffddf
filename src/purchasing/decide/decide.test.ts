import { describe, expect, it } from "vitest";
import type { PurchaseState } from "#domain/purchase.ts";
import type { BindingTerms, PurchaseFacts } from "#store/purchase-facts.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { aPurchaseRecord, aSpending } from "#verify/testing/a-purchase-record.ts";
import { decide } from "./decide.ts";
import type { PurchaseEvent, PurchaseEventKind } from "./purchase-event.ts";
import {
  NOW_MS,
  TRANSACTION,
  at,
  RECORDS,
  preparing,
  paying,
  EVENTS,
  quotedAt,
  moved,
} from "./decide-cases.suite.ts";

const withFilter = (terms: Partial<BindingTerms>): PurchaseFacts => {
  const { filter } = aSpending();
  if (filter === null) throw new Error("the example has a filter");
  return aSpending({ filter: { ...filter, ...terms } });
};

/** The next state for each event of EVENTS and record of RECORDS; absent: no change. */
const EXPECTED: Readonly<Record<PurchaseState, Partial<Record<PurchaseEventKind, PurchaseState>>>> = {
  intent: { submit: "submitting" },
  submitting: {
    payment_answered: "confirmed",
    payment_refused: "failed",
    payment_unknown: "unknown",
  },
  unknown: {
    payment_answered: "confirmed",
    lease_ended: "unknown",
    order_seen: "confirmed",
    order_absent: "unknown",
    check_failed: "unknown",
  },
  quarantine: {
    payment_answered: "confirmed",
    lease_ended: "quarantine",
    order_seen: "confirmed",
    order_absent: "quarantine",
    check_failed: "quarantine",
    resolved: "confirmed",
  },
  awaiting: { lease_ended: "awaiting", order_seen: "confirmed", check_failed: "awaiting" },
  confirmed: { cancel_asked: "cancelling" },
  cancelling: {
    lease_ended: "cancelling",
    order_seen: "cancelling",
    check_failed: "cancelling",
    cancel_refused: "confirmed",
    cancel_uncertain: "cancel_unknown",
  },
  cancel_unknown: {
    lease_ended: "cancel_unknown",
    order_seen: "cancel_unknown",
    check_failed: "cancel_unknown",
    cancel_refused: "confirmed",
    resolved: "confirmed",
  },
  cancelled: {},
  failed: {},
};

const states = Object.keys(RECORDS) as PurchaseState[];
const kinds = Object.keys(EVENTS) as PurchaseEventKind[];

describe("decide(), cell by cell", () => {
  it.each(states.flatMap((state) => kinds.map((kind) => [state, kind] as const)))(
    "in state %s handles %s as the table says",
    (state, kind) => {
      const change = decide(RECORDS[state], EVENTS[kind], at());
      expect(change?.next.state ?? null).toBe(EXPECTED[state][kind] ?? null);
    },
  );
});

describe("decide() before paying", () => {
  it("opens attempt n + 1 durably with SUBMITTING", () => {
    const change = moved(RECORDS.intent, EVENTS.submit);
    expect(change.next).toMatchObject({ attemptCount: 1, attemptPhase: "preparing", holdCents: 1_120 });
    expect(change.attempts).toEqual([{ kind: "opened", n: 1 }]);
    expect(change.money).toEqual([]);
  });

  it("refuses to submit for a process that does not hold the intent", () => {
    expect(decide(RECORDS.intent, { ...EVENTS.submit, owner: "node-2" }, at())).toBeNull();
  });

  it("does not submit before the moment that the marketplace asked to wait for", () => {
    const asked = aPurchaseRecord({ notBeforeMs: NOW_MS + 1 });
    expect(decide(asked, EVENTS.submit, at())).toBeNull();
    expect(decide(asked, EVENTS.submit, at({ nowMs: NOW_MS + 1 }))).not.toBeNull();
  });

  it.each([
    ["auto", 30_000],
    ["click", 60_000],
  ] as const)("lets a wish of kind %s go stale after %i ms, and gives its money back", (source, ageMs) => {
    const record = aPurchaseRecord({ source });
    const fresh = moved(record, EVENTS.submit, at({ nowMs: A_MOMENT_MS + ageMs }));
    expect(fresh.next.state).toBe("submitting");
    const stale = moved(record, EVENTS.submit, at({ nowMs: A_MOMENT_MS + ageMs + 1 }));
    expect(stale.next).toMatchObject({ state: "failed", failureReason: "stale", holdCents: 0 });
    expect(stale.money).toEqual([{ kind: "release", heldCents: 1_120 }]);
  });

  const stops = {
    everyone: aSpending({ isEveryoneStopped: true }),
    account: aSpending({ isAccountStopped: true }),
    "a blocked seller": aSpending({ isSellerBlocked: true }),
    person: aSpending({ limits: { ...aSpending().limits, isStopped: true } }),
    "a filter that is gone": aSpending({ filter: null }),
    "a paused filter": withFilter({ isActive: false, activatedAtMs: null }),
    "a filter without auto-buy": withFilter({ isAutobuy: false }),
    "a filter that only simulates": withFilter({ isSimulation: true }),
    "a filter that was off meanwhile": withFilter({ activatedAtMs: A_MOMENT_MS + 1 }),
    "a filter whose criteria changed": withFilter({ criteriaSinceMs: A_MOMENT_MS + 1 }),
  };

  it.each(Object.entries(stops))("respects the stop of %s at both commits before paying", (_, facts) => {
    for (const [record, event] of [
      [RECORDS.intent, EVENTS.submit],
      [preparing(), EVENTS.quoted],
    ] as const)
      expect(moved(record, event, at({ facts })).next).toMatchObject({
        state: "failed",
        failureReason: "stopped",
        holdCents: 0,
      });
  });

  it("refuses a click on a blocked seller's listing at either commit", () => {
    const facts = aSpending({ isSellerBlocked: true, filter: null });
    for (const [record, event] of [
      [{ ...RECORDS.intent, source: "click" }, EVENTS.submit],
      [preparing({ source: "click" }), EVENTS.quoted],
    ] as const)
      expect(moved(record, event, at({ facts })).next).toMatchObject({
        state: "failed",
        failureReason: "stopped",
        holdCents: 0,
      });
  });

  it("allows clicks despite the person's own stop, but not despite the operator's", () => {
    const click = aPurchaseRecord({ source: "click", lane: "click" });
    expect(moved(click, EVENTS.submit, at({ facts: stops.person })).next.state).toBe("submitting");
    expect(moved(click, EVENTS.submit, at({ facts: stops.everyone })).next.state).toBe("failed");
    expect(moved(click, EVENTS.submit, at({ facts: stops.account })).next.state).toBe("failed");
  });

  it("raises the hold to the all-in quote in the commit that lets the payment leave", () => {
    const change = moved(preparing(), quotedAt(1_120, 1_500));
    expect(change.next).toMatchObject({ attemptPhase: "paying", holdCents: 1_500, checkoutId: 7 });
    expect(change.money).toEqual([{ kind: "hold", cents: 380, isFirst: false }]);
    expect(change.attempts).toMatchObject([{ kind: "paying", n: 1, digest: "digest" }]);
  });

  it("compares the item total of the last quote with the cap: shipping does not count", () => {
    expect(moved(preparing(), quotedAt(1_120, 9_000)).next.attemptPhase).toBe("paying");
    expect(moved(preparing(), quotedAt(1_121, 1_121)).next).toMatchObject({
      state: "failed",
      failureReason: "price_rose",
      reachedCheckout: true,
    });
  });

  it("compares the quote with a filter's lowered limit, never with a raised one", () => {
    const now = (priceCapEur: number) => at({ facts: withFilter({ priceCapEur }) });
    expect(moved(preparing(), quotedAt(1_100, 1_500), now(11)).next.attemptPhase).toBe("paying");
    expect(moved(preparing(), quotedAt(1_101, 1_500), now(11)).next.failureReason).toBe("rule_reached");
    expect(moved(preparing(), quotedAt(1_121, 1_500), now(50)).next.failureReason).toBe("price_rose");
    const click = preparing({ source: "click", lane: "click" });
    expect(
      moved(click, quotedAt(1_120, 1_500), at({ facts: aSpending({ filter: null }) })).next.attemptPhase,
    ).toBe("paying");
  });

  it("applies a lowered number of purchases a day to the one under way", () => {
    const limitedTo = (purchasesPerDay: number) =>
      at({
        facts: aSpending({
          limits: { dayEur: 300, monthEur: 300, purchasesPerDay, isStopped: false, isPrudent: true },
        }),
      });
    expect(moved(preparing(), quotedAt(1_120, 1_500), limitedTo(1)).next.attemptPhase).toBe("paying");
    expect(moved(preparing(), quotedAt(1_120, 1_500), limitedTo(0)).next.failureReason).toBe("limit_reached");
  });

  it("compares the all-in total with the limits, counting the purchase's own hold once", () => {
    const limits = { dayEur: 15, monthEur: 15, purchasesPerDay: 20, isStopped: false, isPrudent: true };
    const facts = aSpending({ limits });
    expect(moved(preparing(), quotedAt(1_120, 1_500), at({ facts })).next.state).toBe("submitting");
    const change = moved(preparing(), quotedAt(1_120, 1_501), at({ facts }));
    expect(change.next).toMatchObject({ state: "failed", failureReason: "limit_reached" });
    expect(change.money).toEqual([{ kind: "release", heldCents: 1_120 }]);
  });

  it("never pays for a second quote of one attempt", () => {
    expect(decide(paying(), EVENTS.quoted, at())).toBeNull();
  });

  it("ignores a quote of an attempt whose lease another process took", () => {
    expect(decide(preparing({ leaseOwner: "node-2" }), EVENTS.quoted, at())).toBeNull();
    expect(decide(preparing({ attemptCount: 2 }), EVENTS.quoted, at())).toBeNull();
  });
});

describe("decide() on refusals", () => {
  const retry = (waitMs: number): PurchaseEvent<"payment_refused"> => ({
    kind: "payment_refused",
    n: 1,
    failure: { kind: "retry", reason: "rate_limited", waitMs },
    evidence: {},
  });

  it("goes back to INTENT after a refusal that may be retried, not before the wait is over", () => {
    const change = moved(paying(), retry(2_000));
    expect(change.next).toMatchObject({ state: "intent", notBeforeMs: NOW_MS + 2_000, holdCents: 1_500 });
    expect(change.attempts).toMatchObject([{ kind: "ended", n: 1, outcome: "rate_limited" }]);
    expect(change.money).toEqual([]);
  });

  it("fails when the wait would outlast the wish", () => {
    expect(moved(paying(), retry(86_400_000)).next).toMatchObject({
      state: "failed",
      failureReason: "rate_limited",
    });
  });

  it("tries at most three times", () => {
    const third = { ...retry(0), n: 3 };
    expect(moved(paying({ attemptCount: 3 }), third).next.state).toBe("failed");
    expect(moved(paying({ attemptCount: 2 }), { ...retry(0), n: 2 }).next.state).toBe("intent");
  });

  it("does not treat 'sold' as final after an unknown outcome: we may be the buyer", () => {
    const sold = { kind: "final", reason: "sold" } as const;
    const refused = { ...EVENTS.payment_refused, failure: sold };
    expect(moved(paying({ hadUnknownOutcome: true }), refused).next).toMatchObject({
      state: "unknown",
      holdCents: 1_500,
    });
    const earlier = { ...EVENTS.preparation_failed, failure: sold };
    expect(moved(preparing({ hadUnknownOutcome: true }), earlier).next.state).toBe("unknown");
    expect(moved(paying(), refused).next).toMatchObject({ state: "failed", failureReason: "sold" });
  });
});

describe("decide() on what was charged", () => {
  const answered = (totalCents: number): PurchaseEvent<"payment_answered"> => ({
    kind: "payment_answered",
    n: 1,
    answer: { status: "success", transactionId: TRANSACTION, totalCents },
  });

  it("captures the real amount and releases the rest of the hold", () => {
    const change = moved(paying(), answered(1_400));
    expect(change.next).toMatchObject({ chargedCents: 1_400, holdCents: 0, transactionId: TRANSACTION });
    expect(change.money).toEqual([{ kind: "capture", heldCents: 1_500, cents: 1_400 }]);
    expect(change.stopsUser).toBe(false);
  });

  it("confirms an overshoot, records it beside the budget, and stops the person's automatic purchases", () => {
    const change = moved(paying(), answered(1_700));
    expect(change.next).toMatchObject({ state: "confirmed", chargedCents: 1_700 });
    expect(change.money).toEqual([
      { kind: "capture", heldCents: 1_500, cents: 1_500 },
      { kind: "overshoot", cents: 200 },
    ]);
    expect(change.stopsUser).toBe(true);
  });

  it("keeps the hold while the bank is awaited", () => {
    const change = moved(paying(), {
      kind: "payment_answered",
      n: 1,
      answer: {
        status: "pending",
        transactionId: TRANSACTION,
        totalCents: 1_500,
        confirmUrl: "https://bank/2",
      },
    });
    expect(change.next).toMatchObject({ state: "awaiting", holdCents: 1_500, confirmUrl: "https://bank/2" });
    expect(change.money).toEqual([]);
  });
});
