import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { rejeu } from "#contract/filtres/rejeu.ts";
import { DAY_MS } from "#domain/clock.ts";
import type { ArchiveRange } from "#market/archive/archive-reader.ts";
import { sellerHash } from "#market/prices/relist-keys.ts";
import type { PurchaseRecord } from "#store/purchase-facts.ts";
import { purchases } from "#store/schema/purchase-tables.ts";
import { toRow } from "#store/purchases/rows.ts";
import { asPurchaseId } from "#domain/ids.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aPurchaseRecord } from "#verify/testing/a-purchase-record.ts";
import { archived, recordJackets } from "#verify/testing/archived.ts";
import { type Answer, type Person, startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
  await recordJackets(world.store, world.clock.nowMs(), [1_200, 4_500, 12_000]);
});
afterAll(() => world[Symbol.asyncDispose]());

const answered = z.strictObject({ success: z.literal(true), rejeu: z.strictObject(rejeu.shape) });

/** Blocks backtests from reading the archive until it is opened. */
function gate(): Disposable & { open(): void } {
  const { archive } = world.store;
  const heads = archive.heads.bind(archive);
  const gated = Promise.withResolvers<void>();
  Object.assign(archive, {
    heads: async (range: ArchiveRange) => {
      await gated.promise;
      return await heads(range);
    },
  });
  return {
    open: () => gated.resolve(),
    [Symbol.dispose]() {
      gated.resolve();
      Object.assign(archive, { heads });
    },
  };
}

const replaced = { success: false, error: "Un calcul plus récent a remplacé celui-ci." };

test("a newer backtest of a person ends the one before at once, and nobody else's", async () => {
  const [person, other] = [await world.signIn("thunder"), await world.signIn("seeker")];
  using archive = gate();
  const theirs = other.post("/filtres/rejeu", { limit: 50 });
  const asked = [30, 29, 28].map(async (jours) => await person.post("/filtres/rejeu", { limit: 50, jours }));
  for (const older of await Promise.all(asked.slice(0, 2)))
    expect([older.status, older.body]).toEqual([409, replaced]);
  archive.open();
  const newest = answered.parse((await asked[2])?.body).rejeu;
  expect(newest).toMatchObject({ articles: 2, periode: { jours: 28 } });
  expect(answered.parse((await theirs).body).rejeu).toMatchObject({ articles: 2, periode: { jours: 30 } });
});

test("twenty people may wait for backtests; the next are answered 429, and a new request replaces a waiting one", async () => {
  const people = await Promise.all(Array.from({ length: 23 }, async () => await world.signIn("seeker")));
  using archive = gate();
  const refused: Answer[] = [];
  const ask = async (person: Person | undefined, jours: number) => {
    const answer = await person?.post("/filtres/rejeu", { limit: 50, jours });
    if (answer?.status === 429) refused.push(answer);
    return answer;
  };
  const asked = people.map(async (person) => await ask(person, 30));
  await expect.poll(() => refused.length).toBe(2);
  for (const { headers, body } of refused) {
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expect(body).toMatchObject({ success: false, error: expect.stringContaining("réessayez") as string });
  }
  const again = ask(people[5], 7);
  expect((await asked[5])?.body).toEqual(replaced);
  archive.open();
  expect(answered.parse((await again)?.body).rejeu.periode.jours).toBe(7);
  const statuses = (await Promise.all(asked)).map((answer) => answer?.status);
  expect(statuses.toSorted((one, other) => (one ?? 0) - (other ?? 0))).toEqual([
    ...Array.from({ length: 20 }, () => 200),
    409,
    429,
    429,
  ]);
});

test("previews that wait take no place of backtests", async () => {
  const people = await Promise.all(Array.from({ length: 25 }, async () => await world.signIn("seeker")));
  const person = await world.signIn("seeker");
  const begun = vi.spyOn(world.store.archive, "coverage");
  using archive = gate();
  const previews = people.map(async (other) => await other.post("/filtres/apercu", { limit: 50 }));
  await expect.poll(() => begun.mock.calls.length).toBe(people.length);
  begun.mockRestore();
  const [older, newer] = [30, 29].map((jours) => person.post("/filtres/rejeu", { limit: 50, jours }));
  expect((await older)?.body).toEqual(replaced);
  archive.open();
  expect(answered.parse((await newer)?.body).rejeu.articles).toBe(2);
  for (const { status } of await Promise.all(previews)) expect(status).toBe(200);
});

