import { expect, test } from "vitest";
import { reconnectionDelayMs } from "./live-feed.ts";

test("a connection that the server closed is opened again after 1 to 5 seconds", () => {
  expect([0, 0.25, 1].map(reconnectionDelayMs)).toEqual([1_000, 2_000, 5_000]);
});
