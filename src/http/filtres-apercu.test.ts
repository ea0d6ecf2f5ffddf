import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { apercu } from "#contract/filtres/filtre.ts";
import { phrase } from "#contract/filtres/phrase.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { archived, recordJackets } from "#verify/testing/archived.ts";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const preview = z.strictObject({ success: z.literal(true), apercu: z.strictObject(apercu.shape) });

test("criteria that are still being written are counted against what the product saw", async () => {
  const person = await world.signIn("seeker");
  await recordJackets(world.store, world.clock.nowMs(), [1_200, 4_500, 12_000]);
  const answer = await person.post("/filtres/apercu", { mots: ["MOUTARDE"], limit: 50 });
  expect(answer.status, answer.text).toBe(200);
  expect(preview.parse(answer.body).apercu).toMatchObject({
    articles: 2,
    // Nothing older is remembered.
    depuis: world.clock.nowMs(),
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

test("a price condition counts only listings that are cheaper than most", async () => {
  const person = await world.signIn("seeker");
  const nowMs = world.clock.nowMs();
  // A hundred listings of different sellers, from dear to cheap: the last are cheaper than all before.
  const seen = Array.from({ length: 100 }, (_, index) =>
    aSeenListing({
      listing: aListing({
        id: 7_000_000_000 + index,
        title: `Trench ${index}`,
        totalPriceCents: 10_000 - index * 50,
        seller: { id: 100 + index, login: `v${index}`, photoUrl: null },
      }),
      firstSeenAtMs: nowMs,
      seenAtMs: nowMs,
    }),
  );
  await world.store.listings.record({ listings: seen, matches: [], marks: [], archive: [archived(seen)] });
  const count = async (bon_prix: number | null) => {
    const { body } = await person.post("/filtres/apercu", { mots: ["trench"], limit: 200, bon_prix });
    return preview.parse(body).apercu.articles;
  };
  const [all, quarter, tenth] = [await count(null), await count(25), await count(10)];
  expect(all).toBe(100);
  expect(quarter).toBeLessThan(all);
  expect(tenth).toBeLessThan(quarter);
  const wrong = await person.post("/filtres/apercu", { bon_prix: 20 });
  expect([wrong.status, wrong.body]).toMatchObject([400, { champ: "bon_prix" }]);
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

const answered = z.strictObject({ success: z.literal(true), ...phrase.shape });

test("a sentence gives the fields that it names, in the shapes of a filter", async () => {
  const person = await world.signIn("seeker");
  const texte = "Robe Zara noire fleurie taille M entre 10 et 20,50 €, sauf Shein";
  const answer = await person.post("/filtres/phrase", { texte });
  expect(answered.parse(answer.body)).toEqual({
    success: true,
    filtre: {
      types: { ids: [10], names: ["Robes"] },
      brands: { ids: [12], names: ["Zara"] },
      sizes: { ids: [4], names: ["M / 38 / 10"] },
      color: "Black",
      limit: 20,
      limit_min: 10,
      exclure: ["shein"],
    },
    compris: [
      { texte: "Robe", champ: "types" },
      { texte: "Zara", champ: "brands" },
      { texte: "noire", champ: "color" },
      { texte: "taille M", champ: "sizes" },
      { texte: "entre 10 et 20,50 €", champ: "limit_min" },
      { texte: "entre 10 et 20,50 €", champ: "limit" },
      { texte: "sauf Shein", champ: "exclure" },
    ],
    reste: ["fleurie"],
  });
  const none = await person.post("/filtres/phrase", { texte: "quelque chose de joli" });
  expect(answered.parse(none.body)).toMatchObject({ filtre: {}, compris: [] });
});

test("what a sentence gives is a filter that can be saved", async () => {
  const person = await world.signIn("thunder");
  for (const texte of [
    'Jean Levi\'s homme W32 "501 | 505" neuf, moins de 40 €',
    `${'"a|b|c" '.repeat(36)}sauf x`,
    `sauf ${"lot et ".repeat(40)}`,
  ]) {
    const { filtre } = answered.parse((await person.post("/filtres/phrase", { texte })).body);
    const saved = await person.post("/filtres/add", { tag: "Phrase", ...filtre });
    expect(saved.status, saved.text).toBe(200);
    expect(saved.body).toMatchObject({ filtre });
  }
});

test("a sentence is a text of 1 to 300 characters", async () => {
  const person = await world.signIn("seeker");
  for (const texte of [undefined, "", "   ", 3, "x".repeat(301)]) {
    const { status, body } = await person.post("/filtres/phrase", { texte });
    expect([status, body]).toMatchObject([400, { success: false, champ: "texte" }]);
  }
});
