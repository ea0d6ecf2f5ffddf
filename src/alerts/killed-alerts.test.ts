import { expect, test } from "vitest";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { killSender } from "./killed-alerts.suite.ts";

/** At full size: `npm run crash -- alerts`. */
test("a killed process loses no alert, and duplicates at most one per destination", async () => {
  const random = createFakeRandom(7);
  const killed = await killSender({ alerts: 300, kills: 3 }, () => random.next());
  expect(killed).toMatchObject({ kills: 3, lost: 0 });
  expect(killed.mostDoubled).toBeLessThanOrEqual(1);
});
