import { expect, test } from "vitest";
import { sleep } from "#domain/clock.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { createLeadership, type LeadershipDeps } from "./leadership.ts";

const ROLE = "reading the market";
/** Longer than a role lasts without being renewed. */
const START_MS = 8_000;

/** The roles of a database whose time is the test's. */
class Roles {
  readonly #clock: FakeClock;
  #held = { id: "", untilMs: -Infinity };

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async claimRole(_role: string, id: string, forMs: number): Promise<boolean> {
    const nowMs = this.#clock.nowMs();
    if (this.#held.id !== id && this.#held.untilMs >= nowMs) return false;
    this.#held = { id, untilMs: nowMs + forMs };
    return true;
  }

  async releaseRole(_role: string, id: string): Promise<void> {
    if (this.#held.id === id) this.#held = { id: "", untilMs: -Infinity };
  }

  giveTo(id: string): void {
    this.#held = { id, untilMs: Infinity };
  }
}

/** Nodes that note what they do. */
function nodesOn(clock: FakeClock) {
  const roles = new Roles(clock);
  const steps: string[] = [];
  const join = (id: string, lead?: LeadershipDeps["lead"]) =>
    createLeadership({
      nodes: roles,
      role: ROLE,
      id,
      clock,
      log: createQuietLog(),
      lead:
        lead ??
        (async () => {
          steps.push(`${id} begins`);
          await sleep(clock, START_MS);
          return async () => void steps.push(`${id} ends`);
        }),
    });
  return { roles, steps, join };
}

test("a role is kept while its task takes long to start", async () => {
  const clock = new FakeClock();
  const { steps, join } = nodesOn(clock);
  const [first, second] = [join("a"), join("b")];
  await first.run();
  await clock.advance(500);
  await second.run();
  for (let passedS = 0; passedS < 30; passedS += 1) {
    await clock.advance(1_000);
    expect([first.isLeading(), second.isLeading()]).toEqual([true, false]);
  }
  expect(steps).toEqual(["a begins"]);
  await first.stop();
  await clock.advance(1_000);
  expect(steps).toEqual(["a begins", "a ends", "b begins"]);
  const stopping = second.stop();
  await clock.advance(START_MS);
  await stopping;
  expect(steps.at(-1)).toBe("b ends");
});

test("a task whose role was lost while it started is ended", async () => {
  const clock = new FakeClock();
  const { roles, steps, join } = nodesOn(clock);
  const node = join("a");
  await node.run();
  await clock.advance(2_500);
  roles.giveTo("b");
  await clock.advance(1_000);
  expect(node.isLeading()).toBe(false);
  await clock.advance(START_MS);
  expect(steps).toEqual(["a begins", "a ends"]);
  await node.stop();
});

test("a task that cannot start leaves the role to another node", async () => {
  const clock = new FakeClock();
  const { steps, join } = nodesOn(clock);
  const broken = join("a", async () => {
    await sleep(clock, START_MS);
    throw new Error("it cannot start");
  });
  const sound = join("b");
  await broken.run();
  await clock.advance(500);
  await sound.run();
  await clock.advance(START_MS + 2_000);
  expect([steps, broken.isLeading(), sound.isLeading()]).toEqual([["b begins"], false, true]);
  await broken.stop();
  const stopping = sound.stop();
  await clock.advance(START_MS);
  await stopping;
});
