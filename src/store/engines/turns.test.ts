import { expect, test } from "vitest";
import { Turns } from "./embedded-client.ts";

test("actions run one at a time, in the order in which they were asked for", async () => {
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

test("the urgent goes before all that waits, and behind what is under way", async () => {
  const turns = new Turns();
  const served: string[] = [];
  const act = (name: string) => async () => {
    await Promise.resolve();
    served.push(name);
  };
  await Promise.all([
    ...["a", "b", "c"].map((name) => turns.take(act(name))),
    ...["urgent 1", "urgent 2"].map((name) => turns.take(act(name), true)),
  ]);
  expect(served).toEqual(["a", "urgent 1", "urgent 2", "b", "c"]);
});

test("however many urgent ones come, the others get on", async () => {
  const turns = new Turns();
  const served: string[] = [];
  const act = (name: string) => async () => {
    await Promise.resolve();
    served.push(name);
  };
  const urgent = Array.from({ length: 50 }, (_, n) => turns.take(act(`urgent ${n}`), true));
  const usual = ["a", "b"].map((name) => turns.take(act(name)));
  await Promise.all([...urgent, ...usual]);
  expect([served.indexOf("a"), served.indexOf("b")]).toEqual([17, 34]);
});

test("who asks while a turn is handed over stands behind the one it goes to", async () => {
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
  await Promise.all([turns.take(act), second, turns.take(act, true)]);
  expect(most).toBe(1);
});

test("an action that fails fails alone", async () => {
  const turns = new Turns();
  const failing = turns.take(() => Promise.reject(new Error("its own fault")));
  const next = turns.take(() => Promise.resolve("served"));
  await expect(failing).rejects.toThrow("its own fault");
  expect(await next).toBe("served");
});

test("more waiting than can ever be served are refused at once, and room is made by those served", async () => {
  const turns = new Turns();
  const { promise: goOn, resolve } = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 20_000 }, () => turns.take(() => goOn));
  await expect(turns.take(() => goOn)).rejects.toMatchObject({ code: "overloaded" });
  resolve();
  await Promise.all(waiting);
  await turns.take(() => Promise.resolve());
});
