import { expect, test } from "vitest";
import { BackgroundTasks, batchCalls, createKeyedQueue } from "./concurrency.ts";

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

test("background tasks are awaited together, and a failure of one is reported and harms no other", async () => {
  const failures: unknown[] = [];
  const tasks = new BackgroundTasks((error) => failures.push(error));
  const failure = new Error("it failed");
  const slow = Promise.withResolvers<void>();
  tasks.add(Promise.reject(failure));
  tasks.add(slow.promise);
  let isSettled = false;
  const settled = tasks.settled().then(() => (isSettled = true));
  await settle();
  expect(isSettled).toBe(false);
  slow.resolve();
  await settled;
  expect(failures).toEqual([failure]);
});
