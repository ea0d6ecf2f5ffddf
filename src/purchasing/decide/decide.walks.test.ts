import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PurchaseState } from "#domain/purchase.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import type { Change, MoneyMove } from "#store/purchase-store.ts";
import { deltasOf } from "#store/purchases/operations.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { aPurchaseRecord, aSpending } from "#verify/testing/a-purchase-record.ts";
import { decide } from "./decide.ts";
import type { PurchaseEvent } from "./purchase-event.ts";

/** The transitions of docs/purchase.md. */
const ARROWS: Readonly<Record<PurchaseState, readonly PurchaseState[]>> = {
  intent: ["intent", "submitting", "failed"],
  submitting: ["submitting", "intent", "awaiting", "confirmed", "failed", "unknown"],
  unknown: ["unknown", "confirmed", "awaiting", "failed", "cancelled", "quarantine"],
  quarantine: ["quarantine", "confirmed", "awaiting", "failed", "cancelled"],
  awaiting: ["awaiting", "confirmed", "failed", "cancelled"],
  confirmed: ["cancelling", "cancelled"],
  cancelling: ["cancelling", "cancel_unknown", "confirmed", "cancelled"],
  cancel_unknown: ["cancel_unknown", "confirmed", "cancelled"],
  cancelled: [],
  failed: [],
};

const owner = fc.constantFrom("node-1", "node-2");
/** How many attempts before the current one the event belongs to. */
const ago = fc.constantFrom(0, 0, 0, 1);
const cents = fc.integer({ min: 1, max: 3_000 });
const reason = fc.constantFrom("sold", "withdrawn", "insufficient_funds", "account_refused" as const);
const failure = fc.oneof(
  fc.record({ kind: fc.constant("final" as const), reason }),
  fc.record({ kind: fc.constant("retry" as const), reason, waitMs: fc.integer({ min: 0, max: 40_000 }) }),
);
const leaseMs = fc.integer({ min: 1_000, max: 60_000 });
const seenOrder = fc.record({
  transactionId: fc.constant(9),
  state: fc.constantFrom("awaiting", "paid", "cancelled", "failed" as const),
  totalCents: fc.option(cents),
  cancellation: fc.constantFrom("none", "requested", "refused", "granted" as const),
  confirmUrl: fc.option(fc.constant("https://bank/1")),
});

type Step = (nowMs: number, attemptCount: number) => PurchaseEvent;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(owner, leaseMs).map(([by, ms]): Step => (now) => ({
    kind: "submit",
    owner: by,
    leaseUntilMs: now + ms,
  })),
  fc.tuple(owner, ago, cents, cents, leaseMs).map(([by, nth, item, shipping, ms]): Step => (now, count) => ({
    kind: "quoted",
    n: count - nth,
    owner: by,
    leaseUntilMs: now + ms,
    transactionId: 9,
    checkoutId: 7,
    itemTotalCents: item,
    totalCents: item + shipping,
    digest: "digest",
  })),
  fc.tuple(ago, failure, fc.boolean()).map(([nth, why, reached]): Step => (_, count) => ({
    kind: "preparation_failed",
    n: count - nth,
    failure: why,
    reachedCheckout: reached,
    evidence: {},
  })),
  fc.tuple(ago, cents).map(([nth, totalCents]): Step => (_, count) => ({
    kind: "payment_answered",
    n: count - nth,
    answer: { status: "success", transactionId: 9, totalCents },
  })),
  fc.tuple(ago, cents).map(([nth, totalCents]): Step => (_, count) => ({
    kind: "payment_answered",
    n: count - nth,
    answer: { status: "pending", transactionId: 9, totalCents, confirmUrl: "https://bank/1" },
  })),
  fc.tuple(ago, reason).map(([nth, why]): Step => (_, count) => ({
    kind: "payment_answered",
    n: count - nth,
    answer: { status: "failure", reason: why },
  })),
  fc.tuple(ago, failure).map(([nth, why]): Step => () => ({
    kind: "payment_refused",
    n: nth,
    failure: why,
    evidence: {},
  })),
  ago.map((nth): Step => (_, count) => ({ kind: "payment_unknown", n: count - nth, evidence: {} })),
  fc.tuple(owner, leaseMs).map(([by, ms]): Step => (now) => ({
    kind: "lease_ended",
    owner: by,
    leaseUntilMs: now + ms,
  })),
  seenOrder.map((order): Step => (now) => ({ kind: "order_seen", order, readStartedAtMs: now })),
  fc.constant<Step>((now) => ({ kind: "order_absent", readStartedAtMs: now })),
  fc.constant<Step>(() => ({ kind: "check_failed" })),
  fc.tuple(owner, leaseMs).map(([by, ms]): Step => (now) => ({
    kind: "cancel_asked",
    owner: by,
    leaseUntilMs: now + ms,
  })),
  fc.constantFrom<Step>(
    () => ({ kind: "cancel_refused" }),
    () => ({ kind: "cancel_uncertain" }),
    () => ({ kind: "resolved", as: "confirmed" }),
    () => ({ kind: "resolved", as: "cancelled" }),
  ),
);

