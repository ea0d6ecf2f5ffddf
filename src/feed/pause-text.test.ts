import { expect, test } from "vitest";
import { A_MOMENT_MS } from "#testing/fake-clock.ts";
import { pauseText } from "./pause-text.ts";

test("a paused feed says in French until when and why, in Paris time", () => {
  const untilMs = A_MOMENT_MS + 152 * 60_000;
  expect(pauseText({ kind: "paused", reason: "rate_limited", untilMs })).toBe(
    "Le flux est en pause jusqu'à 14:32 : la place de marché demande d'attendre.",
  );
});

test("a live or idle feed says nothing", () => {
  expect(pauseText({ kind: "live" })).toBeNull();
  expect(pauseText({ kind: "idle" })).toBeNull();
});

test("a market that shows nothing new is no pause: it is read all the while", () => {
  expect(pauseText({ kind: "paused", reason: "frozen", untilMs: A_MOMENT_MS })).toBe(
    "La place de marché ne montre plus de nouveaux articles.",
  );
});
