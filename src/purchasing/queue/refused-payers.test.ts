import { describe, expect, it } from "vitest";
import { asFilterId, asUserId } from "#domain/ids.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createRefusedPayers, createRestingFilters } from "./refused-payers.ts";

const ZOE = asUserId("zoe");
const REFUSED = { state: "failed", failureReason: "insufficient_funds" } as const;
const PAID = { state: "confirmed", failureReason: null } as const;
const SOLD = { state: "failed", failureReason: "sold" } as const;

function refused(times: number) {
  const clock = new FakeClock();
  const payers = createRefusedPayers(clock);
  for (let n = 0; n < times; n += 1) payers.note(ZOE, REFUSED);
  return { clock, payers };
}

describe("createRefusedPayers()", () => {
  it("pauses a person, and nobody else, for a minute after the third refusal in a row", async () => {
    const { clock, payers } = refused(2);
    expect(payers.isResting(ZOE)).toBe(false);
    payers.note(ZOE, SOLD);
    payers.note(ZOE, REFUSED);
    expect([payers.isResting(ZOE), payers.isResting(asUserId("lea"))]).toEqual([true, false]);
    await clock.advance(59_999);
    expect(payers.isResting(ZOE)).toBe(true);
    await clock.advance(1);
    expect(payers.isResting(ZOE)).toBe(false);
  });

  it("doubles the pause with each refusal after one, up to an hour, however many were under way", async () => {
    const { clock, payers } = refused(3);
    const lengths: number[] = [];
    for (let rest = 0; rest < 9; rest += 1) {
      // A failure of a purchase that was in progress when the pause began.
      payers.note(ZOE, REFUSED);
      let minutes = 0;
      for (; payers.isResting(ZOE); minutes += 1) await clock.advance(60_000);
      lengths.push(minutes);
      payers.note(ZOE, REFUSED);
    }
    expect(lengths).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("pauses only after nine unreadable answers in a row, and never for a marketplace outage", () => {
    const { payers } = refused(0);
    const unavailable = { state: "failed", failureReason: "marketplace_unavailable" } as const;
    for (let n = 0; n < 100; n += 1) payers.note(ZOE, unavailable);
    for (let n = 0; n < 8; n += 1) payers.note(ZOE, unavailable, true);
    expect(payers.isResting(ZOE)).toBe(false);
    payers.note(ZOE, unavailable, true);
    expect(payers.isResting(ZOE)).toBe(true);
  });

  it.each(["insufficient_funds", "payment_refused", "address_invalid", "limit_reached"] as const)(
    "takes %s for a reason of the person's own",
    (failureReason) => {
      const { payers } = refused(2);
      payers.note(ZOE, { ...REFUSED, failureReason });
      expect(payers.isResting(ZOE)).toBe(true);
    },
  );

  it("resets the count after a purchase that was paid", () => {
    const { payers } = refused(2);
    payers.note(ZOE, PAID);
    payers.note(ZOE, REFUSED);
    expect(payers.isResting(ZOE)).toBe(false);
  });

  it("allows one more attempt after a change of the account", () => {
    const { payers } = refused(3);
    payers.allowRetry(ZOE);
    expect(payers.isResting(ZOE)).toBe(false);
    payers.note(ZOE, REFUSED);
    expect(payers.isResting(ZOE)).toBe(true);
  });
});

describe("createRestingFilters()", () => {
  const [COATS, CAPES] = [asFilterId("coats"), asFilterId("capes")];
  const RULE = { state: "failed", failureReason: "rule_reached" } as const;

  function failed(times: number) {
    const clock = new FakeClock();
    const resting = createRestingFilters(clock);
    for (let n = 0; n < times; n += 1) resting.note(COATS, RULE);
    return { clock, resting };
  }

  it("pauses a filter, and no other, after the third purchase in a row that a rule forbade", async () => {
    const { clock, resting } = failed(2);
    expect(resting.isResting(COATS)).toBe(false);
    resting.note(COATS, { ...RULE, failureReason: "sold" });
    expect(resting.isResting(COATS)).toBe(false);
    resting.note(COATS, RULE);
    expect([resting.isResting(COATS), resting.isResting(CAPES)]).toEqual([true, false]);
    await clock.advance(59_999);
    expect(resting.isResting(COATS)).toBe(true);
    await clock.advance(1);
    expect(resting.isResting(COATS)).toBe(false);
  });

  it("doubles the pause with each further one, up to an hour, however many were under way", async () => {
    const { clock, resting } = failed(3);
    const lengths: number[] = [];
    for (let rest = 0; rest < 9; rest += 1) {
      // A failure of a purchase that was in progress when the pause began.
      resting.note(COATS, RULE);
      let minutes = 0;
      for (; resting.isResting(COATS); minutes += 1) await clock.advance(60_000);
      lengths.push(minutes);
      resting.note(COATS, RULE);
    }
    expect(lengths).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it.each(["confirmed", "awaiting"] as const)("resets the count after a purchase that is %s", (state) => {
    const { resting } = failed(2);
    resting.note(COATS, { ...RULE, state, failureReason: null });
    resting.note(COATS, RULE);
    expect(resting.isResting(COATS)).toBe(false);
  });

  it("ends the pause and the count of a filter that was changed", () => {
    const { resting } = failed(3);
    resting.forget([COATS]);
    resting.note(COATS, RULE);
    resting.note(COATS, RULE);
    expect(resting.isResting(COATS)).toBe(false);
  });
});
