import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { allCategories } from "#catalogue/categories.ts";
import { errorAnswer } from "#contract/envelope.ts";
import { filtreInput } from "#contract/filtres/filtre-input.ts";
import { type Filtre, filtre, filtrePublic } from "#contract/filtres/filtre.ts";
import { MAX_CHOICES_PER_USER } from "#domain/market/filter.ts";
import { asFilterId } from "#domain/ids.ts";
import { filters } from "#store/schema/tables.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { startHttpWorld, type Answer, type HttpWorld, type Person } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const saved = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  filtre: z.strictObject(filtre.shape),
});
const list = z.strictObject({ success: z.literal(true), filtres: z.array(z.strictObject(filtre.shape)) });
const publicList = z.strictObject({
  success: z.literal(true),
  filtres: z.array(z.strictObject(filtrePublic.shape)),
});

const NO_REGLES = {
  budget_jour: null,
  budget_total: null,
  heures: null,
  jours: [],
  pause: null,
  vendeur_jour: null,
  echecs: null,
};

async function add(person: Person, fields: Record<string, unknown> = {}): Promise<Filtre> {
  const answer = await person.post("/filtres/add", { tag: "Robes", ...fields });
  expect(answer.status, answer.text).toBe(200);
  return saved.parse(answer.body).filtre;
}

async function filtersOf(person: Person): Promise<readonly Filtre[]> {
  return list.parse((await person.get("/filtres/get")).body).filtres;
}

const refusal = (answer: Answer) => [answer.status, answer.body];

test("a filter that was saved with longer words than are taken now can be edited", async () => {
  const person = await world.signIn("seeker");
  const word = "y".repeat(50);
  const known = aFilter({ id: asFilterId("mots-longs"), userId: person.user.id, includeWords: [[word]] });
  await world.store.filters.add(known, 10);
  const [shown] = await filtersOf(person);
  const answer = await person.post("/filtres/edit", { ...shown, active: false });
  expect(saved.parse(answer.body).filtre).toMatchObject({ active: false, mots: [word] });
  const longer = await person.post("/filtres/edit", { ...shown, mots: [`${word}y`] });
  expect(longer.status).toBe(400);
});

test.each([
  ["max_purchases", { max_achats: 5 }, { max_achats: 3 }, { max_achats: 8 }],
  ["failures", { regles: { echecs: 5 } }, { regles: { echecs: 3 } }, { regles: { echecs: 8 } }],
  [
    "total_budget",
    { regles: { budget_total: 50 } },
    { regles: { budget_total: 30 } },
    { regles: { budget_total: null } },
  ],
] as const)(
  "an old page switches autobuy that ended on again by a raise of its bound only: %s",
  async (endReason, bound, lowered, raised) => {
    const person = await world.signIn("acquire");
    const { _id: id, ...added } = await add(person, { autobuy: true, ...bound });
    const saving = async (change: object) => {
      await world.clock.advance(1);
      await world.store.db
        .update(filters)
        .set({ isAutobuy: false, endReason, endedAtMs: 1 })
        .where(eq(filters.id, asFilterId(id)));
      const body = { _id: id, ...added, paiement: 1, arret: null, ...change };
      const { filtre: edited, message } = saved.parse((await person.post("/filtres/edit", body)).body);
      return [edited.autobuy, message.includes("reste coupé : il s'est arrêté entre-temps.")];
    };
    expect(await saving({})).toEqual([false, true]);
    expect(await saving(lowered)).toEqual([false, true]);
    await saving(bound);
    expect(await saving(raised)).toEqual([true, false]);
  },
);

test("an edit that names no end switches autobuy on again only a minute after it ended", async () => {
  const person = await world.signIn("acquire");
  const { _id: id, ...added } = await add(person, { autobuy: true });
  const { arret: _, ...unaware } = { ...added, paiement: 1 };
  await world.store.db
    .update(filters)
    .set({ isAutobuy: false, endReason: "failures", endedAtMs: world.clock.nowMs() })
    .where(eq(filters.id, asFilterId(id)));
  const autobuyAfter = async (passedMs: number) => {
    await world.clock.advance(passedMs);
    return saved.parse((await person.post("/filtres/edit", { _id: id, ...unaware })).body).filtre.autobuy;
  };
  expect([await autobuyAfter(1), await autobuyAfter(59_000), await autobuyAfter(1_000)]).toEqual([
    false,
    false,
    true,
  ]);
});

