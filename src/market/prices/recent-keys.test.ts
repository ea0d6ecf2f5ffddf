import { expect, test } from "vitest";
import { RecentKeys } from "./recent-keys.ts";

const WINDOW_DAYS = 30;
const TODAY = 20_000;

test("keys that are read from the newest day on are all there afterwards", () => {
  const keys = new RecentKeys(WINDOW_DAYS);
  const perDay = 1_000;
  const days = Array.from({ length: WINDOW_DAYS }, (_, ago) => TODAY - ago);
  const firstOf = (day: number): number => (TODAY - day) * perDay + 1;
  for (const day of days)
    for (let key = firstOf(day); key < firstOf(day) + perDay; key += 1) keys.note(key, day);
  const restored = RecentKeys.from(structuredClone(keys.snapshot()));
  // Keys can still be added afterwards.
  for (let key = 1_000_000; key < 1_030_000; key += 1) restored.note(key, TODAY);
  let missing = 0;
  for (let key = 1; key <= WINDOW_DAYS * perDay; key += 1) if (!restored.note(key, TODAY)) missing += 1;
  expect(missing).toBe(0);
});

test("a full set takes new keys again once others have left the window", () => {
  const keys = new RecentKeys(WINDOW_DAYS, 100);
  for (let key = 1; key <= 100; key += 1) keys.note(key, key <= 40 ? TODAY : TODAY + 5);
  keys.note(200, TODAY + 5);
  expect(keys.note(200, TODAY + 5)).toBe(false);
  const later = TODAY + WINDOW_DAYS + 1;
  keys.note(200, later);
  expect(keys.note(200, later)).toBe(true);
  expect(keys.note(100, later)).toBe(true);
  expect(keys.note(1, later)).toBe(false);
});
