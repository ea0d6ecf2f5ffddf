import { describe, expect, it } from "vitest";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createRightOfWay, type RightOfWay } from "./right-of-way.ts";

async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  return await Promise.race([promise.then(() => true), new Promise<false>((no) => setImmediate(no, false))]);
}

/** A Thunder purchase in progress until the returned function ends it. */
async function passThunder(way: RightOfWay): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const passing = way.run("thunder", () => promise);
  await Promise.resolve();
  return async () => {
    resolve();
    await passing;
  };
}

describe("createRightOfWay()", () => {
  it("lets Acquire wait until Thunder has passed", async () => {
    const clock = new FakeClock();
    const way = createRightOfWay(clock);
    const leave = await passThunder(way);
    const turn = way.yieldTurn("acquire");
    const whole = way.run("acquire", () => Promise.resolve());
    expect([await hasSettled(turn), await hasSettled(whole)]).toEqual([false, false]);
    await leave();
    const leaveAgain = await passThunder(way);
    await clock.advance(1);
    expect([await hasSettled(turn), await hasSettled(whole)]).toEqual([false, false]);
    await leaveAgain();
    await clock.advance(0);
    expect([await hasSettled(turn), await hasSettled(whole)]).toEqual([true, true]);
  });

  it("delays neither clicks nor Thunder itself", async () => {
    const way = createRightOfWay(new FakeClock());
    await passThunder(way);
    expect(await hasSettled(way.yieldTurn("click"))).toBe(true);
    expect(await hasSettled(way.yieldTurn("thunder"))).toBe(true);
    expect(await hasSettled(way.run("click", () => Promise.resolve()))).toBe(true);
    expect(await hasSettled(way.run("thunder", () => Promise.resolve()))).toBe(true);
  });

  it("delays nobody for long: a stream of Thunder does not starve Acquire", async () => {
    const clock = new FakeClock();
    const way = createRightOfWay(clock);
    await passThunder(way);
    const turn = way.yieldTurn("acquire");
    await clock.advance(500);
    expect(await hasSettled(turn)).toBe(true);
    expect(clock.pendingCount).toBe(0);
  });

  it("does not delay intents when the store answers several at once", async () => {
    const serial = createRightOfWay(new FakeClock());
    const parallel = createRightOfWay(new FakeClock(), true);
    const intents: boolean[] = [];
    for (const way of [serial, parallel]) {
      await passThunder(way);
      intents.push(await hasSettled(way.runOnStore("acquire", () => Promise.resolve())));
      expect(await hasSettled(way.run("acquire", () => Promise.resolve()))).toBe(false);
    }
    expect(intents).toEqual([false, true]);
  });

  it("passes on the result of the work, and lets Acquire continue when it fails", async () => {
    const clock = new FakeClock();
    const way = createRightOfWay(clock);
    expect(await way.run("thunder", () => Promise.resolve("answer"))).toBe("answer");
    await expect(way.run("thunder", () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    await clock.advance(0);
    expect(await hasSettled(way.yieldTurn("acquire"))).toBe(true);
  });
});
