import { describe, expect, it } from "vitest";
import type { PurchaseState } from "#domain/purchase.ts";
import type { Change, PurchaseRecord, Watch } from "#store/purchase-store.ts";
import { A_MOMENT_MS } from "#testing/fake-clock.ts";
import { aPurchaseRecord, aSpending } from "#testing/a-purchase-record.ts";
import { decide } from "./decide.ts";
import type { Circumstances, PurchaseEvent, PurchaseEventKind, SeenOrder } from "./purchase-event.ts";

const NOW_MS = A_MOMENT_MS + 1_000;
const TRANSACTION = 9_000_000_001;

function at(traits: Partial<Circumstances> = {}): Circumstances {
  return { nowMs: NOW_MS, jitter: 0.5, reconcileMs: 5_000, facts: aSpending(), ...traits };
}

const watch = (traits: Partial<Watch> = {}): Watch => ({
  sinceMs: A_MOMENT_MS,
  looks: 0,
  negativeReads: 0,
  lastNegativeAtMs: null,
  ...traits,
});

/** One typical record of each state. */
const RECORDS: Readonly<Record<PurchaseState, PurchaseRecord>> = {
  intent: aPurchaseRecord(),
  submitting: paying(),
  unknown: watched("unknown"),
  quarantine: watched("quarantine"),
  awaiting: watched("awaiting", { transactionId: TRANSACTION, confirmUrl: "https://bank/1" }),
  confirmed: confirmed("confirmed"),
  cancelling: confirmed("cancelling", { leaseOwner: null, dueAtMs: NOW_MS, watch: watch() }),
  cancel_unknown: confirmed("cancel_unknown", { leaseOwner: null, dueAtMs: NOW_MS, watch: watch() }),
  cancelled: confirmed("cancelled"),
  failed: aPurchaseRecord({
    state: "failed",
    failureReason: "sold",
    holdCents: 0,
    leaseOwner: null,
    dueAtMs: null,
  }),
};

function preparing(traits: Partial<PurchaseRecord> = {}): PurchaseRecord {
  return aPurchaseRecord({ state: "submitting", attemptCount: 1, attemptPhase: "preparing", ...traits });
}

function paying(traits: Partial<PurchaseRecord> = {}): PurchaseRecord {
  return preparing({
    attemptPhase: "paying",
    reachedCheckout: true,
    attemptTransactionId: TRANSACTION,
    checkoutId: 7,
    holdCents: 1_500,
    ...traits,
  });
}

function watched(state: PurchaseState, traits: Partial<PurchaseRecord> = {}): PurchaseRecord {
  return paying({
    state,
    attemptPhase: "none",
    leaseOwner: null,
    dueAtMs: NOW_MS,
    hadDoubt: state !== "awaiting",
    watch: watch(),
    ...traits,
  });
}

function confirmed(state: PurchaseState, traits: Partial<PurchaseRecord> = {}): PurchaseRecord {
  return paying({
    state,
    attemptPhase: "none",
    transactionId: TRANSACTION,
    chargedCents: 1_500,
    holdCents: 0,
    leaseOwner: null,
    dueAtMs: null,
    ...traits,
  });
}

const order = (traits: Partial<SeenOrder> = {}): SeenOrder => ({
  transactionId: TRANSACTION,
  state: "paid",
  totalCents: 1_500,
  cancellation: "none",
  confirmUrl: null,
  ...traits,
});

/** One event of each kind. */
const EVENTS: { readonly [Kind in PurchaseEventKind]: PurchaseEvent<Kind> } = {
  submit: { kind: "submit", owner: "node-1", leaseUntilMs: NOW_MS + 90_000 },
  quoted: quotedAt(1_120, 1_500),
  preparation_failed: {
    kind: "preparation_failed",
    n: 1,
    failure: { kind: "final", reason: "sold" },
    reachedCheckout: false,
    evidence: {},
  },
  payment_answered: {
    kind: "payment_answered",
    n: 1,
    answer: { status: "success", transactionId: TRANSACTION, totalCents: 1_500 },
  },
  payment_refused: {
    kind: "payment_refused",
    n: 1,
    failure: { kind: "final", reason: "insufficient_funds" },
    evidence: {},
  },
  payment_doubtful: { kind: "payment_doubtful", n: 1, evidence: { code: "timeout" } },
  lease_ended: { kind: "lease_ended", owner: "node-2", leaseUntilMs: NOW_MS + 60_000 },
  order_seen: { kind: "order_seen", order: order(), readStartedAtMs: NOW_MS },
  order_absent: { kind: "order_absent", readStartedAtMs: NOW_MS },
  look_failed: { kind: "look_failed" },
  cancel_asked: { kind: "cancel_asked", owner: "node-1", leaseUntilMs: NOW_MS + 45_000 },
  cancel_refused: { kind: "cancel_refused" },
  cancel_doubtful: { kind: "cancel_doubtful" },
  resolved: { kind: "resolved", as: "confirmed" },
};

