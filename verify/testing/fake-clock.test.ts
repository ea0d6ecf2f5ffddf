import { expect, test } from "vitest";
import { sleep } from "#domain/clock.ts";
import { FakeClock } from "./fake-clock.ts";

test("advance() runs what falls due in order of time, each at its own moment", async () => {
  const clock = new FakeClock(0);
  const seen: [string, number][] = [];
  clock.schedule(20, () => seen.push(["second", clock.nowMs()]));
  clock.schedule(10, () => seen.push(["first", clock.nowMs()]));
  clock.schedule(31, () => seen.push(["later", clock.nowMs()]));
  await clock.advance(30);
  expect(seen).toEqual([
    ["first", 10],
    ["second", 20],
  ]);
  expect(clock.nowMs()).toBe(30);
  expect(clock.pendingCount).toBe(1);
});

test("advance() also runs what is scheduled on the way", async () => {
  const clock = new FakeClock(0);
  const momentsMs: number[] = [];
  const ticking = (async () => {
    for (let i = 0; i < 3; i += 1) {
      await sleep(clock, 10);
      momentsMs.push(clock.nowMs());
    }
  })();
  await clock.advance(100);
  await ticking;
  expect(momentsMs).toEqual([10, 20, 30]);
});

test("what was taken back does not run", async () => {
  const clock = new FakeClock(0);
  const takeBack = clock.schedule(10, () => expect.unreachable());
  takeBack();
  await clock.advance(20);
  expect(clock.pendingCount).toBe(0);
});