/** Ten seconds pass at once meanwhile. */
async function tenSecondsLater(ask: () => Promise<Answer>): Promise<Answer> {
  const deadlinesMs: number[] = [];
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const passing = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    deadlinesMs.push(ms);
    return timeout(ms === 10_000 ? 1 : ms);
  });
  const late = await ask().finally(() => passing.mockRestore());
  expect(deadlinesMs).toContain(10_000);
  return late;
}

test("a backtest that is not done within ten seconds is answered 503, and the next one runs", async () => {
  const person = await world.signIn("seeker");
  using archive = gate();
  const late = await tenSecondsLater(() => person.post("/filtres/rejeu", { limit: 50 }));
  expect([late.status, late.headers["retry-after"], late.body]).toEqual([
    503,
    "5",
    {
      success: false,
      error: "Le calcul prend trop de temps : réessayez, ou choisissez des types.",
    },
  ]);
  archive.open();
  const { body } = await person.post("/filtres/rejeu", { limit: 50 });
  expect(answered.parse(body).rejeu).toMatchObject({ articles: 2, tronque: false });
});

test("so are a preview, the market and its prices, which leave the queue to others", async () => {
  const person = await world.signIn("seeker");
  using archive = gate();
  const tooLong = "Le calcul prend trop de temps : réessayez, ou choisissez des types.";
  const tooLate = "Les prix se font attendre : réessayez dans quelques secondes.";
  const asked: readonly (readonly [ask: () => Promise<Answer>, body: object])[] = [
    [() => person.post("/filtres/apercu", { limit: 50 }), { success: false, error: tooLong }],
    [
      () => person.get("/articles/marche"),
      { error: "Le marché se fait attendre : réessayez dans quelques secondes." },
    ],
    [() => person.get("/marche/prix?type=221"), { error: tooLate }],
    [() => person.get("/marche/populaires"), { error: tooLate }],
  ];
  for (const [ask, body] of asked) {
    const late = await tenSecondsLater(ask);
    expect([late.status, late.headers["retry-after"], late.body]).toEqual([503, "5", body]);
  }
  archive.open();
  for (const [ask] of asked) expect((await ask()).status).toBe(200);
});

test("a limit of 0 finds nothing, but reports what higher limits find", async () => {
  const person = await world.signIn("seeker");
  const { body } = await person.post("/filtres/rejeu", { mots: ["perfecto"], limit: 0, jours: 1 });
  expect(answered.parse(body).rejeu).toMatchObject({
    examines: 3,
    articles: 0,
    incertains: 0,
    ids: [],
    limite: {
      moins_chere: { amount: "12.00", currency_code: "EUR" },
      paliers: [
        { limit: 5, articles: 0 },
        { limit: 10, articles: 0 },
        { limit: 20, articles: 1 },
      ],
    },
  });
});

test("a period lies in the archive's days, and does not begin in the future", async () => {
  const nowMs = world.clock.nowMs();
  const person = await world.signIn("seeker");
  const wrong = [
    { jours: 0 },
    { jours: 31 },
    { jours: 1.5 },
    { jours: "30" },
    { depuis: nowMs + 60_000 },
    { depuis: nowMs - 31 * DAY_MS },
  ];
  for (const period of wrong)
    expect((await person.post("/filtres/rejeu", period)).status, JSON.stringify(period)).toBe(400);
  const { body } = await person.post("/filtres/rejeu", { limit: 50, depuis: nowMs - DAY_MS });
  expect(answered.parse(body).rejeu).toMatchObject({ articles: 2, periode: { jours: 2 } });
  expect(answered.parse(body).rejeu.jours).toHaveLength(2);
});

