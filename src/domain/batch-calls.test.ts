import { expect, test } from "vitest";
import { batchCalls } from "./batch-calls.ts";

/** Resolves each item to its length, once the test opens the gate. */
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
