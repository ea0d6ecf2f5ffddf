import { expect, test } from "vitest";
import { A_MOMENT_MS } from "#testing/fake-clock.ts";
import { pauseText } from "./pause-text.ts";

test("the pause text gives reason and end in French, in Paris time", () => {
  const untilMs = A_MOMENT_MS + 152 * 60_000;
  expect(pauseText({ kind: "paused", reason: "rate_limited", untilMs })).toBe(
    "Le flux est en pause jusqu'à 14:32 : la place de marché demande d'attendre.",
  );
});

test("a live or idle feed has no pause text", () => {
  expect(pauseText({ kind: "live" })).toBeNull();
  expect(pauseText({ kind: "idle" })).toBeNull();
});

test("the text for a frozen market names no end, since reading continues", () => {
  expect(pauseText({ kind: "paused", reason: "frozen", untilMs: A_MOMENT_MS })).toBe(
    "La place de marché ne montre plus de nouveaux articles.",
  );
});
