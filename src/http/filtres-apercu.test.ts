import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { apercu } from "#contract/filtre.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const preview = z.strictObject({ success: z.literal(true), apercu: z.strictObject(apercu.shape) });

test("criteria that are still being written are counted against what the product saw", async () => {
  const person = await world.signIn("seeker");
  const nowMs = world.clock.nowMs();
  const seen = [1_200, 4_500, 12_000].map((totalPriceCents, index) =>
    aSeenListing({
      listing: aListing({ id: 5_900_000_000 + index, title: "Perfecto moutarde", totalPriceCents }),
      firstSeenAtMs: nowMs,
      seenAtMs: nowMs,
    }),
  );
  await world.store.listings.record({ listings: seen, matches: [], marks: [] });
  const answer = await person.post("/filtres/apercu", { mots: ["MOUTARDE"], limit: 50 });
  expect(answer.status, answer.text).toBe(200);
  expect(preview.parse(answer.body).apercu).toMatchObject({
    articles: 2,
    prix: { min: { amount: "12.00", currency_code: "EUR" }, max: { amount: "45.00", currency_code: "EUR" } },
  });
  const dearer = await person.post("/filtres/apercu", {
    mots: ["perfecto moutarde | jaune"],
    limit: 50,
    limit_min: 13,
  });
  expect(preview.parse(dearer.body).apercu).toMatchObject({
    articles: 1,
    prix: { min: { amount: "45.00" } },
  });
  const none = await person.post("/filtres/apercu", { mots: ["moutarde"], limit: 0 });
  expect(preview.parse(none.body).apercu).toMatchObject({ articles: 0, prix: null });
});

test("counting has a pace of its own for each person", async () => {
  const [person, other] = [await world.signIn("seeker"), await world.signIn("seeker")];
  const statuses: number[] = [];
  for (let count = 0; count < 21; count += 1)
    statuses.push((await person.post("/filtres/apercu", {})).status);
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  expect((await other.post("/filtres/apercu", {})).status).toBe(200);
  expect((await person.get("/filtres/get")).status).toBe(200);
});