test("an added filter has the specification's defaults and is the caller's first", async () => {
  const person = await world.signIn("seeker");
  const older = await add(person, { tag: "Avant" });
  const answer = await person.post("/filtres/add", { tag: "  Robes d'été  " });
  const { filtre: added, message } = saved.parse(answer.body);
  expect(message).toBe("Filtre « Robes d'été » ajouté.");
  expect(added).toEqual({
    _id: added._id,
    tag: "Robes d'été",
    active: true,
    autobuy: false,
    private: false,
    types: { ids: [], names: [] },
    brands: { ids: [], names: [] },
    sizes: { ids: [], names: [] },
    status: { ids: [], names: [] },
    color: "",
    limit: 100,
    limit_min: 0,
    bon_prix: null,
    paiement: 1,
    info: "",
    mots: [],
    exclure: [],
    max_achats: null,
    simulation: false,
    vendeur: { note_min: null, avis_min: null, pays: [], inconnu: "retenir" },
    ignorer_republications: false,
    regles: NO_REGLES,
    groupe: null,
    arret: null,
    alerte: "sonore",
    alerte_max: 6,
  });
  expect((await filtersOf(person)).map(({ _id }) => _id)).toEqual([added._id, older._id]);
});

test("every field is saved as sent, with the catalogue's names", async () => {
  const person = await world.signIn("acquire");
  const added = await add(person, {
    active: false,
    autobuy: true,
    private: true,
    types: { ids: [221], names: ["a lie"] },
    brands: { ids: [53] },
    status: { ids: [6, 4] },
    color: "Bred",
    limit: 0,
    paiement: 11,
    info: "pour l'été",
    mots: ["Été"],
    exclure: ["Réplique"],
    max_achats: 3,
    simulation: true,
  });
  expect(added).toMatchObject({
    active: false,
    autobuy: true,
    private: true,
    types: { ids: [221] },
    brands: { ids: [53], names: ["Nike"] },
    status: { ids: [6, 4], names: ["Neuf avec étiquette", "Satisfaisant"] },
    color: "Bred",
    limit: 0,
    paiement: 11,
    info: "pour l'été",
    mots: ["ete"],
    exclure: ["replique"],
    max_achats: 3,
    simulation: true,
  });
  expect(added.types.names).not.toContain("a lie");
  expect(await filtersOf(person)).toEqual([added]);
});

test("alternatives and the price floor are saved, and an edit that does not name the floor keeps it", async () => {
  const person = await world.signIn("seeker");
  const sent = {
    mots: ['"Tech Fleece"|techfleece', "gris"],
    exclure: ["lot | lots"],
    limit: 60,
    limit_min: 20,
  };
  const added = await add(person, sent);
  const kept = { mots: ["tech fleece | techfleece", "gris"], exclure: ["lot | lots"], limit_min: 20 };
  expect(added).toMatchObject(kept);
  expect(await filtersOf(person)).toEqual([added]);
  const { limit_min: _, ...withoutFloor } = { ...added, tag: "Vestes" };
  const edited = await person.post("/filtres/edit", withoutFloor);
  expect(saved.parse(edited.body).filtre).toEqual({ ...added, tag: "Vestes" });
  const below = await person.post("/filtres/edit", { ...withoutFloor, limit: 19 });
  expect([below.status, below.body]).toMatchObject([400, { champ: "limit_min" }]);
  const none = await person.post("/filtres/edit", { ...added, limit_min: 0 });
  expect(saved.parse(none.body).filtre).toMatchObject({ limit_min: 0 });
});

test("an edit by a page that knows the first fields alone widens no filter: words, maximum and simulation stay", async () => {
  const person = await world.signIn("thunder");
  const later = { mots: ["tech fleece | techfleece"], exclure: ["lot"], max_achats: 2, simulation: true };
  const added = await add(person, { tag: "Vestes", ...later });
  const { mots: _, exclure: __, max_achats: ___, simulation: ____, ...first } = added;
  const edited = await person.post("/filtres/edit", { ...first, tag: "Manteaux" });
  expect(saved.parse(edited.body).filtre).toEqual({ ...added, tag: "Manteaux" });
  const cleared = { mots: [], exclure: [], max_achats: null, simulation: false };
  const emptied = await person.post("/filtres/edit", { ...first, ...cleared });
  expect(saved.parse(emptied.body).filtre).toMatchObject(cleared);
});

