import { expect, test } from "vitest";
import { endNodes } from "./alerts-failover.suite.ts";

/** `npm run crash -- alerts` runs the full size. */
test("two nodes of which each dies once lose no alert", async () => {
  const over = await endNodes({ people: 2, devices: 3, listings: 30 });
  expect(over).toMatchObject({ alerts: 180, lost: 0 });
  expect(over.mostDoubled).toBeLessThanOrEqual(2);
});
