import { describe, expect, it } from "vitest";
import { FREED_AT_MS } from "#store/purchase-facts.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { aPurchaseRecord, aSpending } from "#verify/testing/a-purchase-record.ts";
import { decide } from "./decide.ts";
import type { PurchaseEvent, SeenOrder } from "./purchase-event.ts";
import {
  NOW_MS,
  TRANSACTION,
  at,
  watch,
  RECORDS,
  preparing,
  paying,
  watched,
  confirmed,
  order,
  EVENTS,
  moved,
} from "./decide-cases.suite.ts";

describe("decide() after an unknown outcome", () => {
  const provingReadMs = (n: number): number => A_MOMENT_MS + 5_000 + n * 500;
  const absentAt = (readStartedAtMs: number): PurchaseEvent<"order_absent"> => ({
    kind: "order_absent",
    readStartedAtMs,
  });

  it("keeps the hold", () => {
    const change = moved(paying(), EVENTS.payment_unknown);
    expect(change.next).toMatchObject({ state: "unknown", holdCents: 1_500, hadUnknownOutcome: true });
    expect(change.money).toEqual([]);
  });

  it("does not count a read that began before the longest time to effect had passed", () => {
    let record = RECORDS.unknown;
    for (const readAtMs of [A_MOMENT_MS, A_MOMENT_MS + 2_000, A_MOMENT_MS + 4_999])
      record = moved(record, absentAt(readAtMs), at({ nowMs: readAtMs })).next;
    expect(record.watch?.negativeReads).toBe(0);
  });

  it("fails after three complete, spaced reads without the order, and releases the hold only then", () => {
    let record = RECORDS.unknown;
    for (const n of [0, 1]) {
      const change = moved(record, absentAt(provingReadMs(n)), at({ nowMs: provingReadMs(n) }));
      expect(change.next.state).toBe("unknown");
      expect(change.money).toEqual([]);
      record = change.next;
    }
    const settled = moved(record, absentAt(provingReadMs(2)), at({ nowMs: provingReadMs(2) }));
    expect(settled.next).toMatchObject({ state: "failed", failureReason: "never_effective" });
    expect(settled.money).toEqual([{ kind: "release", heldCents: 1_500 }]);
  });

  it("does not count reads that follow each other too closely", () => {
    let record = RECORDS.unknown;
    for (const readAtMs of [provingReadMs(0), provingReadMs(0) + 499, provingReadMs(0) + 499])
      record = moved(record, absentAt(readAtMs), at({ nowMs: readAtMs })).next;
    expect(record.watch?.negativeReads).toBe(1);
  });

  it("accepts an order that is seen at any time", () => {
    const seen = moved(RECORDS.unknown, EVENTS.order_seen);
    expect(seen.next).toMatchObject({ state: "confirmed", transactionId: TRANSACTION, chargedCents: 1_500 });
    const awaited = { ...EVENTS.order_seen, order: order({ state: "awaiting", confirmUrl: "https://b" }) };
    expect(moved(RECORDS.unknown, awaited).next).toMatchObject({
      state: "awaiting",
      confirmUrl: "https://b",
    });
  });

  it("does not accept a failed order as proof at once: it may be an earlier attempt's", () => {
    const failedOrder = { ...EVENTS.order_seen, order: order({ state: "failed", totalCents: null }) };
    expect(moved(RECORDS.unknown, failedOrder).next.state).toBe("unknown");
  });

  it("records an order that was paid and then cancelled as captured and refunded", () => {
    const record = watched("unknown", {
      watch: watch({ negativeReads: 2, lastNegativeAtMs: provingReadMs(1) }),
    });
    const undone = {
      ...EVENTS.order_seen,
      order: order({ state: "cancelled" }),
      readStartedAtMs: provingReadMs(2),
    };
    const change = moved(record, undone, at({ nowMs: provingReadMs(2) }));
    expect(change.next).toMatchObject({ state: "cancelled", chargedCents: 1_500, holdCents: 0 });
    expect(change.money).toEqual([
      { kind: "capture", heldCents: 1_500, cents: 1_500 },
      { kind: "refund", cents: 1_500 },
    ]);
  });

  it("asks a person after 15 minutes, with the money still held", () => {
    const late = at({ nowMs: A_MOMENT_MS + 15 * 60_000 + 1 });
    const change = moved(RECORDS.unknown, EVENTS.check_failed, late);
    expect(change.next).toMatchObject({ state: "quarantine", holdCents: 1_500 });
    expect(change.next.dueAtMs).toBeGreaterThan(late.nowMs);
  });

  it("stops the person's automatic purchases at the third unknown outcome within the window", () => {
    const stopsAfter = (recentUnknownOutcomes: number): boolean =>
      moved(paying(), EVENTS.payment_unknown, at({ facts: aSpending({ recentUnknownOutcomes }) })).stopsUser;
    expect([stopsAfter(0), stopsAfter(1), stopsAfter(2), stopsAfter(3)]).toEqual([false, false, true, true]);
  });

  it("lets the operator settle what is undecided, either way", () => {
    const confirmedByPerson = moved(RECORDS.quarantine, EVENTS.resolved);
    expect(confirmedByPerson.next).toMatchObject({ state: "confirmed", transactionId: TRANSACTION });
    expect(confirmedByPerson.money).toEqual([{ kind: "capture", heldCents: 1_500, cents: 1_500 }]);
    const cancelledByPerson = moved(RECORDS.quarantine, { kind: "resolved", as: "cancelled" });
    expect(cancelledByPerson.next).toMatchObject({ state: "cancelled", failureReason: null });
    expect(cancelledByPerson.money).toEqual([{ kind: "release", heldCents: 1_500 }]);
  });
});

