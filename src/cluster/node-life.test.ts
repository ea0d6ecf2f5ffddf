import { expect, test } from "vitest";
import type { NodeStore } from "#store/store.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { ClockWrong, createNodeLife } from "./node-life.ts";
import { storeForAll } from "#store/suite-store.suite.ts";

const store = storeForAll(openTestStore);

/** The store's node port, which can be made unreachable and tells the time of `clock`, and the calls made to it. */
function watched(port: NodeStore, clock: FakeClock) {
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
        return typeof answer === "number" ? clock.nowMs() : answer;
      };
    },
  });
  return { nodes, asked, line };
}

test("after an outage of the database a node lets the others renew before it declares any of them dead", async () => {
  const clock = new FakeClock();
  const { nodes, asked, line } = watched(store().nodes, clock);
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

/** A node whose clock differs from the database's by `wrong.byMs`. */
async function startNode(id: string, wrong: { byMs: number }, nodes = store().nodes) {
  const time = new FakeClock(Date.now());
  const fatal: Error[] = [];
  const life = createNodeLife({
    nodes,
    id,
    clock: {
      nowMs: () => time.nowMs() + wrong.byMs,
      monotonicMs: () => time.monotonicMs(),
      schedule: (delayMs, act) => time.schedule(delayMs, act),
    },
    log: createQuietLog(),
    onFatal: (error) => void fatal.push(error),
  });
  await life.run();
  return { life, time, fatal };
}

test.each([300_000, -300_000])(
  "a node whose clock is set off by %i ms ends at its next beat",
  async (stepMs) => {
    const wrong = { byMs: 0 };
    const { life, time, fatal } = await startNode(`stepped ${stepMs}`, wrong);
    expect(life.isAlive()).toBe(true);
    wrong.byMs = stepMs;
    await time.advance(1_000);
    await expect.poll(() => fatal).toHaveLength(1);
    expect(fatal[0]).toBeInstanceOf(ClockWrong);
    expect(life.isAlive()).toBe(false);
    await life.stop();
  },
);

test("a slow answer of the database is no wrong clock", async () => {
  const { nodes } = store();
  const clock = { byMs: 0 };
  const answers: unknown[] = [];
  const slow: NodeStore = {
    ...nodes,
    async renew(id, livesForMs) {
      const answer = await nodes.renew(id, livesForMs);
      clock.byMs += 30_000;
      answers.push(answer);
      return answer;
    },
  };
  const { life, time, fatal } = await startNode("waits", clock, slow);
  await time.advance(1_000);
  await expect.poll(() => answers).toHaveLength(1);
  await life.stop();
  expect(fatal).toEqual([]);
});

test("a node does not start with a wrong clock", async () => {
  const starting = startNode("wrong", { byMs: -60_000 });
  await expect(starting).rejects.toThrow(/^this machine's clock is (59|6\d)\.\d s behind the database's/);
  expect([...(await store().nodes.others("another")).keys()]).not.toContain("wrong");
});
