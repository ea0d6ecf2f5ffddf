import { expect, test } from "vitest";
import { createKeyedQueue } from "./keyed-queue.ts";

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