test("quotes around a phrase do not count among its 40 characters", async () => {
  const person = await world.signIn("seeker");
  const phrase = "a".repeat(40);
  const added = await add(person, { mots: [`"${phrase}" | «${phrase.slice(1)}»`] });
  expect(added.mots).toEqual([`${phrase} | ${phrase.slice(1)}`]);
  for (const empty of ['""', 'a | "!"'])
    expect((await person.post("/filtres/add", { tag: "Vide", mots: [empty] })).status).toBe(400);
});

test("what a filter asks of sellers is saved, and an edit keeps what it does not name", async () => {
  const person = await world.signIn("seeker");
  const vendeur = { note_min: 4.5, avis_min: 10, pays: ["FR", "BE"], inconnu: "laisser_passer" };
  const added = await add(person, { tag: "Sûr", vendeur, ignorer_republications: true });
  expect(added).toMatchObject({ vendeur, ignorer_republications: true });
  expect(await filtersOf(person)).toEqual([added]);
  const { vendeur: _, ignorer_republications: __, ...older } = { ...added, tag: "Sûrs" };
  const kept = await person.post("/filtres/edit", older);
  expect(saved.parse(kept.body).filtre).toEqual({ ...added, tag: "Sûrs" });
  const member = await person.post("/filtres/edit", { ...older, vendeur: { note_min: null, pays: [] } });
  expect(saved.parse(member.body).filtre.vendeur).toEqual({ ...vendeur, note_min: null, pays: [] });
  const unknown = await person.post("/filtres/edit", { ...older, vendeur: { pays: ["ZZ"] } });
  expect([unknown.status, unknown.body]).toMatchObject([400, { champ: "vendeur.pays" }]);
});

test("a copy asks the same of sellers as the original", async () => {
  const [author, person] = [await world.signIn("seeker"), await world.signIn("seeker")];
  const vendeur = { note_min: 4, avis_min: null, pays: [], inconnu: "retenir" };
  const original = await add(author, { tag: "Partagé", vendeur, ignorer_republications: true });
  const copied = await person.post("/filtres/copy", { _id: original._id });
  expect(saved.parse(copied.body).filtre).toMatchObject({ vendeur, ignorer_republications: true });
});

test("the price condition is saved, kept by an edit that does not name it, shown to others and copied", async () => {
  const [author, person] = [await world.signIn("seeker"), await world.signIn("seeker")];
  const added = await add(author, { tag: "Bonnes affaires", bon_prix: 5 });
  expect(added.bon_prix).toBe(5);
  const edit = async (body: object) => saved.parse((await author.post("/filtres/edit", body)).body).filtre;
  const { bon_prix: _, ...others } = { ...added, tag: "Bons prix" };
  expect(await edit(others)).toEqual({ ...others, bon_prix: 5 });
  expect(await edit({ ...others, bon_prix: 25 })).toMatchObject({ bon_prix: 25 });
  expect(await filtersOf(author)).toEqual([{ ...others, bon_prix: 25 }]);
  const publics = publicList.parse((await person.get("/filtres/publics?q=bons prix")).body).filtres;
  expect(publics).toMatchObject([{ _id: added._id, bon_prix: 25 }]);
  const copied = await person.post("/filtres/copy", { _id: added._id });
  expect(saved.parse(copied.body).filtre).toMatchObject({ bon_prix: 25 });
  expect(await edit({ ...others, bon_prix: null })).toMatchObject({ bon_prix: null });
  const wrong = await author.post("/filtres/edit", { ...others, bon_prix: 50 });
  expect([wrong.status, wrong.body]).toMatchObject([400, { champ: "bon_prix" }]);
});

