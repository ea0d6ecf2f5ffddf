import { expect, test, vi } from "vitest";
import { killNodes } from "#verify/crash/kill-nodes.ts";

/** A short run of `npm run crash -- --nodes 200`. */
vi.setConfig({ testTimeout: 400_000 });

const [KILLS, WISHES] = [2, 60];

test("of two nodes that are offered the wishes of one group each dies in turn, and no group pays more than it allows", async () => {
  const { violations, paid } = await killNodes({ kills: KILLS, wishes: WISHES, random: Math.random });
  expect(violations).toEqual([]);
  expect(paid).toHaveLength(KILLS);
});