test("the range against other buyers rests on the automatic attempts of the last 30 days, from twenty on", async () => {
  const person = await world.signIn("thunder");
  const nowMs = world.clock.nowMs();
  let serial = 0;
  const attempt = async (traits: Partial<PurchaseRecord>): Promise<void> => {
    serial += 1;
    const listing = aListing({ id: 8_000_000_000 + serial });
    const record = aPurchaseRecord({ userId: person.user.id, ...traits, listing, holdCents: 0 });
    await world.store.db
      .insert(purchases)
      .values(toRow({ ...record, id: asPurchaseId(`attempt-${serial}`) }));
  };
  const asked = async () => {
    const { body } = await person.post("/filtres/rejeu", { limit: 50, autobuy: true });
    const { achats } = answered.parse(body).rejeu;
    return [achats?.nombre, achats?.tentatives, achats?.fourchette];
  };
  const oldestMs = nowMs - 30 * DAY_MS;
  for (let won = 0; won < 9; won += 1) await attempt({ state: "confirmed", decidedAtMs: oldestMs });
  for (let lost = 0; lost < 10; lost += 1)
    await attempt({ state: "failed", failureReason: "sold", decidedAtMs: nowMs });
  await attempt({ state: "confirmed", decidedAtMs: oldestMs - 1 });
  // The second jacket is a relist of the first.
  expect(await asked()).toEqual([1, 19, null]);
  await attempt({ state: "confirmed", decidedAtMs: oldestMs });
  expect(await asked()).toEqual([1, 20, { min: 0, max: 1 }]);
});

/** Archives three articles of the sellers 1, 2 and 3 with the archive's own secret. */
async function recordKimonos(): Promise<void> {
  const nowMs = world.clock.nowMs();
  const seen = [1, 2, 3].map((id) =>
    aSeenListing({
      listing: aListing({
        id: 5_950_000_000 + id,
        title: `Kimono numéro ${id}`,
        seller: { id, login: `kimono-${id}`, photoUrl: null },
      }),
      firstSeenAtMs: nowMs,
      seenAtMs: nowMs,
    }),
  );
  const secret = await world.store.archive.secret();
  const archive = [archived(seen, (sellerId) => sellerHash(secret, sellerId))];
  await world.store.listings.record({ listings: seen, matches: [], marks: [], archive });
}

const counted = z.object({ apercu: z.object({ articles: z.number() }) });

test("a backtest buys for its person: with their plan, without the sellers they block, in a group of theirs", async () => {
  await recordKimonos();
  const rejeuOf = async (person: Person, fields: object = {}) => {
    const body = { mots: ["kimono"], limit: 50, autobuy: true, ...fields };
    const answer = await person.post("/filtres/rejeu", body);
    const { articles, achats, pertes } = answered.parse(answer.body).rejeu;
    return {
      articles,
      nombre: achats?.nombre ?? null,
      pertes: pertes.map(({ code, nombre }) => [code, nombre]),
    };
  };
  const [person, other] = [await world.signIn("thunder"), await world.signIn("acquire")];
  expect(await rejeuOf(await world.signIn("seeker"))).toEqual({ articles: 3, nombre: null, pertes: [] });
  expect(await rejeuOf(person)).toEqual({ articles: 3, nombre: 3, pertes: [] });
  const tag = "Kimono";
  const { filtre } = z
    .object({ filtre: z.object({ _id: z.string() }) })
    .parse((await person.post("/filtres/add", { tag, active: false })).body);
  const made = await person.post("/groupes/add", { nom: tag, achats: 1, filtres: [filtre._id] });
  const groupe = z.object({ groupe: z.object({ _id: z.string() }) }).parse(made.body).groupe._id;
  expect(await rejeuOf(person, { groupe })).toEqual({ articles: 3, nombre: 1, pertes: [["regle", 2]] });
  expect(await rejeuOf(other, { groupe })).toEqual({ articles: 3, nombre: 3, pertes: [] });
  const countedFor = async (who: Person) =>
    counted.parse((await who.post("/filtres/apercu", { mots: ["kimono"], limit: 50 })).body).apercu.articles;
  await person.post("/vendeurs/bloquer", { vendeurs: [{ login: "kimono-2", id: 2 }] });
  expect(await rejeuOf(person)).toEqual({ articles: 2, nombre: 2, pertes: [] });
  expect(await rejeuOf(other)).toEqual({ articles: 3, nombre: 3, pertes: [] });
  expect([await countedFor(person), await countedFor(other)]).toEqual([2, 3]);
});