describe("decide() on an order that cost more than the quote", () => {
  const proven = watch({ negativeReads: 2, lastNegativeAtMs: A_MOMENT_MS + 5_500 });
  const late = at({ nowMs: A_MOMENT_MS + 6_000 });
  const cases = [
    ["paid after an unknown outcome", watched("unknown"), "paid", "confirmed"],
    ["waiting for the bank after an unknown outcome", watched("unknown"), "awaiting", "awaiting"],
    ["cancelled after an unknown outcome", watched("unknown", { watch: proven }), "cancelled", "cancelled"],
    ["paid after the bank was awaited", watched("awaiting"), "paid", "confirmed"],
    ["cancelled after the bank was awaited", watched("awaiting"), "cancelled", "cancelled"],
  ] as const;

  it.each(cases)(
    "stops automatic purchases only for the attempt's own one, %s",
    (_how, record, state, next) => {
      const seen = (transactionId: number) =>
        moved(
          { ...record, transactionId: record.state === "awaiting" ? transactionId : null },
          {
            ...EVENTS.order_seen,
            order: order({ state, transactionId, totalCents: 1_700 }),
            readStartedAtMs: late.nowMs,
          },
          late,
        );
      const [own, byHand] = [seen(TRANSACTION), seen(TRANSACTION + 1)];
      expect([own.next.state, byHand.next.state]).toEqual([next, next]);
      // What the person bought by hand meanwhile contradicts no quote.
      expect([own.stopsUser, byHand.stopsUser]).toEqual([true, false]);
      expect(byHand.next.transactionId).toBe(TRANSACTION + 1);
      expect(byHand.money).toEqual(own.money);
      if (next !== "awaiting") expect(byHand.money).toContainEqual({ kind: "overshoot", cents: 200 });
    },
  );
});

describe("decide() when a bank confirmation stays outstanding", () => {
  const day = 24 * 60 * 60_000;
  const sinceMs = RECORDS.awaiting.watch?.sinceMs ?? 0;

  it("lets the operator settle it once it has waited for a day, and not before", () => {
    const cancel = { kind: "resolved", as: "cancelled" } as const;
    expect(decide(RECORDS.awaiting, cancel, at({ nowMs: sinceMs + day }))).toBeNull();
    const late = at({ nowMs: sinceMs + day + 1 });
    const change = moved(RECORDS.awaiting, cancel, late);
    expect(change.next).toMatchObject({ state: "cancelled", failureReason: null, confirmUrl: null });
    expect(change.money).toEqual([{ kind: "release", heldCents: 1_500 }]);
    const bought = moved(RECORDS.awaiting, EVENTS.resolved, late);
    expect(bought.next).toMatchObject({
      state: "confirmed",
      transactionId: TRANSACTION,
      chargedCents: 1_500,
    });
  });

  it("keeps the transaction id of the order that was seen, even if the last attempt had another", () => {
    const seen = { ...RECORDS.awaiting, transactionId: TRANSACTION + 1 };
    const late = at({ nowMs: sinceMs + day + 1 });
    expect(moved(seen, EVENTS.resolved, late).next.transactionId).toBe(TRANSACTION + 1);
  });
});

