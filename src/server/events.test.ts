import { expect, test } from "vitest";
import { asUserId } from "#domain/ids.ts";
import type { ProductEvent } from "#domain/events.ts";
import { createEventBus } from "./events.ts";
import { createLog } from "./log.ts";

const event: ProductEvent = { kind: "user_changed", userId: asUserId("u1") };

function busWithLines() {
  const lines: string[] = [];
  return {
    lines,
    bus: createEventBus(createLog("info", { write: (line: string) => void lines.push(line) })),
  };
}

test("publish() settles only when every subscriber has dealt with the event", async () => {
  const { bus } = busWithLines();
  const done: string[] = [];
  bus.subscribe(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    done.push("slow");
  });
  bus.subscribe(() => void done.push("fast"));
  await bus.publish(event);
  expect(done).toEqual(["fast", "slow"]);
});

test("a subscriber that fails is logged and keeps neither the publisher nor the others from going on", async () => {
  const { bus, lines } = busWithLines();
  const heard: ProductEvent[] = [];
  bus.subscribe(() => {
    throw new Error("canary");
  });
  bus.subscribe(async () => Promise.reject(new TypeError("canary")));
  bus.subscribe((one) => void heard.push(one));
  await bus.publish(event);
  expect(heard).toEqual([event]);
  expect(lines).toHaveLength(2);
  expect(lines.join()).toContain('"event":"user_changed"');
  expect(lines.join()).not.toContain("canary");
});

test("an ended subscription receives no more events", async () => {
  const { bus } = busWithLines();
  const heard: ProductEvent[] = [];
  const end = bus.subscribe((one) => void heard.push(one));
  await bus.publish(event);
  end();
  await bus.publish(event);
  expect(heard).toHaveLength(1);
});
