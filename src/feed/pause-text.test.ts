import { expect, test } from "vitest";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { shownPause } from "./feed.ts";

test("a paused feed says in French why, and when it goes on", () => {
  expect(shownPause({ kind: "paused", reason: "unreachable", untilMs: A_MOMENT_MS })).toEqual({
    reason: "Vinted ne répond pas",
    untilMs: A_MOMENT_MS,
  });
});

test("a feed that waits for the store blames nobody else, and promises no time", () => {
  expect(shownPause({ kind: "paused", reason: "store", untilMs: null })).toEqual({
    reason: "la base de données de Synapse ne répond pas",
    untilMs: null,
  });
});

test("a live or idle feed is not paused", () => {
  expect(shownPause({ kind: "live" })).toBeNull();
  expect(shownPause({ kind: "idle" })).toBeNull();
});

test("a frozen market is shown without an end time: reading continues", () => {
  expect(shownPause({ kind: "paused", reason: "frozen", untilMs: A_MOMENT_MS })).toEqual({
    reason: "Vinted ne montre plus de nouveaux articles",
    untilMs: null,
  });
});
