import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSmallTurns } from "./small-turns.ts";

test("callers have their turn in order, so many at once, and what comes in meanwhile has its own between them", async () => {
  const done: (number | string)[] = [];
  const myTurn = createSmallTurns(2);
  const callers = [1, 2, 3, 4, 5].map(async (n) => {
    await myTurn();
    done.push(n);
  });
  expect(done).toEqual([]);
  await nextTurn();
  done.push("other");
  await nextTurn();
  done.push("other");
  await Promise.all(callers);
  expect(done).toEqual([1, 2, "other", 3, 4, "other", 5]);
});

test("whoever asks again within a turn stands behind the others", async () => {
  const done: string[] = [];
  const myTurn = createSmallTurns(1);
  const twice = async (): Promise<void> => {
    await myTurn();
    done.push("first");
    await myTurn();
    done.push("first again");
  };
  const once = async (): Promise<void> => {
    await myTurn();
    done.push("second");
  };
  await Promise.all([twice(), once()]);
  expect(done).toEqual(["first", "second", "first again"]);
});
