import { expect, test } from "vitest";
import { killNodes } from "#verify/crash/kill-nodes.ts";

/** A short run of `npm run crash -- --nodes 200`. */
const [KILLS, WISHES] = [2, 60];

test("no group pays more than it allows while the two nodes that are offered its wishes are killed in turn", async () => {
  const { violations, paid } = await killNodes({ kills: KILLS, wishes: WISHES, random: Math.random });
  expect(violations).toEqual([]);
  expect(paid).toHaveLength(KILLS);
});
