import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aSpending } from "#verify/testing/a-purchase-record.ts";
import { budgetKeys, hasRoomFor, limitAgainst } from "./limits.ts";

const NOTHING = { heldCents: 0, capturedCents: 0, extraCents: 0, purchases: 0 };

describe("budgetKeys()", () => {
  it("ends the day at midnight in Paris, not in UTC", () => {
    expect(budgetKeys(Date.UTC(2026, 10, 20, 22, 59, 59)).dayKey).toBe("2026-11-20");
    expect(budgetKeys(Date.UTC(2026, 10, 20, 23, 0, 0)).dayKey).toBe("2026-11-21");
  });

  it("ends the day an hour earlier in UTC while summer time counts", () => {
    expect(budgetKeys(Date.UTC(2026, 6, 1, 21, 59, 59)).dayKey).toBe("2026-07-01");
    expect(budgetKeys(Date.UTC(2026, 6, 1, 22, 0, 0)).dayKey).toBe("2026-07-02");
  });

  it("keeps the days of both changes of the clocks whole: 23 and 25 hours", () => {
    const hoursOf = (dayKey: string, fromMs: number): number =>
      Array.from({ length: 72 }, (_, hour) => budgetKeys(fromMs + hour * 3_600_000).dayKey).filter(
        (key) => key === dayKey,
      ).length;
    expect(hoursOf("2026-03-29", Date.UTC(2026, 2, 28))).toBe(23);
    expect(hoursOf("2026-10-25", Date.UTC(2026, 9, 24))).toBe(25);
  });

  it("ends the month and the year in Paris too", () => {
    const lastSecond = Date.UTC(2026, 11, 31, 22, 59, 59);
    expect(budgetKeys(lastSecond)).toEqual({ dayKey: "2026-12-31", monthKey: "2026-12" });
    expect(budgetKeys(lastSecond + 1_000)).toEqual({ dayKey: "2027-01-01", monthKey: "2027-01" });
  });
});

describe("limitAgainst()", () => {
  const limits = { dayEur: 30, monthEur: 100, purchasesPerDay: 2, isStopped: false, isPrudent: true };

  it("lets a purchase reach a limit exactly, and not a cent more", () => {
    const facts = aSpending({ limits, day: NOTHING, month: NOTHING });
    expect(limitAgainst(facts, 3_000)).toBeNull();
    expect(limitAgainst(facts, 3_001)).toBe("day");
  });

  it("counts amounts held, captured and spent outside alike", () => {
    const day = { heldCents: 1_000, capturedCents: 1_000, extraCents: 999, purchases: 1 };
    expect(limitAgainst(aSpending({ limits, day, month: NOTHING }), 1)).toBeNull();
    expect(limitAgainst(aSpending({ limits, day, month: NOTHING }), 2)).toBe("day");
  });

  it("names the month when the day's limit is not reached", () => {
    const month = { ...NOTHING, capturedCents: 9_500 };
    expect(limitAgainst(aSpending({ limits, day: NOTHING, month }), 600)).toBe("month");
  });

  it("names the count when the day's number of purchases is reached", () => {
    expect(limitAgainst(aSpending({ limits, day: { ...NOTHING, purchases: 2 }, month: NOTHING }), 1)).toBe(
      "count",
    );
  });

  it("allows nothing when a limit is 0", () => {
    const none = { dayEur: 0, monthEur: 0, purchasesPerDay: 0, isStopped: false, isPrudent: true };
    expect(limitAgainst(aSpending({ limits: none, day: NOTHING, month: NOTHING }), 1)).toBe("count");
    const onlyCount = { ...none, purchasesPerDay: 5 };
    expect(limitAgainst(aSpending({ limits: onlyCount, day: NOTHING, month: NOTHING }), 1)).toBe("day");
  });
});

describe("hasRoomFor()", () => {
  it("agrees with limitAgainst() about money", () => {
    const cents = fc.integer({ min: 0, max: 50_000 });
    const totals = fc.record({
      heldCents: cents,
      capturedCents: cents,
      extraCents: cents,
      purchases: fc.constant(0),
    });
    const limits = fc.record({
      dayEur: fc.integer({ min: 0, max: 1_000 }),
      monthEur: fc.integer({ min: 0, max: 1_000 }),
      purchasesPerDay: fc.constant(20),
      isStopped: fc.constant(false),
      isPrudent: fc.constant(true),
    });
    fc.assert(
      fc.property(totals, totals, limits, cents, (day, month, limit, added) => {
        const facts = aSpending({ day, month, limits: limit });
        expect(hasRoomFor(facts, added)).toBe(limitAgainst(facts, added) === null);
      }),
    );
  });
});