/** Mostly short; sometimes longer than an outcome may stay unknown. */
const wait = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 0, max: 4_000 }) },
  { weight: 1, arbitrary: fc.constant(16 * 60_000) },
);

interface Walk {
  record: PurchaseRecord;
  readonly moves: MoneyMove[];
  readonly opened: number[];
  readonly paying: number[];
  readonly ended: Map<number, string>;
}

function begin(hadUnknownOutcome: boolean): Walk {
  const record = aPurchaseRecord({ hadUnknownOutcome, priceCapCents: 1_500 });
  const hold: MoneyMove = { kind: "hold", cents: record.holdCents, isFirst: true };
  return { record, moves: [hold], opened: [], paying: [], ended: new Map() };
}

function apply(walk: Walk, change: Change): void {
  for (const move of change.attempts) {
    if (move.kind === "opened") {
      // n + 1 only after recorded proof that n did not pay (I8).
      if (move.n > 1) expect(walk.ended.get(move.n - 1)).not.toBe("unknown");
      expect(walk.ended.size).toBe(move.n - 1);
      walk.opened.push(move.n);
    }
    if (move.kind === "paying") walk.paying.push(move.n);
    if (move.kind === "ended") {
      expect(walk.ended.has(move.n)).toBe(false);
      walk.ended.set(move.n, move.outcome);
    }
  }
  walk.moves.push(...change.money);
  walk.record = change.next;
}

function check(walk: Walk): void {
  const { record, moves } = walk;
  const sum = (of: (move: MoneyMove) => number): number => moves.reduce((total, move) => total + of(move), 0);
  // I6: the budget is the sum of the ledger, and holds what the purchase holds.
  expect(sum((move) => deltasOf(move).held)).toBe(record.holdCents);
  const closing = moves.filter(({ kind }) => kind === "capture" || kind === "release").length;
  const isOrdered = ["confirmed", "cancelling", "cancel_unknown", "cancelled"].includes(record.state);
  expect(closing).toBe(isOrdered || record.state === "failed" ? 1 : 0);
  if (record.chargedCents !== null) {
    const { captured, extra } = moves.map(deltasOf).reduce((total, each) => ({
      ...total,
      captured: total.captured + each.captured,
      extra: total.extra + each.extra,
    }));
    expect(captured + extra).toBe(record.chargedCents);
  }
  expect(sum((move) => deltasOf(move).purchases)).toBe(
    record.state === "failed" || moves.some(({ kind }) => kind === "release") ? 0 : 1,
  );
  // At most one paying request per attempt, and none without an attempt.
  expect(new Set(walk.paying).size).toBe(walk.paying.length);
  expect(walk.paying.every((each) => walk.opened.includes(each))).toBe(true);
  // Final and confirmed purchases have no due time; all others have one.
  const isAtRest = ["confirmed", "cancelled", "failed"].includes(record.state);
  expect(record.dueAtMs === null).toBe(isAtRest);
}

describe("decide() on random event sequences", () => {
  it("makes only allowed transitions, and keeps money and attempts consistent, for any events in any order", () => {
    const reached = new Set<PurchaseState>();
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.tuple(step, wait, fc.integer({ min: 0, max: 3 })), {
          minLength: 20,
          maxLength: 120,
        }),
        (hadUnknownOutcome, steps) => {
          const walk = begin(hadUnknownOutcome);
          let nowMs = A_MOMENT_MS;
          for (const [next, waitMs, recentUnknownOutcomes] of steps) {
            nowMs += waitMs;
            const { record } = walk;
            const totals = { heldCents: record.holdCents, capturedCents: 0, extraCents: 0, purchases: 1 };
            const facts = aSpending({ day: totals, month: totals, recentUnknownOutcomes });
            const event = next(nowMs, record.attemptCount);
            const change = decide(record, event, { nowMs, jitter: 0.5, reconcileMs: 5_000, facts });
            if (change === null) continue;
            expect(ARROWS[record.state]).toContain(change.next.state);
            if (change.next.attemptPhase === "paying" && record.attemptPhase !== "paying")
              expect(event).toMatchObject({ kind: "quoted" });
            apply(walk, change);
            check(walk);
            reached.add(change.next.state);
          }
        },
      ),
      { numRuns: 1_500, seed: 20_261_120 },
    );
    // The walks must also reach the rare states.
    expect([...reached].sort()).toEqual(Object.keys(ARROWS).sort());
  });
});