test("several filters are changed at once, in all or in none", async () => {
  const [person, other] = [await world.signIn("acquire"), await world.signIn("seeker")];
  const one = await add(person, { tag: "Un", limit: 30, mots: ["gris"], autobuy: true });
  const two = await add(person, { tag: "Deux", limit: 50 });
  const theirs = await add(other, { tag: "Autre" });
  const lot = async (IDs: readonly string[], changement: object) =>
    await person.post("/filtres/lot", { IDs, changement });
  const eventCount = world.eventsOf(person).length;
  const answer = await lot([one._id, two._id], {
    limit_delta: 10,
    mots_ajout: ["Bleu|bleue"],
    autobuy: false,
  });
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      success: true,
      message: "2 filtres modifiés.",
      filtres: [
        { ...one, limit: 40, mots: ["gris", "bleu | bleue"], autobuy: false },
        { ...two, limit: 60, mots: ["bleu | bleue"] },
      ],
    },
  ]);
  expect(world.eventsOf(person).slice(eventCount)).toMatchObject([
    { kind: "filters_changed", filterIds: [one._id, two._id] },
  ]);
  const before = await filtersOf(person);
  // Only filters that differ afterwards are counted; all are returned.
  const partly = await lot([one._id, two._id], { limit: 40, mots_ajout: ["gris"], active: true });
  expect(partly.body).toMatchObject({
    message: "1 filtre modifié.",
    filtres: [{ limit: 40 }, { limit: 40 }],
  });
  await lot([two._id], { limit: 60, mots_retrait: ["gris"] });
  expect((await lot([one._id, two._id], { active: true, exclure_retrait: ["absent"] })).body).toEqual({
    success: true,
    message: "Aucun filtre n'a changé.",
    filtres: [...before].toReversed(),
  });
  expect((await lot([one._id, theirs._id], { active: false })).status).toBe(404);
  const low = await lot([two._id, one._id], { limit_delta: -40 });
  expect([low.status, low.body]).toEqual([
    400,
    {
      success: false,
      error:
        "La limite de prix doit rester entre 1 et 100\u00a0000\u00a0€. Rien n'a été changé (filtre « Un »).",
      champ: "changement.limit_delta",
    },
  ]);
  for (const bad of [{}, { autobuy: true }, { limit: 0 }, { limit: 100_001 }, { mots_ajout: ["!"] }])
    expect((await lot([one._id], bad)).status).toBe(400);
  expect((await lot([], { active: false })).status).toBe(400);
  expect(await filtersOf(person)).toEqual(before);
});

test("of two edits at once each keeps what only the other changed", async () => {
  const person = await world.signIn("thunder");
  for (let round = 0; round < 8; round += 1) {
    const { _id } = await add(person, { autobuy: true, limit: 100 });
    const lower = { active: false, limit: 30 };
    const budget = round % 2 === 0 ? { regles: { budget_total: 50 } } : {};
    const stops =
      round < 4
        ? person.post("/filtres/edit", { _id, tag: "Vestes", ...lower, ...budget })
        : person.post("/filtres/lot", { IDs: [_id], changement: lower });
    const other = person.post("/filtres/edit", { _id, tag: "Vestes", info: "une note" });
    expect((await Promise.all([stops, other])).map(({ status }) => status)).toEqual([200, 200]);
    const stored = (await filtersOf(person)).find((filter) => filter._id === _id);
    expect(stored).toMatchObject({ ...lower, info: "une note" });
    if (round < 4) expect(stored).toMatchObject(budget);
    await person.post("/filtres/delete", { IDs: [_id] });
  }
});

test("the answer is sent after the change was published", async () => {
  const person = await world.signIn("seeker");
  const before = world.eventsOf(person).length;
  const { _id } = await add(person);
  await person.post("/filtres/edit", { _id, tag: "Vestes" });
  await person.post("/filtres/delete", { IDs: [_id] });
  const events = world.eventsOf(person).slice(before);
  expect(events).toEqual(
    [0, 1, 2].map(() => ({ kind: "filters_changed", userId: person.user.id, filterIds: [_id] })),
  );
});

test("an edit keeps what it does not name: a paused private filter stays so", async () => {
  const person = await world.signIn("thunder");
  const added = await add(person, {
    active: false,
    autobuy: true,
    private: true,
    types: { ids: [221] },
    brands: { ids: [53] },
    sizes: { ids: [3] },
    status: { ids: [6] },
    color: "Red",
    limit: 5,
    paiement: 11,
    info: "secret",
  });
  const answer = await person.post("/filtres/edit", { _id: added._id, tag: "Vestes" });
  const { filtre: edited, message } = saved.parse(answer.body);
  expect(message).toBe("Filtre « Vestes » enregistré.");
  expect(edited).toEqual({ ...added, tag: "Vestes" });
  expect(await filtersOf(person)).toEqual([edited]);
  const cleared = { types: { ids: [] }, brands: {}, color: "", info: "", private: false };
  const other = await person.post("/filtres/edit", { _id: added._id, tag: "Vestes", ...cleared });
  const none = { ids: [], names: [] };
  const after = { ...edited, ...cleared, types: none, brands: none };
  expect(saved.parse(other.body).filtre).toEqual(after);
});