function quotedAt(itemTotalCents: number, totalCents: number): PurchaseEvent<"quoted"> {
  return {
    kind: "quoted",
    n: 1,
    owner: "node-1",
    leaseUntilMs: NOW_MS + 60_000,
    transactionId: TRANSACTION,
    checkoutId: 7,
    itemTotalCents,
    totalCents,
    digest: "digest",
  };
}

/** Where each event of EVENTS leads from each record of RECORDS; what is absent changes nothing. */
const EXPECTED: Readonly<Record<PurchaseState, Partial<Record<PurchaseEventKind, PurchaseState>>>> = {
  intent: { submit: "submitting" },
  submitting: {
    payment_answered: "confirmed",
    payment_refused: "failed",
    payment_doubtful: "unknown",
  },
  unknown: {
    payment_answered: "confirmed",
    lease_ended: "unknown",
    order_seen: "confirmed",
    order_absent: "unknown",
    look_failed: "unknown",
  },
  quarantine: {
    payment_answered: "confirmed",
    lease_ended: "quarantine",
    order_seen: "confirmed",
    order_absent: "quarantine",
    look_failed: "quarantine",
    resolved: "confirmed",
  },
  awaiting: { lease_ended: "awaiting", order_seen: "confirmed", look_failed: "awaiting" },
  confirmed: { cancel_asked: "cancelling" },
  cancelling: {
    lease_ended: "cancelling",
    order_seen: "cancelling",
    look_failed: "cancelling",
    cancel_refused: "confirmed",
    cancel_doubtful: "cancel_unknown",
  },
  cancel_unknown: {
    lease_ended: "cancel_unknown",
    order_seen: "cancel_unknown",
    look_failed: "cancel_unknown",
    cancel_refused: "confirmed",
    resolved: "confirmed",
  },
  cancelled: {},
  failed: {},
};

const states = Object.keys(RECORDS) as PurchaseState[];
const kinds = Object.keys(EVENTS) as PurchaseEventKind[];

function moved(record: PurchaseRecord, event: PurchaseEvent, when = at()): Change {
  const change = decide(record, event, when);
  if (change === null) throw new Error(`${event.kind} changed nothing in ${record.state}`);
  return change;
}

