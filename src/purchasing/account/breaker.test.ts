import { describe, expect, it } from "vitest";
import { A_MOMENT_MS, FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { createBreaker, createGuards } from "./breaker.ts";

function counted(clock: FakeClock, answers: string) {
  const breaker = createBreaker(clock);
  for (const answer of answers) breaker.count(answer === "x");
  return breaker;
}

describe("createBreaker()", () => {
  it("trips above 30 per cent of faults, not at 30", () => {
    expect(counted(new FakeClock(), "xxxxxx..............").isTripped()).toBe(false);
    expect(counted(new FakeClock(), "xxxxxxx.............").isTripped()).toBe(true);
  });

  it("does not trip before 20 requests", () => {
    expect(counted(new FakeClock(), "x".repeat(19)).isTripped()).toBe(false);
    expect(counted(new FakeClock(), "x".repeat(20)).isTripped()).toBe(true);
  });

  it("counts faults that one account alone may have caused once a minute", async () => {
    const clock = new FakeClock();
    const breaker = counted(clock, ".".repeat(19));
    const count = (account: string) => breaker.count(true, { account, isLikelyAccountFault: true });
    for (let n = 0; n < 1_000; n += 1) count("somebody");
    expect(breaker.isTripped()).toBe(false);
    // The fault spreads over accounts: 9 faults of 28 calls.
    for (let n = 0; n < 8; n += 1) count(`account-${n}`);
    expect(breaker.isTripped()).toBe(true);
    await clock.advance(60_000);
    expect([breaker.isTripped(), breaker.isClean()]).toEqual([false, true]);
  });

  it("does not trip for the faults of a single account, however many they are", () => {
    for (const others of [0, 14, 100]) {
      const breaker = counted(new FakeClock(), ".".repeat(others));
      for (let n = 0; n < 1_000; n += 1) breaker.count(true, { account: "somebody" });
      expect(breaker.isTripped()).toBe(false);
    }
    // The same fault for 8 accounts.
    const breaker = counted(new FakeClock(), "");
    for (let n = 0; n < 24; n += 1) breaker.count(true, { account: `account-${n % 8}` });
    expect(breaker.isTripped()).toBe(true);
  });

  it("names an account whose own calls fail once per twenty faults, and no other account", async () => {
    const clock = new FakeClock();
    const breaker = createBreaker(clock);
    const call = (count: number, isFault: boolean, account: string) => {
      for (let n = 0; n < count; n += 1) breaker.count(isFault, { account });
    };
    call(14, false, "unlucky");
    call(6, true, "unlucky");
    call(19, true, "odd");
    call(40, false, "well");
    expect(breaker.takeFaulty()).toEqual([]);
    call(1, true, "odd");
    expect(breaker.takeFaulty()).toEqual(["odd"]);
    await clock.advance(1_000);
    call(19, true, "odd");
    expect(breaker.takeFaulty()).toEqual([]);
    call(1, true, "odd");
    expect(breaker.takeFaulty()).toEqual(["odd"]);
  });

  it("is clean while only a single account keeps failing", async () => {
    const clock = new FakeClock();
    const breaker = counted(clock, "x".repeat(20));
    for (let n = 0; n < 60; n += 1) {
      breaker.count(true, { account: "somebody" });
      await clock.advance(1_000);
    }
    expect(breaker.isClean()).toBe(true);
    for (const account of ["another", "a third"]) breaker.count(true, { account });
    expect(breaker.isClean()).toBe(false);
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

describe("the breakers of two nodes", () => {
  it("close after a healthy period, however far their clocks are apart", async () => {
    await using opened = await openTestStore();
    const { purchases } = opened.store;
    for (const apartMs of [-90_000, 90_000]) {
      const clocks = [new FakeClock(), new FakeClock(A_MOMENT_MS + apartMs)] as const;
      const [failing, healthy] = clocks.map((clock, index) => {
        const breaker = counted(clock, index === 0 ? "x".repeat(20) : "");
        return createGuards({ purchases, breaker, clock, isStoreAway: () => false, log: createQuietLog() });
      });
      /** Whether the breaker is open after each further step of five seconds. */
      const pass = async (steps: number): Promise<readonly boolean[]> => {
        const open: boolean[] = [];
        for (let step = 0; step < steps; step += 1) {
          await failing?.updateBreaker();
          await healthy?.updateBreaker();
          open.push((await purchases.switches()).some(({ name, isOn }) => name === "breaker" && isOn));
          for (const clock of clocks) await clock.advance(5_000);
        }
        return open;
      };
      // The faults last for a minute and are reported again meanwhile.
      expect(await pass(12)).not.toContain(false);
      expect(await pass(7)).not.toContain(false);
      expect((await pass(12)).at(-1)).toBe(false);
    }
  });
});