test.each(["types", "brands", "sizes", "status"])(
  "%s that are only named are refused, and empty no choice",
  async (field) => {
    const person = await world.signIn("seeker");
    const ids = { types: { ids: [221] }, brands: { ids: [53] }, sizes: { ids: [3] }, status: { ids: [6] } };
    const before = await add(person, { tag: "Vestes", private: true, ...ids });
    const onlyNamed = { [field]: { names: ["Nike"] } };
    for (const answer of [
      await person.post("/filtres/edit", { _id: before._id, tag: "Vestes", ...onlyNamed }),
      await person.post("/filtres/add", { tag: "Autres", ...onlyNamed }),
      await person.post("/filtres/apercu", { limit: 20, ...onlyNamed }),
    ]) {
      expect(refusal(answer)).toMatchObject([
        400,
        { success: false, champ: `${field}.ids`, error: `Le champ « ${field}.ids » est obligatoire.` },
      ]);
    }
    expect(await filtersOf(person)).toEqual([before]);
    const cleared = { _id: before._id, tag: "Vestes", [field]: { ids: [], names: ["Nike"] } };
    const answer = await person.post("/filtres/edit", cleared);
    expect(saved.parse(answer.body).filtre).toEqual({ ...before, [field]: { ids: [], names: [] } });
  },
);

test("a filter is active since it last became so", async () => {
  const person = await world.signIn("seeker");
  const { _id } = await add(person);
  const activeSince = async () =>
    (await world.store.filters.byId(person.user.id, asFilterId(_id)))?.activatedAtMs ?? null;
  const startMs = world.clock.nowMs();
  await world.clock.advance(60_000);
  await person.post("/filtres/edit", { _id, tag: "Plus large", limit: 5_000 });
  expect(await activeSince()).toBe(startMs);
  await person.post("/filtres/edit", { _id, tag: "En pause", active: false });
  expect(await activeSince()).toBeNull();
  await person.post("/filtres/edit", { _id, tag: "Reprise", active: true });
  expect(await activeSince()).toBe(startMs + 60_000);
});

test("automatic buying needs a plan that has it, and the refusal names them", async () => {
  const seeker = await world.signIn("seeker");
  const refused = await seeker.post("/filtres/add", { tag: "Robes", autobuy: true });
  const text = "L'achat automatique fait partie des plans Acquire et Thunder.";
  expect(refusal(refused)).toEqual([403, { success: false, error: text, champ: "autobuy" }]);
  const { _id } = await add(seeker);
  expect(refusal(await seeker.post("/filtres/edit", { _id, tag: "Robes", autobuy: true }))).toEqual([
    403,
    { success: false, error: text, champ: "autobuy" },
  ]);
  for (const kind of ["acquire", "thunder"]) {
    expect((await add(await world.signIn(kind), { autobuy: true })).autobuy).toBe(true);
  }
});

test("after a downgrade every other change of an automatic filter still works, and switches it off", async () => {
  const person = await world.signIn("thunder");
  const { _id } = await add(person, { autobuy: true });
  await world.store.users.setPlan(person.user.id, "seeker", null);
  const answer = await person.post("/filtres/edit", { _id, tag: "Robes", autobuy: true, limit: 40 });
  const { filtre: edited, message } = saved.parse(answer.body);
  expect(edited).toMatchObject({ autobuy: false, limit: 40 });
  expect(message).toMatch(/coupé : il fait partie des plans Acquire et Thunder/);
});

test("deleting is all or none, and returns the count", async () => {
  const person = await world.signIn("seeker");
  const other = await world.signIn("seeker");
  const ids = [(await add(person))._id, (await add(person))._id, (await add(person))._id];
  const foreign = (await add(other))._id;
  for (const IDs of [[...ids, foreign], [...ids, "unknown"], [foreign], ["\u00e9".repeat(64)]]) {
    const refused = await person.post("/filtres/delete", { IDs });
    expect([refused.status, (await filtersOf(person)).length]).toEqual([404, 3]);
  }
  expect((await person.post("/filtres/delete", { IDs: [ids[0], ids[0]] })).body).toEqual({
    success: true,
    message: "1 filtre supprimé.",
    deleted: 1,
  });
  expect((await person.post("/filtres/delete", { IDs: ids.slice(1) })).body).toMatchObject({
    message: "2 filtres supprimés.",
    deleted: 2,
  });
  expect(await filtersOf(other)).toHaveLength(1);
});

