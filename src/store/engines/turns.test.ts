import { expect, test } from "vitest";
import { Turns } from "./embedded-client.ts";

test("actions run one at a time, in the order in which they were requested", async () => {
  const turns = new Turns();
  const events: string[] = [];
  const act = (name: string) => async () => {
    events.push(`${name} begins`);
    await Promise.resolve();
    events.push(`${name} ends`);
    return name;
  };
  expect(await Promise.all(["a", "b", "c"].map((name) => turns.take(act(name))))).toEqual(["a", "b", "c"]);
  expect(events).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("a caller that arrives during a hand-over queues behind the next holder", async () => {
  const turns = new Turns();
  let underWay = 0;
  let most = 0;
  const act = async (): Promise<void> => {
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
  };
  const first = turns.take(act);
  const second = turns.take(act);
  await first;
  await Promise.all([turns.take(act), second, turns.take(act)]);
  expect(most).toBe(1);
});

test("an action that fails does not affect the others", async () => {
  const turns = new Turns();
  const failing = turns.take(() => Promise.reject(new Error("its own fault")));
  const next = turns.take(() => Promise.resolve("served"));
  await expect(failing).rejects.toThrow("its own fault");
  expect(await next).toBe("served");
});

test("callers beyond the queue's bound are refused at once, until others were served", async () => {
  const turns = new Turns();
  const { promise: resume, resolve } = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 20_000 }, () => turns.take(() => resume));
  await expect(turns.take(() => resume)).rejects.toMatchObject({ code: "overloaded" });
  resolve();
  await Promise.all(waiting);
  await turns.take(() => Promise.resolve());
});
