import { afterAll, beforeAll, expect, test } from "vitest";
import type { NodeStore } from "#store/store.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { createNodeLife } from "./node-life.ts";

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened[Symbol.asyncDispose]());

/** The store's node port, which can be made unreachable, and the calls made to it. */
function watched(port: NodeStore) {
  const asked: string[] = [];
  const line = { isAway: false, underWay: 0 };
  const nodes = new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function" || typeof name !== "string") return method;
      return async (...args: unknown[]) => {
        if (line.isAway) throw new Error("the database is away");
        line.underWay += 1;
        const answering: Promise<unknown> = Promise.resolve(Reflect.apply(method, target, args));
        const answer = await answering.finally(() => (line.underWay -= 1));
        asked.push(name);
        return answer;
      };
    },
  });
  return { nodes, asked, line };
}

test("after an outage of the database a node lets the others renew before it declares any of them dead", async () => {
  const clock = new FakeClock();
  const { nodes, asked, line } = watched(opened.store.nodes);
  const fatal: Error[] = [];
  const life = createNodeLife({
    nodes,
    id: "this",
    clock,
    log: createQuietLog(),
    onFatal: (error) => void fatal.push(error),
  });
  const beats = async (count: number): Promise<void> => {
    for (let beat = 0; beat < count; beat += 1) {
      await clock.advance(1_000);
      // A renewal in progress delays the next one.
      do await new Promise((resolve) => void setTimeout(resolve, 5));
      while (line.underWay > 0);
    }
  };
  await life.run();
  await beats(8);
  expect(asked).toContain("countOut");
  line.isAway = true;
  await beats(15);
  expect(life.isAlive()).toBe(false);
  line.isAway = false;
  asked.length = 0;
  await beats(4);
  expect(asked).toEqual(["renew", "renew", "renew", "renew"]);
  expect(life.isAlive()).toBe(true);
  await beats(4);
  expect(asked).toContain("countOut");
  expect(fatal).toEqual([]);
  await life.stop();
});
