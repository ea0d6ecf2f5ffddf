import { expect, test } from "vitest";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { withTimeout } from "./clock.ts";

test("a promise is awaited until its timeout, and leaves no timer behind", async () => {
  const clock = new FakeClock();
  expect(await withTimeout(clock, 100, Promise.resolve("in time"), "late")).toBe("in time");
  await expect(withTimeout(clock, 100, Promise.reject(new Error("failed")), "late")).rejects.toThrow(
    "failed",
  );
  expect(clock.pendingCount).toBe(0);
  const slow = Promise.withResolvers<string>();
  const result = withTimeout(clock, 100, slow.promise, "late");
  await clock.advance(100);
  expect(await result).toBe("late");
  // Unhandled, this rejection would fail the test.
  slow.reject(new Error("failed later"));
  await clock.advance(0);
});
