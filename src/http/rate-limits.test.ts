import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRateLimits, RATES, type RateClass } from "./rate-limits.ts";

const classes = Object.keys(RATES) as RateClass[];

test.each(classes)("%s allows its burst, then waits exactly as long as it says", (rate) => {
  const limits = createRateLimits();
  const { burst, everyMs } = RATES[rate];
  for (let call = 0; call < burst; call += 1) expect(limits.waitMs(rate, "lea", 0)).toBeNull();
  const waitMs = limits.waitMs(rate, "lea", 0);
  expect(waitMs).toBeCloseTo(everyMs, 3);
  expect(limits.waitMs(rate, "lea", everyMs - 1)).toBeGreaterThan(0);
  expect(limits.waitMs(rate, "lea", everyMs)).toBeNull();
  expect(limits.waitMs(rate, "lea", everyMs)).toBeGreaterThan(0);
});

test("people and classes do not count against one another", () => {
  const limits = createRateLimits();
  for (let call = 0; call < RATES.settings.burst; call += 1) limits.waitMs("settings", "lea", 0);
  expect(limits.waitMs("settings", "lea", 0)).not.toBeNull();
  expect(limits.waitMs("settings", "max", 0)).toBeNull();
  expect(limits.waitMs("write", "lea", 0)).toBeNull();
});

test("a page open all day, with its refresh, its polls and three more tabs, is never stopped", () => {
  const limits = createRateLimits();
  for (let second = 0; second < 3_600; second += 1) {
    // Four tabs: each polls every 5 s, and every 60 s makes four more reads.
    const calls = (second % 5 === 0 ? 4 : 0) + (second % 60 === 0 ? 16 : 0);
    for (let call = 0; call < calls; call += 1)
      expect(limits.waitMs("read", "lea", second * 1_000)).toBeNull();
  }
});

test("no pace of calls gets more through than the burst and the rate allow", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 300 }), (pauses) => {
      const limits = createRateLimits();
      let nowMs = 0;
      let passed = 0;
      for (const pause of pauses) {
        nowMs += pause;
        if (limits.waitMs("settings", "lea", nowMs) === null) passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(RATES.settings.burst + nowMs / RATES.settings.everyMs);
    }),
  );
});

test("a flood from a hundred thousand addresses keeps memory bounded and still limits each of the last", () => {
  const limits = createRateLimits();
  for (let address = 0; address < 100_000; address += 1) limits.waitMs("token", `address ${address}`, 0);
  for (let call = 1; call < RATES.token.burst; call += 1) limits.waitMs("token", "address 99999", 0);
  expect(limits.waitMs("token", "address 99999", 0)).not.toBeNull();
});
