import { expect, test } from "vitest";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { BackgroundTasks, batchCalls, createKeyedQueue, repeat } from "./concurrency.ts";

/** Resolves each item to its length once the test opens the gate. */
function aWorker(most = 100) {
  const done: (readonly string[])[] = [];
  const gates: PromiseWithResolvers<undefined>[] = [];
  const act = batchCalls<string, number>(async (items) => {
    done.push(items);
    const gate = Promise.withResolvers<undefined>();
    gates.push(gate);
    await gate.promise;
    return (item) => item.length;
  }, most);
  return { done, gates, act };
}

const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("calls of one tick form one batch, and each gets its own answer", async () => {
  const { done, gates, act } = aWorker();
  const answers = Promise.all([act("one"), act("three"), act("four"), act("one")]);
  await settle();
  gates[0]?.resolve(undefined);
  expect(await answers).toEqual([3, 5, 4, 3]);
  expect(done).toEqual([["one", "three", "four", "one"]]);
});

test("a call that arrives during a batch is never answered by it", async () => {
  const { done, gates, act } = aWorker();
  const first = act("same");
  await settle();
  const second = act("same");
  await settle();
  expect(done).toEqual([["same"]]);
  gates[0]?.resolve(undefined);
  await first;
  await settle();
  expect(done).toEqual([["same"], ["same"]]);
  gates[1]?.resolve(undefined);
  expect(await second).toBe(4);
});

test("a batch has a maximum size, and the order is kept", async () => {
  const { done, gates, act } = aWorker(2);
  const answers = Promise.all(["a", "b", "c"].map(act));
  await settle();
  gates[0]?.resolve(undefined);
  await settle();
  gates[1]?.resolve(undefined);
  await answers;
  expect(done).toEqual([["a", "b"], ["c"]]);
});

test("a batch that fails rejects its calls, and the next one runs", async () => {
  const { gates, act } = aWorker();
  const failed = Promise.allSettled([act("a"), act("b")]);
  await settle();
  gates[0]?.reject(new Error("away"));
  expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const after = act("abc");
  await settle();
  gates[1]?.resolve(undefined);
  expect(await after).toBe(3);
});

test("one task at a time per key, in order, also after one that failed", async () => {
  const inTurn = createKeyedQueue();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const make = (name: string, until?: Promise<void>) => async () => {
    order.push(`${name} begins`);
    await until;
    order.push(`${name} ends`);
    if (name === "a1") throw new Error("it failed");
    return name;
  };
  const made = [
    inTurn("a", make("a1", first.promise)).catch(() => "failed"),
    inTurn("a", make("a2")),
    inTurn("b", make("b1")),
  ];
  expect(await made[2]).toBe("b1");
  expect(order).toEqual(["a1 begins", "b1 begins", "b1 ends"]);
  first.resolve();
  expect(await Promise.all(made)).toEqual(["failed", "a2", "b1"]);
  expect(order.slice(3)).toEqual(["a1 ends", "a2 begins", "a2 ends"]);
  expect(await inTurn("a", make("a3"))).toBe("a3");
});

test("background tasks are awaited together, also those begun meanwhile; a failure of one is reported and harms no other", async () => {
  const failures: unknown[] = [];
  const tasks = new BackgroundTasks((...failed) => failures.push(failed));
  const failure = new Error("it failed");
  const slow = Promise.withResolvers<void>();
  const last = Promise.withResolvers<void>();
  tasks.start("one", () => Promise.reject(failure));
  tasks.start("other", async () => {
    await slow.promise;
    tasks.start("last", () => last.promise);
  });
  let isSettled = false;
  const settled = tasks.settled().then(() => (isSettled = true));
  await settle();
  expect(isSettled).toBe(false);
  slow.resolve();
  await settle();
  expect(isSettled).toBe(false);
  last.resolve();
  await settled;
  expect(failures).toEqual([[failure, "one"]]);
});

test("a repeated task never overlaps itself, continues after a failure, and its end waits for the last run", async () => {
  const clock = new FakeClock();
  const failures: unknown[] = [];
  const slow = Promise.withResolvers<void>();
  let runs = 0;
  const task = async (): Promise<void> => {
    runs += 1;
    if (runs === 1) throw new TypeError("it failed");
    await slow.promise;
  };
  const loop = repeat(clock, 100, task, (error) => failures.push(error));
  await clock.advance(99);
  expect(runs).toBe(0);
  await clock.advance(501);
  expect(runs).toBe(2);
  expect(failures).toEqual([new TypeError("it failed")]);
  let isOver = false;
  const over = loop[Symbol.asyncDispose]().then(() => (isOver = true));
  await settle();
  expect(isOver).toBe(false);
  slow.resolve();
  await over;
  expect(clock.pendingCount).toBe(0);
});

test("a repeated task that is ended between two runs does not run again", async () => {
  const clock = new FakeClock();
  let runs = 0;
  const loop = repeat(
    clock,
    100,
    async () => void (runs += 1),
    () => expect.unreachable(),
  );
  await clock.advance(150);
  await loop[Symbol.asyncDispose]();
  await clock.advance(1_000);
  expect(runs).toBe(1);
});
