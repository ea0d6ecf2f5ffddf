import { describe, expect, it } from "vitest";
import { NO_RULES, type BuyingRules } from "#domain/buying-rules.ts";
import { asFilterId, asGroupId } from "#domain/ids.ts";
import type { RuleFacts } from "#store/purchase-facts.ts";
import { someRuleFacts } from "#verify/testing/a-purchase-record.ts";
import { isWithinHours, ruleAgainst, ruleAgainstQuote } from "./rules.ts";

const hours = (from: string, to: string): BuyingRules["hours"] => {
  const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  return { fromMinute: minuteOf(from), toMinute: minuteOf(to) };
};

describe("isWithinHours()", () => {
  it.each([
    ["no rule", null, [], "2026-01-12T03:00:00Z", true],
    ["the first minute, in winter", hours("08:00", "23:00"), [], "2026-01-12T07:00:00Z", true],
    ["the minute before it", hours("08:00", "23:00"), [], "2026-01-12T06:59:59Z", false],
    ["the first minute, in summer", hours("08:00", "23:00"), [], "2026-07-13T06:00:00Z", true],
    ["the end, which is no longer within", hours("08:00", "23:00"), [], "2026-07-13T21:00:00Z", false],
    ["a night, before midnight", hours("22:00", "06:00"), [], "2026-01-12T22:30:00Z", true],
    ["a night, after midnight", hours("22:00", "06:00"), [], "2026-01-13T04:59:00Z", true],
    ["midday, outside of a night", hours("22:00", "06:00"), [], "2026-01-13T12:00:00Z", false],
    // 2026-01-12 is a Monday.
    ["a day that is named", null, [1], "2026-01-12T12:00:00Z", true],
    ["a day that is not", null, [1], "2026-01-13T12:00:00Z", false],
    ["the day of Paris, not of UTC", null, [2], "2026-01-12T23:30:00Z", true],
    ["a night of Monday, on Tuesday morning", hours("22:00", "06:00"), [1], "2026-01-13T04:00:00Z", true],
    ["a night of Sunday, on Monday morning", hours("22:00", "06:00"), [7], "2026-01-12T04:00:00Z", true],
    ["a night that is not named", hours("22:00", "06:00"), [2], "2026-01-13T04:00:00Z", false],
    ["the evening of a day that is named", hours("22:00", "06:00"), [2], "2026-01-13T21:30:00Z", true],
    // Clocks go forward at 02:00, to 03:00.
    ["the hour that is left out", hours("02:00", "03:30"), [], "2026-03-29T01:15:00Z", true],
    ["the hour that comes twice", hours("02:00", "03:00"), [], "2026-10-25T01:30:00Z", true],
  ] as const)("%s", (...[, hoursOf, days, at, isWithin]) => {
    expect(isWithinHours({ hours: hoursOf, days }, Date.parse(at))).toBe(isWithin);
  });
});

const NOW_MS = Date.parse("2026-01-12T12:00:00Z");
const FILTER = asFilterId("f1");
const group = { id: asGroupId("g1"), maxPurchases: 2, budgetEur: 60 };
const terms = (rules: Partial<BuyingRules> = {}, maxPurchases: number | null = null) => ({
  rules: { ...NO_RULES, ...rules },
  maxPurchases,
});
type Ruled = ReturnType<typeof terms> & Pick<RuleFacts, "group">;
const wish = { mode: "live", cents: 2_000, nowMs: NOW_MS, filterId: FILTER } as const;