describe("decide() when a lease has ended", () => {
  const late = at({ nowMs: A_MOMENT_MS + 30_000 });

  it("takes over an intent, and fails a stale one", () => {
    const taken = moved(aPurchaseRecord({ wishedAtMs: late.nowMs }), EVENTS.lease_ended, late);
    expect(taken.next).toMatchObject({ state: "intent", leaseOwner: "node-2" });
    const stale = aPurchaseRecord({ wishedAtMs: A_MOMENT_MS - 1 });
    expect(moved(stale, EVENTS.lease_ended, late).next.failureReason).toBe("stale");
  });

  it("does not pay a click that was never started: its person was asked to try again", () => {
    const click = { source: "click", lane: "click", wishedAtMs: late.nowMs } as const;
    // A node that lost the store answers 503, and another node takes over what it held.
    for (const { dueAtMs } of [aPurchaseRecord(click), { dueAtMs: FREED_AT_MS }]) {
      const { next } = moved(aPurchaseRecord({ ...click, dueAtMs }), EVENTS.lease_ended, late);
      expect(next).toMatchObject({ state: "failed", failureReason: "stale", holdCents: 0 });
    }
    const begun = moved(aPurchaseRecord({ ...click, attemptCount: 1 }), EVENTS.lease_ended, late);
    expect(begun.next).toMatchObject({ state: "intent", leaseOwner: "node-2" });
  });

  it("goes back to the intent if 'paying' was not committed: nothing was paid", () => {
    const change = moved(preparing(), EVENTS.lease_ended, late);
    expect(change.next).toMatchObject({ state: "intent", leaseOwner: "node-2", attemptPhase: "none" });
    expect(change.attempts).toMatchObject([{ kind: "ended", n: 1, outcome: "abandoned" }]);
  });

  it("never resends a payment that may have been sent", () => {
    const change = moved(paying(), EVENTS.lease_ended, late);
    expect(change.next).toMatchObject({ state: "unknown", holdCents: 1_500 });
    expect(change.next.watch?.sinceMs).toBe(late.nowMs);
  });

  it("leaves a purchase alone whose lease still runs", () => {
    for (const record of [RECORDS.intent, preparing(), paying()])
      expect(decide({ ...record, dueAtMs: NOW_MS + 1 }, EVENTS.lease_ended, at())).toBeNull();
  });

  it("does not know whether a process that died had sent its cancel request", () => {
    const asking = confirmed("cancelling", { leaseOwner: "node-1", dueAtMs: NOW_MS, watch: watch() });
    expect(moved(asking, EVENTS.lease_ended).next.state).toBe("cancel_unknown");
    expect(moved(RECORDS.cancelling, EVENTS.lease_ended).next.state).toBe("cancelling");
  });
});

describe("decide() on cancelling", () => {
  const seen = (traits: Partial<SeenOrder>, readStartedAtMs = NOW_MS): PurchaseEvent<"order_seen"> => ({
    kind: "order_seen",
    order: order(traits),
    readStartedAtMs,
  });

  it("cancels only when the marketplace shows 'Annulé', and records a refund that frees no limit", () => {
    expect(moved(RECORDS.cancelling, seen({ cancellation: "granted" })).next.state).toBe("cancelling");
    const change = moved(RECORDS.cancelling, seen({ state: "cancelled", cancellation: "granted" }));
    expect(change.next).toMatchObject({ state: "cancelled", chargedCents: 1_500 });
    expect(change.money).toEqual([{ kind: "refund", cents: 1_500 }]);
  });

  it("goes back to CONFIRMED when the cancel is refused", () => {
    expect(moved(RECORDS.cancelling, seen({ cancellation: "refused" })).next.state).toBe("confirmed");
  });

  it.each([{ cancellation: "none" as const }, { cancellation: "refused" as const }])(
    "requires the same proof that a cancel never arrived as for a payment: $cancellation, perhaps of an earlier one",
    (traits) => {
      let record = RECORDS.cancel_unknown;
      for (const afterMs of [0, 4_999, 5_000, 5_500]) {
        const readAtMs = A_MOMENT_MS + afterMs;
        record = moved(record, seen(traits, readAtMs), at({ nowMs: readAtMs })).next;
        expect(record.state).toBe("cancel_unknown");
      }
      const readAtMs = A_MOMENT_MS + 6_000;
      expect(moved(record, seen(traits, readAtMs), at({ nowMs: readAtMs })).next.state).toBe("confirmed");
    },
  );

  it("refunds a confirmed order that the seller cancelled", () => {
    const change = moved(RECORDS.confirmed, seen({ state: "cancelled" }));
    expect(change.next.state).toBe("cancelled");
    expect(change.money).toEqual([{ kind: "refund", cents: 1_500 }]);
  });

  it("releases the hold when the bank confirmation failed", () => {
    const change = moved(RECORDS.awaiting, seen({ state: "failed" }));
    expect(change.next).toMatchObject({ state: "failed", failureReason: "not_confirmed", confirmUrl: null });
    expect(change.money).toEqual([{ kind: "release", heldCents: 1_500 }]);
  });

  it("captures and refunds an order that the bank confirmed and the seller cancelled", () => {
    const change = moved(RECORDS.awaiting, seen({ state: "cancelled" }));
    expect(change.next).toMatchObject({ state: "cancelled", failureReason: null, chargedCents: 1_500 });
    expect(change.money).toEqual([
      { kind: "capture", heldCents: 1_500, cents: 1_500 },
      { kind: "refund", cents: 1_500 },
    ]);
  });

  it("ignores an expired link: the order still awaits its bank", () => {
    const change = moved(RECORDS.awaiting, seen({ state: "awaiting", confirmUrl: null }));
    expect(change.next).toMatchObject({ state: "awaiting", confirmUrl: "https://bank/1" });
  });
});