test("another person's filter cannot be distinguished from one that does not exist", async () => {
  const owner = await world.signIn("seeker");
  const thief = await world.signIn("thunder");
  const { _id } = await add(owner, { private: true, tag: "Secret" });
  for (const path of ["/filtres/edit", "/filtres/copy"]) {
    const foreign = await thief.post(path, { _id, tag: "Mine" });
    const absent = await thief.post(path, { _id: "0193-absent", tag: "Mine" });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(absent.text);
  }
  expect(await filtersOf(owner)).toMatchObject([{ _id, tag: "Secret" }]);
});

test("public filters are other people's, found by tag, brand and type, and say nothing of their owner", async () => {
  const owner = await world.signIn("acquire");
  const reader = await world.signIn("seeker");
  const { _id } = await add(owner, {
    tag: "Blousons Épiques",
    info: "mot de passe",
    autobuy: true,
    brands: { ids: [53] },
  });
  await add(owner, { tag: "Blousons cachés", private: true });
  const found = publicList.parse((await reader.get("/filtres/publics?q=EPIQUES")).body).filtres;
  expect(found).toEqual([
    {
      _id,
      tag: "Blousons Épiques",
      types: { ids: [], names: [] },
      brands: { ids: [53], names: ["Nike"] },
      sizes: { ids: [], names: [] },
      status: { ids: [], names: [] },
      color: "",
      limit: 100,
      bon_prix: null,
      copies: 0,
    },
  ]);
  const { _id: typed } = await add(owner, { tag: "Hiver", types: { ids: [2525] } });
  const idsBy = async (q: string) =>
    publicList.parse((await reader.get(`/filtres/publics?q=${q}`)).body).filtres.map(({ _id: id }) => id);
  expect(await idsBy("NIKE")).toEqual([_id]);
  // By the type itself, and by the branches above it.
  expect(await idsBy("duffle-COATS")).toEqual([typed]);
  expect(await idsBy("manteaux et vestes")).toEqual([typed]);
  expect(publicList.parse((await owner.get("/filtres/publics?q=epiques")).body).filtres).toEqual([]);
  expect(publicList.parse((await reader.get("/filtres/publics?q=cach")).body).filtres).toEqual([]);
  // Wildcards of SQL patterns are ordinary characters.
  for (const q of ["%25", "_", "%27%3B--"])
    expect(publicList.parse((await reader.get(`/filtres/publics?q=${q}zz`)).body).filtres).toEqual([]);
});

test("a copy is the copier's own, at rest, private and never automatic; copies are counted", async () => {
  const owner = await world.signIn("acquire");
  const copier = await world.signIn("acquire");
  const original = await add(owner, {
    tag: "Copie-moi",
    autobuy: true,
    paiement: 11,
    info: "à moi",
    limit: 42,
    regles: { budget_total: 60, jours: [1], heures: { de: "08:00", a: "22:00" } },
  });
  const { filtre: copy } = saved.parse((await copier.post("/filtres/copy", { _id: original._id })).body);
  expect(copy).toEqual({
    ...original,
    _id: copy._id,
    active: false,
    private: true,
    autobuy: false,
    paiement: 1,
    info: "",
    regles: NO_REGLES,
  });
  expect(copy._id).not.toBe(original._id);
  const again = publicList.parse((await copier.get("/filtres/publics?q=copie-moi")).body).filtres;
  expect(again).toMatchObject([{ _id: original._id, copies: 1 }]);
  expect((await owner.post("/filtres/copy", { _id: original._id })).status).toBe(404);
});

test("there are 200 filters at most, also when they come at the same time, and a copy that has no room counts not", async () => {
  const person = await world.signIn("seeker");
  const owner = await world.signIn("seeker");
  const { _id } = await add(owner, { tag: "Sans place" });
  for (let round = 0; round < 4; round += 1) {
    // The write rate: a burst of 60, then one per second.
    await Promise.all(Array.from({ length: 55 }, () => person.post("/filtres/add", { tag: "Beaucoup" })));
    await world.clock.advance(60_000);
  }
  expect(await filtersOf(person)).toHaveLength(200);
  const full = { success: false, error: "Vous avez déjà 200 filtres, le maximum : supprimez-en un d'abord." };
  expect(refusal(await person.post("/filtres/add", { tag: "Trop" }))).toEqual([409, full]);
  expect(refusal(await person.post("/filtres/copy", { _id }))).toEqual([409, full]);
  const [original] = publicList.parse((await person.get("/filtres/publics?q=sans place")).body).filtres;
  expect(original?.copies).toBe(0);
});

const tooMany = (count: number) => Array.from({ length: count }, (_, id) => id);

