import { describe, expect, it } from "vitest";
import { FakeClock } from "#testing/fake-clock.ts";
import { createRightOfWay } from "./right-of-way.ts";

async function hasSettled(promise: Promise<void>): Promise<boolean> {
  return await Promise.race([promise.then(() => true), new Promise<false>((no) => setImmediate(no, false))]);
}

describe("createRightOfWay()", () => {
  it("lets Acquire wait until Thunder has passed", async () => {
    const clock = new FakeClock();
    const way = createRightOfWay(clock);
    way.enter("thunder");
    const turn = way.yieldTurn("acquire");
    expect(await hasSettled(turn)).toBe(false);
    way.leave("thunder");
    way.enter("thunder");
    await clock.advance(1);
    expect(await hasSettled(turn)).toBe(false);
    way.leave("thunder");
    await clock.advance(0);
    expect(await hasSettled(turn)).toBe(true);
  });

  it("holds up neither clicks nor Thunder itself", async () => {
    const way = createRightOfWay(new FakeClock());
    way.enter("thunder");
    expect(await hasSettled(way.yieldTurn("click"))).toBe(true);
    expect(await hasSettled(way.yieldTurn("thunder"))).toBe(true);
  });

  it("holds nobody up for long: a stream of Thunder does not starve Acquire", async () => {
    const clock = new FakeClock();
    const way = createRightOfWay(clock);
    way.enter("thunder");
    const turn = way.yieldTurn("acquire");
    await clock.advance(500);
    expect(await hasSettled(turn)).toBe(true);
    expect(clock.pendingCount).toBe(0);
  });
});