describe("ruleAgainst()", () => {
  it.each([
    ["a pause", terms({ pauseMinutes: 10 }), null, { latestAtMs: NOW_MS - 599_999 }, "pause"],
    ["the seller's count", terms({ perSellerAndDay: 2 }), null, { sellerCount: 2 }, "seller_count"],
    ["the filter's maximum", terms({}, 3), null, { filterCount: 3 }, "filter_full"],
    ["the group's places", terms(), group, { groupCount: 2 }, "group_full"],
    ["the group's budget", terms(), group, { groupCents: 4_001 }, "group_budget"],
    ["the budget of a day", terms({ dayBudgetEur: 30 }), null, { filterDayCents: 1_001 }, "budget_day"],
    ["the budget", terms({ totalBudgetEur: 30 }), null, { filterCents: 1_001 }, "budget_total"],
  ] as const)(
    "refuses for %s when it is paid, and waits while that may still fail",
    (...[, of, one, sums, rule]) => {
      const facts = someRuleFacts({ group: one, taken: sums, paid: sums });
      expect(ruleAgainst(facts, of, wish)).toEqual({ kind: "reached", rule });
      const open = someRuleFacts({ group: one, taken: sums });
      expect(ruleAgainst(open, of, wish)).toEqual({ kind: "waits", key: one?.id ?? FILTER });
    },
  );

  it("allows the last place, the last cent, and the moment at which a pause ends", () => {
    const taken = {
      groupCount: 1,
      groupCents: 4_000,
      filterCount: 1,
      filterCents: 1_000,
      filterDayCents: 1_000,
      latestAtMs: NOW_MS - 600_000,
      sellerCount: 1,
    };
    const rules = { pauseMinutes: 10, perSellerAndDay: 2, dayBudgetEur: 30, totalBudgetEur: 30 };
    expect(ruleAgainst(someRuleFacts({ group, taken, paid: taken }), terms(rules, 2), wish)).toBeNull();
  });

  it("names the first rule that is reached, in their order", () => {
    const sums = {
      latestAtMs: NOW_MS,
      sellerCount: 1,
      filterCount: 1,
      filterDayCents: 5_000,
      filterCents: 5_000,
      groupCount: 2,
      groupCents: 6_000,
    };
    const order = [
      ["pause", { rules: { pauseMinutes: null } }],
      ["seller_count", { rules: { perSellerAndDay: null } }],
      ["filter_full", { maxPurchases: null }],
      ["group_full", { group: { ...group, maxPurchases: 3 } }],
      ["group_budget", { group: null }],
      ["budget_day", { rules: { dayBudgetEur: null } }],
      ["budget_total", { rules: { totalBudgetEur: null } }],
    ] as const;
    const rules = { pauseMinutes: 10, perSellerAndDay: 1, dayBudgetEur: 50, totalBudgetEur: 50 };
    let own: Ruled = { ...terms(rules, 1), group };
    const answer = () => ruleAgainst(someRuleFacts({ group: own.group, taken: sums, paid: sums }), own, wish);
    for (const [rule, lifted] of order) {
      expect(answer()).toEqual({ kind: "reached", rule });
      own = { ...own, ...lifted, rules: { ...own.rules, ...("rules" in lifted ? lifted.rules : {}) } };
    }
    expect(answer()).toBeNull();
  });

  it("applies counts to a simulation, not budgets", () => {
    const dry = { ...wish, mode: "simulation" } as const;
    const poor = terms({ dayBudgetEur: 1, totalBudgetEur: 1 });
    expect(ruleAgainst(someRuleFacts({ group: { ...group, budgetEur: 1 } }), poor, dry)).toBeNull();
    const full = { groupCount: 2 };
    expect(ruleAgainst(someRuleFacts({ group, taken: full, paid: full }), poor, dry)).toMatchObject({
      rule: "group_full",
    });
  });
});

describe("ruleAgainstQuote()", () => {
  it("checks only numbers and budgets against the all-in quote", () => {
    const taken = { groupCents: 4_000, filterCents: 1_000, filterDayCents: 1_000 };
    const facts = someRuleFacts({ group, taken });
    expect(ruleAgainstQuote(facts, terms(), 2_000)).toBeNull();
    expect(ruleAgainstQuote(facts, terms(), 2_001)).toBe("group_budget");
    expect(ruleAgainstQuote(someRuleFacts({ group, taken: { groupCount: 2 } }), terms(), 1)).toBe(
      "group_full",
    );
    expect(ruleAgainstQuote(facts, terms({ dayBudgetEur: 30 }), 2_001)).toBe("group_budget");
    expect(ruleAgainstQuote(someRuleFacts({ taken }), terms({ dayBudgetEur: 30 }), 2_001)).toBe("budget_day");
    expect(ruleAgainstQuote(someRuleFacts({ taken }), terms({ totalBudgetEur: 30 }), 2_001)).toBe(
      "budget_total",
    );
    const full = someRuleFacts({ taken: { filterCount: 2 } });
    expect(ruleAgainstQuote(full, terms({}, 2), 1)).toBe("filter_full");
    expect(ruleAgainstQuote(full, terms({}, 3), 1)).toBeNull();
    const late = someRuleFacts({ taken: { latestAtMs: NOW_MS, sellerCount: 9 } });
    expect(ruleAgainstQuote(late, terms({ pauseMinutes: 60, perSellerAndDay: 1 }), 1)).toBeNull();
  });
});
