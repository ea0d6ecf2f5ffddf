import { expect, test } from "vitest";
import { askTogether } from "./ask-together.ts";

/** Answers each key with its length, when the test says so. */
function aDesk(most = 100) {
  const asked: (readonly string[])[] = [];
  const gates: PromiseWithResolvers<undefined>[] = [];
  const ask = askTogether<string, number>(async (keys) => {
    asked.push(keys);
    const gate = Promise.withResolvers<undefined>();
    gates.push(gate);
    await gate.promise;
    return new Map(keys.filter((key) => key !== "unknown").map((key) => [key, key.length]));
  }, most);
  return { asked, gates, ask };
}

const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("what is asked in one turn is one question, and each gets its own answer", async () => {
  const { asked, gates, ask } = aDesk();
  const answers = Promise.all([ask("one"), ask("three"), ask("unknown"), ask("one")]);
  await settle();
  gates[0]?.resolve(undefined);
  expect(await answers).toEqual([3, 5, null, 3]);
  expect(asked).toEqual([["one", "three", "unknown"]]);
});

test("what is asked while a question is under way is never answered by it", async () => {
  const { asked, gates, ask } = aDesk();
  const first = ask("same");
  await settle();
  const second = ask("same");
  await settle();
  expect(asked).toEqual([["same"]]);
  gates[0]?.resolve(undefined);
  await first;
  await settle();
  expect(asked).toEqual([["same"], ["same"]]);
  gates[1]?.resolve(undefined);
  expect(await second).toBe(4);
});

test("too many for one question are asked in several", async () => {
  const { asked, gates, ask } = aDesk(2);
  const answers = Promise.all(["a", "b", "c"].map(ask));
  await settle();
  gates[0]?.resolve(undefined);
  await settle();
  gates[1]?.resolve(undefined);
  await answers;
  expect(asked).toEqual([["a", "b"], ["c"]]);
});

test("a question that fails fails for all of it, and the next one is asked", async () => {
  const { gates, ask } = aDesk();
  const failed = Promise.allSettled([ask("a"), ask("b")]);
  await settle();
  gates[0]?.reject(new Error("away"));
  expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const after = ask("abc");
  await settle();
  gates[1]?.resolve(undefined);
  expect(await after).toBe(3);
});
