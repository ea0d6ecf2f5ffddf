import { expect, test } from "vitest";
import { pauseText } from "./pause-text.ts";

test("a paused feed says in French until when and why, in Paris time", () => {
  const untilMs = Date.UTC(2026, 10, 20, 13, 32);
  expect(pauseText({ kind: "paused", reason: "rate_limited", untilMs })).toBe(
    "Le flux est en pause jusqu'à 14:32 : la place de marché demande d'attendre.",
  );
});

test("a live or idle feed says nothing", () => {
  expect(pauseText({ kind: "live" })).toBeNull();
  expect(pauseText({ kind: "idle" })).toBeNull();
});
