import { expect, test } from "vitest";
import type { FeedState } from "#feed/feed.ts";
import { startHttpWorld } from "./http-world.suite.ts";

test("health says in French until when and why the stream rests, and is ready all the same", async () => {
  let state: FeedState = { kind: "live" };
  await using world = await startHttpWorld({ feed: { state: () => state } });
  const health = async () => {
    const { status, body } = await world.anonymous.get("/health");
    return { status, body };
  };
  expect(await health()).toEqual({ status: 200, body: { etat: "pret", flux: "en_direct" } });
  state = { kind: "paused", reason: "blocked", untilMs: Date.UTC(2026, 10, 20, 13, 32) };
  expect(await health()).toEqual({
    status: 200,
    body: {
      etat: "pret",
      flux: "en_pause",
      pause: "Vinted refuse l'accès",
      reprise: Date.UTC(2026, 10, 20, 13, 32),
    },
  });
});
