import { describe, expect, it } from "vitest";
import { NO_RULES } from "#domain/buying-rules.ts";
import { asGroupId } from "#domain/ids.ts";
import type { FailureReason } from "#domain/purchase.ts";
import { DAY_MS } from "#domain/clock.ts";
import type { PurchaseFacts } from "#store/purchase-facts.ts";
import { aSpending, someRuleFacts } from "#verify/testing/a-purchase-record.ts";
import {
  at,
  confirmed,
  EVENTS,
  moved,
  order,
  paying,
  preparing,
  quotedAt,
  watch,
  watched,
} from "./decide-cases.suite.ts";

const group = { id: asGroupId("g1"), maxPurchases: 2, budgetEur: 60 };
const inGroup = preparing({ groupId: group.id });
const facts = (traits: Partial<PurchaseFacts>) => at({ facts: aSpending(traits) });
const ofRules = (rules: Partial<typeof NO_RULES>) => {
  const { filter } = aSpending();
  return filter === null ? null : { ...filter, rules: { ...NO_RULES, ...rules } };
};
const RULE = { state: "failed", failureReason: "rule_reached", holdCents: 0, reachedCheckout: true };

describe("the last quote, checked against the rules", () => {
  it("is paid within the group's places and budget, shipping included", () => {
    const within = facts({
      ruleFacts: someRuleFacts({ group, taken: { groupCount: 1, groupCents: 4_500 } }),
    });
    expect(moved(inGroup, quotedAt(1_120, 1_500), within).next.attemptPhase).toBe("paying");
    const change = moved(inGroup, quotedAt(1_120, 1_501), within);
    expect(change.next).toMatchObject(RULE);
    expect(change.money).toEqual([{ kind: "release", heldCents: 1_120 }]);
  });

  it("is not paid when the group's number was lowered meanwhile", () => {
    const full = someRuleFacts({ group, taken: { groupCount: 2 } });
    expect(moved(inGroup, EVENTS.quoted, facts({ ruleFacts: full })).next).toMatchObject(RULE);
  });

  it("is not paid when its group was removed, which switched its filters off", () => {
    const filter = ofRules({});
    const gone = facts({ filter: filter === null ? null : { ...filter, isAutobuy: false } });
    expect(moved(inGroup, EVENTS.quoted, gone).next).toMatchObject(RULE);
    const stopped = facts({ isAccountStopped: true });
    expect(moved(inGroup, EVENTS.quoted, stopped).next.failureReason).toBe("stopped");
    const blocked = facts({ isSellerBlocked: true });
    expect(moved(inGroup, EVENTS.quoted, blocked).next.failureReason).toBe("stopped");
  });

  it.each([
    ["a day", { dayBudgetEur: 30 }, { filterDayCents: 1_501 }],
    ["all days", { totalBudgetEur: 30 }, { filterCents: 1_501 }],
  ] as const)("is checked against the filter's budget of %s", (_, rules, taken) => {
    const of = (cents: number) =>
      facts({
        filter: ofRules(rules),
        ruleFacts: someRuleFacts({
          taken: Object.fromEntries(Object.keys(taken).map((sum) => [sum, cents])),
        }),
      });
    expect(moved(preparing(), quotedAt(1_120, 1_500), of(1_500)).next.attemptPhase).toBe("paying");
    expect(moved(preparing(), quotedAt(1_120, 1_500), of(1_501)).next).toMatchObject(RULE);
  });

  it("of a click is not subject to any filter's rules", () => {
    const click = preparing({ source: "click", filterId: null });
    const full = someRuleFacts({ group, taken: { groupCount: 9, groupCents: 99_999 } });
    expect(moved(click, EVENTS.quoted, facts({ filter: null, ruleFacts: full })).next.attemptPhase).toBe(
      "paying",
    );
  });
});

describe("what counts as a failure of a filter", () => {
  const refused = (reason: FailureReason) => ({
    ...EVENTS.payment_refused,
    failure: { kind: "final" as const, reason },
  });

  it.each(["insufficient_funds", "payment_refused", "address_invalid", "account_refused"] as const)(
    "is a payment that failed: %s",
    (reason) => {
      expect(moved(paying(), refused(reason)).next).toMatchObject({ state: "failed", isSetback: true });
    },
  );

  it.each(["sold", "price_rose", "stale", "rate_limited", "limit_reached", "withdrawn"] as const)(
    "is not being late: %s",
    (reason) => {
      expect(moved(paying(), refused(reason)).next).toMatchObject({ state: "failed", isSetback: false });
    },
  );

  it("is a payment that never took effect, unless that is proven more than a day later", () => {
    const ended = (nowMs: number) => {
      const read = { negativeReads: 2, lastNegativeAtMs: nowMs - 60_000 };
      const record = watched("unknown", { watch: watch(read) });
      return moved(record, { kind: "order_absent", readStartedAtMs: nowMs }, at({ nowMs })).next;
    };
    const { decidedAtMs } = watched("unknown");
    const never = { state: "failed", failureReason: "never_effective" };
    expect(ended(decidedAtMs + DAY_MS)).toMatchObject({ ...never, isSetback: true });
    expect(ended(decidedAtMs + DAY_MS + 1)).toMatchObject({ ...never, isSetback: false });
  });

  it("is a bank that was never confirmed, and an order that was cancelled within a day", () => {
    const seen = (state: "failed" | "cancelled") => ({ ...EVENTS.order_seen, order: order({ state }) });
    expect(moved(watched("awaiting"), seen("failed")).next).toMatchObject({
      failureReason: "not_confirmed",
      isSetback: true,
    });
    const bought = confirmed("confirmed");
    const inTime = at({ nowMs: bought.decidedAtMs + DAY_MS });
    const later = at({ nowMs: bought.decidedAtMs + DAY_MS + 1 });
    expect(moved(bought, seen("cancelled"), inTime).next).toMatchObject({
      state: "cancelled",
      isSetback: true,
    });
    expect(moved(bought, seen("cancelled"), later).next).toMatchObject({
      state: "cancelled",
      isSetback: false,
    });
  });
});