test.each<readonly [string, unknown]>([
  ["no tag", {}],
  ["an empty tag", { tag: "   " }],
  ["a long tag", { tag: "x".repeat(81) }],
  ["a tag with a NUL", { tag: "a\u0000b" }],
  ["a tag with half a pair", '{"tag":"a\\ud800b"}'],
  ["a number for a tag", { tag: 1 }],
  ["a text for a flag", { tag: "a", active: "true" }],
  ["null for a flag", { tag: "a", private: null }],
  ["a fraction for the limit", { tag: "a", limit: 9.5 }],
  ["a negative limit", { tag: "a", limit: -1 }],
  ["an endless limit", { tag: "a", limit: 100_001 }],
  ["a word for the limit", { tag: "a", limit: "cent" }],
  ["an unknown payment", { tag: "a", paiement: 2 }],
  ["a text for the payment", { tag: "a", paiement: "1" }],
  ["long notes", { tag: "a", info: "x".repeat(501) }],
  ["an unknown category", { tag: "a", types: { ids: [987_654] } }],
  ["an unknown brand", { tag: "a", brands: { ids: [987_654_321] } }],
  ["an unknown size", { tag: "a", sizes: { ids: [0] } }],
  ["an unknown condition", { tag: "a", status: { ids: [5] } }],
  ["an unknown colour", { tag: "a", color: "Noir" }],
  ["a list for a selection", { tag: "a", types: [] }],
  ["texts for ids", { tag: "a", types: { ids: ["221"] } }],
  ["too many ids", { tag: "a", types: { ids: tooMany(1_001) } }],
  ["an id beyond all numbers", '{"tag":"a","types":{"ids":[1e400]}}'],
  ["too many words", { tag: "a", mots: tooMany(21).map((n) => `mot${n}`) }],
  ["a long word", { tag: "a", mots: ["x".repeat(41)] }],
  ["a word of signs", { tag: "a", exclure: ["!!!"] }],
  ["an empty alternative", { tag: "a", mots: ["robe|"] }],
  ["a long alternative", { tag: "a", mots: [`robe|${"x".repeat(41)}`] }],
  [
    "too many alternatives",
    {
      tag: "a",
      mots: [
        tooMany(11)
          .map((n) => `mot${n}`)
          .join("|"),
      ],
    },
  ],
  ["a floor above the limit", { tag: "a", limit: 10, limit_min: 11 }],
  ["a floor below nothing", { tag: "a", limit_min: -1 }],
  ["a rating above the best", { tag: "a", vendeur: { note_min: 5.1 } }],
  ["a rating below the worst", { tag: "a", vendeur: { note_min: 0.9 } }],
  ["no reviews at all", { tag: "a", vendeur: { avis_min: 0 } }],
  ["endless reviews", { tag: "a", vendeur: { avis_min: 10_001 } }],
  ["a country that does not exist", { tag: "a", vendeur: { pays: ["ZZ"] } }],
  ["a country in small letters", { tag: "a", vendeur: { pays: ["fr"] } }],
  ["too many countries", { tag: "a", vendeur: { pays: Array.from({ length: 11 }, () => "FR") } }],
  ["a third way with the unknown", { tag: "a", vendeur: { inconnu: "demander" } }],
  ["a share of prices that is not offered", { tag: "a", bon_prix: 20 }],
  ["a share of no prices", { tag: "a", bon_prix: 0 }],
  ["a text for the share of prices", { tag: "a", bon_prix: "10" }],
  ["no purchases", { tag: "a", max_achats: 0 }],
  ["endless purchases", { tag: "a", max_achats: 1_001 }],
  ["a list for a body", []],
  ["a text for a body", '"tag"'],
  ["null for a body", "null"],
  ["no JSON", "{tag:1}"],
  ["half a JSON", '{"tag":"a"'],
])("a filter with %s is refused with a French sentence and saves nothing", async (_what, body) => {
  const person = await badInputPerson();
  const answer = await person.post("/filtres/add", body);
  expect(answer.status, answer.text).toBe(400);
  const { champ, ...said } = z.strictObject(errorAnswer.shape).parse(answer.body);
  expect(said).toEqual({ success: false, error: expect.stringMatching(/^[A-ZÀ-Ý].+\.$/) as unknown });
  // The field, if any, for the page to show the message at.
  if (champ !== undefined) expect(Object.keys(filtreInput.shape)).toContain(champ.split(".", 1)[0]);
  expect(await filtersOf(person)).toEqual([]);
});

