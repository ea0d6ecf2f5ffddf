import { describe, expect, it } from "vitest";
import { FakeClock } from "#testing/fake-clock.ts";
import { createBreaker } from "./breaker.ts";

function counted(clock: FakeClock, answers: string) {
  const breaker = createBreaker(clock);
  for (const answer of answers) breaker.count(answer === "x");
  return breaker;
}

describe("createBreaker()", () => {
  it("trips above 30 per cent of faults, and not at 30", () => {
    expect(counted(new FakeClock(), "xxxxxx..............").isTripped()).toBe(false);
    expect(counted(new FakeClock(), "xxxxxxx.............").isTripped()).toBe(true);
  });

  it("needs 20 requests to judge", () => {
    expect(counted(new FakeClock(), "x".repeat(19)).isTripped()).toBe(false);
    expect(counted(new FakeClock(), "x".repeat(20)).isTripped()).toBe(true);
  });

  it("forgets after a minute, and is clean a minute after the last fault", async () => {
    const clock = new FakeClock();
    const breaker = counted(clock, "x".repeat(20));
    await clock.advance(59_999);
    expect([breaker.isTripped(), breaker.isClean()]).toEqual([true, false]);
    await clock.advance(1);
    expect([breaker.isTripped(), breaker.isClean()]).toEqual([false, true]);
  });
});