describe("decide(), cell by cell", () => {
  it.each(states.flatMap((state) => kinds.map((kind) => [state, kind] as const)))(
    "answers in %s to %s as the table says",
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
    person: aSpending({ limits: { ...aSpending().limits, isStopped: true } }),
    filter: aSpending({ isFilterOff: true }),
  };

  it.each(Object.entries(stops))("obeys the stop of %s at both commits before paying", (_, facts) => {
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

  it("lets clicks pass a person's own stop, but no stop of the operator", () => {
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

  it("holds the item total of the last quote against the cap: shipping does not count", () => {
    expect(moved(preparing(), quotedAt(1_120, 9_000)).next.attemptPhase).toBe("paying");
    expect(moved(preparing(), quotedAt(1_121, 1_121)).next).toMatchObject({
      state: "failed",
      failureReason: "price_rose",
      reachedCheckout: true,
    });
  });

  it("holds the all-in total against the limits, the purchase's own hold counted once", () => {
    const limits = { dayEur: 15, monthEur: 15, purchasesPerDay: 20, isStopped: false };
    const facts = aSpending({ limits });
    expect(moved(preparing(), quotedAt(1_120, 1_500), at({ facts })).next.state).toBe("submitting");
    const change = moved(preparing(), quotedAt(1_120, 1_501), at({ facts }));
    expect(change.next).toMatchObject({ state: "failed", failureReason: "limit_reached" });
    expect(change.money).toEqual([{ kind: "release", heldCents: 1_120 }]);
  });

  it("never lets a second quote of one attempt pay", () => {
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

  it("goes back to INTENT for a refusal that may be tried again, not before the wait is over", () => {
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

  it("does not believe 'sold' after an earlier doubt: it may be sold to us", () => {
    const sold = { kind: "final", reason: "sold" } as const;
    const refused = { ...EVENTS.payment_refused, failure: sold };
    expect(moved(paying({ hadDoubt: true }), refused).next).toMatchObject({
      state: "unknown",
      holdCents: 1_500,
    });
    const earlier = { ...EVENTS.preparation_failed, failure: sold };
    expect(moved(preparing({ hadDoubt: true }), earlier).next.state).toBe("unknown");
    expect(moved(paying(), refused).next).toMatchObject({ state: "failed", failureReason: "sold" });
  });
});

describe("decide() on what was charged", () => {
  const answered = (totalCents: number): PurchaseEvent<"payment_answered"> => ({
    kind: "payment_answered",
    n: 1,
    answer: { status: "success", transactionId: TRANSACTION, totalCents },
  });

  it("captures the real amount and gives the rest of the hold back", () => {
    const change = moved(paying(), answered(1_400));
    expect(change.next).toMatchObject({ chargedCents: 1_400, holdCents: 0, transactionId: TRANSACTION });
    expect(change.money).toEqual([{ kind: "capture", heldCents: 1_500, cents: 1_400 }]);
    expect(change.stopsUser).toBe(false);
  });

  it("never hides an overshoot: confirmed, booked beside the budget, and the person's stop thrown", () => {
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

describe("decide() in doubt", () => {
  const lateEnough = (n: number): number => A_MOMENT_MS + 5_000 + n * 500;
  const absentAt = (readStartedAtMs: number): PurchaseEvent<"order_absent"> => ({
    kind: "order_absent",
    readStartedAtMs,
  });

  it("keeps the hold", () => {
    const change = moved(paying(), EVENTS.payment_doubtful);
    expect(change.next).toMatchObject({ state: "unknown", holdCents: 1_500, hadDoubt: true });
    expect(change.money).toEqual([]);
  });

  it("does not count a read that began before the longest time to effect was over", () => {
    let record = RECORDS.unknown;
    for (const readAtMs of [A_MOMENT_MS, A_MOMENT_MS + 2_000, A_MOMENT_MS + 4_999])
      record = moved(record, absentAt(readAtMs), at({ nowMs: readAtMs })).next;
    expect(record.watch?.negativeReads).toBe(0);
  });

  it("fails after three complete reads, spaced, that show nothing; and only then gives the money back", () => {
    let record = RECORDS.unknown;
    for (const n of [0, 1]) {
      const change = moved(record, absentAt(lateEnough(n)), at({ nowMs: lateEnough(n) }));
      expect(change.next.state).toBe("unknown");
      expect(change.money).toEqual([]);
      record = change.next;
    }
    const settled = moved(record, absentAt(lateEnough(2)), at({ nowMs: lateEnough(2) }));
    expect(settled.next).toMatchObject({ state: "failed", failureReason: "never_effective" });
    expect(settled.money).toEqual([{ kind: "release", heldCents: 1_500 }]);
  });

  it("does not count reads that follow one another too closely", () => {
    let record = RECORDS.unknown;
    for (const readAtMs of [lateEnough(0), lateEnough(0) + 499, lateEnough(0) + 499])
      record = moved(record, absentAt(readAtMs), at({ nowMs: readAtMs })).next;
    expect(record.watch?.negativeReads).toBe(1);
  });

  it("believes an order at any time", () => {
    const seen = moved(RECORDS.unknown, EVENTS.order_seen);
    expect(seen.next).toMatchObject({ state: "confirmed", transactionId: TRANSACTION, chargedCents: 1_500 });
    const awaited = { ...EVENTS.order_seen, order: order({ state: "awaiting", confirmUrl: "https://b" }) };
    expect(moved(RECORDS.unknown, awaited).next).toMatchObject({
      state: "awaiting",
      confirmUrl: "https://b",
    });
  });

  it("does not take a failed order for proof at once: an earlier attempt may have left it", () => {
    const failedOrder = { ...EVENTS.order_seen, order: order({ state: "failed", totalCents: null }) };
    expect(moved(RECORDS.unknown, failedOrder).next.state).toBe("unknown");
  });

  it("books an order that took effect and was undone as captured and refunded", () => {
    const record = watched("unknown", {
      watch: watch({ negativeReads: 2, lastNegativeAtMs: lateEnough(1) }),
    });
    const undone = {
      ...EVENTS.order_seen,
      order: order({ state: "cancelled" }),
      readStartedAtMs: lateEnough(2),
    };
    const change = moved(record, undone, at({ nowMs: lateEnough(2) }));
    expect(change.next).toMatchObject({ state: "cancelled", chargedCents: 1_500, holdCents: 0 });
    expect(change.money).toEqual([
      { kind: "capture", heldCents: 1_500, cents: 1_500 },
      { kind: "refund", cents: 1_500 },
    ]);
  });

  it("asks a person after 15 minutes, with the money still held", () => {
    const late = at({ nowMs: A_MOMENT_MS + 15 * 60_000 + 1 });
    const change = moved(RECORDS.unknown, EVENTS.look_failed, late);
    expect(change.next).toMatchObject({ state: "quarantine", holdCents: 1_500 });
    expect(change.next.dueAtMs).toBeGreaterThan(late.nowMs);
  });

  it("throws the person's stop at the third doubt within the window", () => {
    const doubtAfter = (recentDoubts: number): boolean =>
      moved(paying(), EVENTS.payment_doubtful, at({ facts: aSpending({ recentDoubts }) })).stopsUser;
    expect([doubtAfter(0), doubtAfter(1), doubtAfter(2), doubtAfter(3)]).toEqual([false, false, true, true]);
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

describe("decide() when a lease has ended", () => {
  const late = at({ nowMs: A_MOMENT_MS + 30_000 });

  it("takes an intent over, and lets a stale one fail", () => {
    const taken = moved(aPurchaseRecord({ wishedAtMs: late.nowMs }), EVENTS.lease_ended, late);
    expect(taken.next).toMatchObject({ state: "intent", leaseOwner: "node-2" });
    const stale = aPurchaseRecord({ wishedAtMs: A_MOMENT_MS - 1 });
    expect(moved(stale, EVENTS.lease_ended, late).next.failureReason).toBe("stale");
  });

  it("knows that nothing was paid before 'paying' was committed", () => {
    const change = moved(preparing(), EVENTS.lease_ended, late);
    expect(change.next).toMatchObject({ state: "intent", leaseOwner: "node-2", attemptPhase: "none" });
    expect(change.attempts).toMatchObject([{ kind: "ended", n: 1, outcome: "abandoned" }]);
  });

  it("never sends again what may have been sent", () => {
    const change = moved(paying(), EVENTS.lease_ended, late);
    expect(change.next).toMatchObject({ state: "unknown", holdCents: 1_500 });
    expect(change.next.watch?.sinceMs).toBe(late.nowMs);
  });

  it("leaves a purchase alone whose lease still runs", () => {
    for (const record of [RECORDS.intent, preparing(), paying()])
      expect(decide({ ...record, dueAtMs: NOW_MS + 1 }, EVENTS.lease_ended, at())).toBeNull();
  });

  it("does not know whether a cancel was asked for by a process that is gone", () => {
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

  it("believes 'Annulé' only when the marketplace shows it, and books a refund that re-opens nothing", () => {
    expect(moved(RECORDS.cancelling, seen({ cancellation: "granted" })).next.state).toBe("cancelling");
    const change = moved(RECORDS.cancelling, seen({ state: "cancelled", cancellation: "granted" }));
    expect(change.next).toMatchObject({ state: "cancelled", chargedCents: 1_500 });
    expect(change.money).toEqual([{ kind: "refund", cents: 1_500 }]);
  });

  it("goes back to CONFIRMED when the cancel is refused", () => {
    expect(moved(RECORDS.cancelling, seen({ cancellation: "refused" })).next.state).toBe("confirmed");
  });

  it("needs the same proof as a payment that a cancel never arrived", () => {
    let record = RECORDS.cancel_unknown;
    for (const afterMs of [0, 4_999, 5_000, 5_500]) {
      const readAtMs = A_MOMENT_MS + afterMs;
      record = moved(record, seen({}, readAtMs), at({ nowMs: readAtMs })).next;
      expect(record.state).toBe("cancel_unknown");
    }
    const readAtMs = A_MOMENT_MS + 6_000;
    expect(moved(record, seen({}, readAtMs), at({ nowMs: readAtMs })).next.state).toBe("confirmed");
  });

  it("sees that the seller cancelled a confirmed order", () => {
    const change = moved(RECORDS.confirmed, seen({ state: "cancelled" }));
    expect(change.next.state).toBe("cancelled");
    expect(change.money).toEqual([{ kind: "refund", cents: 1_500 }]);
  });

  it("releases the hold when the bank was never satisfied", () => {
    const change = moved(RECORDS.awaiting, seen({ state: "failed" }));
    expect(change.next).toMatchObject({ state: "failed", failureReason: "not_confirmed", confirmUrl: null });
    expect(change.money).toEqual([{ kind: "release", heldCents: 1_500 }]);
  });

  it("takes an expired link for nothing: the order still awaits", () => {
    const change = moved(RECORDS.awaiting, seen({ state: "awaiting", confirmUrl: null }));
    expect(change.next).toMatchObject({ state: "awaiting", confirmUrl: "https://bank/1" });
  });
});