let sharedPerson: Person | undefined;
async function badInputPerson(): Promise<Person> {
  await world.clock.advance(10_000);
  return (sharedPerson ??= await world.signIn("seeker"));
}

test("fields that a body may not set are ignored: ids, owners, times, counts and any others", async () => {
  const person = await world.signIn("seeker");
  const victim = await world.signIn("seeker");
  const body = `{"tag":"Robes","_id":"chosen","id":"chosen","user":"${victim.user.id}","userId":"${victim.user.id}",
    "user_id":"${victim.user.id}","level":2,"plan":"thunder","copies":99,"createdAtMs":1,"activatedAtMs":1,
    "isAutobuy":true,"__proto__":{"autobuy":true},"constructor":{"prototype":{"autobuy":true}}}`;
  const answer = await person.post("/filtres/add", body);
  const { filtre: added } = saved.parse(answer.body);
  expect(added._id).not.toBe("chosen");
  expect(added.autobuy).toBe(false);
  const stored = await world.store.filters.byId(person.user.id, asFilterId(added._id));
  expect(stored).toMatchObject({ copies: 0, createdAtMs: world.clock.nowMs(), isAutobuy: false });
  expect(await filtersOf(victim)).toEqual([]);
  expect(Object.prototype).not.toHaveProperty("autobuy");
});

test("a body nested to the limit of its size is answered like any other", async () => {
  const person = await world.signIn("seeker");
  const depth = 30_000;
  const answer = await person.post(
    "/filtres/add",
    `{"tag":"a","deep":${"[".repeat(depth)}${"]".repeat(depth)}}`,
  );
  expect(answer.status).toBe(200);
});

test("a refusal names the field that is to be mended", async () => {
  const person = await world.signIn("seeker");
  const fieldOf = async (body: unknown) => {
    const answer = await person.post("/filtres/add", body);
    return [answer.status, z.strictObject(errorAnswer.shape).parse(answer.body).champ];
  };
  expect(await fieldOf({ tag: " " })).toEqual([400, "tag"]);
  expect(await fieldOf({ tag: "A", brands: { ids: [1.5] } })).toEqual([400, "brands.ids"]);
  expect(await fieldOf({ tag: "A", sizes: { ids: [999_999] } })).toEqual([400, "sizes"]);
  expect(await fieldOf({ tag: "A", color: "Mauve" })).toEqual([400, "color"]);
  expect(await fieldOf({ tag: "A", autobuy: true })).toEqual([403, "autobuy"]);
});

test("all of a person's filters together name a bounded number of choices", async () => {
  const person = await world.signIn("seeker");
  const fat = { tag: "Tous les types", types: { ids: allCategories.slice(0, 1_000).map(({ id }) => id) } };
  const most = Math.floor(MAX_CHOICES_PER_USER / fat.types.ids.length);
  const first = await add(person, fat);
  for (let more = 1; more < most; more += 1) await add(person, fat);
  const refused = await person.post("/filtres/add", fat);
  expect(refusal(refused)).toMatchObject([409, { success: false, champ: "types" }]);
  expect(await filtersOf(person)).toHaveLength(most);
  // A filter that is no larger than before is saved, and small ones always are.
  expect((await person.post("/filtres/edit", { ...fat, _id: first._id, tag: "Autre nom" })).status).toBe(200);
  await add(person, { tag: "Petit" });
});

test.each(["add", "edit"])(
  "however many the same moment's calls to %s are, they name no more choices together",
  async (how) => {
    const person = await world.signIn("seeker");
    const fat = { types: { ids: allCategories.slice(0, 1_000).map(({ id }) => id) } };
    const most = Math.floor(MAX_CHOICES_PER_USER / fat.types.ids.length);
    const known: (readonly [tag: string, id: string | undefined])[] = [];
    for (let n = 0; n < 2 * most; n += 1) {
      const tag = `Filtre ${n}`;
      known.push([tag, how === "edit" ? (await add(person, { tag }))._id : undefined]);
    }
    // Each one alone would fit.
    const answers = await Promise.all(
      known.map(([tag, _id]) => person.post(`/filtres/${how}`, { ...fat, tag, _id })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect([answers.length - refused.length, refused.length]).toEqual([most, most]);
    for (const answer of refused)
      expect(refusal(answer)).toMatchObject([409, { success: false, champ: "types" }]);
    const named = (await filtersOf(person)).map(({ types }) => types.ids.length);
    expect(named.reduce((sum, count) => sum + count, 0)).toBe(most * fat.types.ids.length);
  },
);
