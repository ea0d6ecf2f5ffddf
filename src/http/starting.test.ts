import { afterAll, beforeAll, expect, test } from "vitest";
import type { FeedState } from "#feed/feed.ts";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;
let feedState: FeedState = { kind: "idle" };
let fault: "starting" | null = "starting";

beforeAll(async () => {
  world = await startHttpWorld({ feed: { state: () => feedState }, fault: () => fault });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

test("while it starts the product reports its progress and serves no requests", async () => {
  const starting = { error: "Le service démarre." };
  expect(await world.anonymous.get("/health")).toMatchObject({ status: 503, body: starting });
  feedState = { kind: "loading", percent: 40 };
  const loading = { error: "Chargement des filtres : 40 %" };
  expect(await world.anonymous.get("/health")).toMatchObject({ status: 503, body: loading });
  for (const path of ["/", "/auth/user", "/filtres/get", "/nulle-part"])
    expect(await world.anonymous.get(path)).toMatchObject({ status: 503 });
  const page = await world.anonymous.get("/synapse/articles", { headers: { accept: "text/html" } });
  expect([page.status, page.headers["content-type"]]).toEqual([503, "text/html; charset=utf-8"]);
  expect(page.text).toContain("Synapse démarre");
  expect(page.text).toContain('http-equiv="refresh"');
  // The page may buy again: the code says that nothing was bought.
  const click = await world.anonymous.post("/purchase/click", { id: 1 });
  expect(click).toMatchObject({ status: 503, body: { ...starting, code: "demarrage" } });
  // Requests during the start are expected: none is logged as an error.
  const isRefused = ({ fields }: (typeof world.log)[number]): boolean => fields["status"] === 503;
  await expect.poll(() => world.log.filter(isRefused).length).toBeGreaterThanOrEqual(8);
  expect(new Set(world.log.filter(isRefused).map(({ level }) => level))).toEqual(new Set(["warn"]));

  feedState = { kind: "live" };
  fault = null;
  expect(await world.anonymous.get("/health")).toMatchObject({ status: 200, body: { flux: "en_direct" } });
});
