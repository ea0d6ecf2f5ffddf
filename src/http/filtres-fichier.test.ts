import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { MAX_FILE_BYTES } from "#contract/bounds.ts";
import { calls } from "#contract/calls.ts";
import { fichier, filtreFichier, type Fichier, type FiltreImporte } from "#contract/filtres/fichier.ts";
import { filtreFichierInput } from "#contract/filtres/fichier-input.ts";
import { filtre, type Filtre } from "#contract/filtres/filtre.ts";
import { startHttpWorld, type HttpWorld, type Person } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function add(person: Person, fields: Record<string, unknown>): Promise<Filtre> {
  const answer = await person.post("/filtres/add", fields);
  expect(answer.status, answer.text).toBe(200);
  return calls.addFilter.answer.parse(answer.body).filtre;
}

async function filtersOf(person: Person): Promise<readonly Filtre[]> {
  return calls.filters.answer.parse((await person.get("/filtres/get")).body).filtres;
}

async function exported(person: Person, ids?: readonly string[]): Promise<Fichier> {
  const answer = await person.get(`/filtres/export${ids === undefined ? "" : `?ids=${ids.join()}`}`);
  expect(answer.status, answer.text).toBe(200);
  return z
    .strictObject({ success: z.literal(true), fichier: z.strictObject(fichier.shape) })
    .parse(answer.body).fichier;
}

async function imported(person: Person, body: Record<string, unknown>) {
  const answer = await person.post("/filtres/import", body);
  expect(answer.status, answer.text).toBe(200);
  return z.strictObject(calls.importFilters.answer.shape).parse(answer.body);
}

const preview = async (person: Person, file: unknown): Promise<readonly FiltreImporte[]> =>
  (await imported(person, { fichier: file, apercu: true })).apercu ?? [];

const fileOf = (...filtres: readonly unknown[]) => ({ format: "synapse-filtres", version: 1, filtres });

/** A filter in which no field has its default. */
const FULL = {
  tag: "Tout",
  private: false,
  types: { ids: [10] },
  brands: { ids: [53] },
  sizes: { ids: [4] },
  status: { ids: [6] },
  color: "Bred",
  limit: 60,
  limit_min: 20,
  paiement: 11,
  info: "pour l'été",
  mots: ["tech fleece | techfleece"],
  exclure: ["lot"],
  max_achats: 3,
  simulation: true,
  vendeur: { note_min: 4.5, avis_min: 10, pays: ["FR"], inconnu: "laisser_passer" },
  ignorer_republications: true,
  bon_prix: 10,
  regles: {
    budget_jour: 50,
    budget_total: 200,
    heures: { de: "08:00", a: "23:00" },
    jours: [1, 2],
    pause: 5,
    vendeur_jour: 2,
    echecs: 4,
  },
  alerte: "silencieux",
  alerte_max: 3,
};

describe("the file", () => {
  test("holds every field of a filter, but for those that are named here", () => {
    const KEPT_BACK = ["_id", "active", "autobuy", "groupe", "arret"];
    expect([...Object.keys(filtreFichier.shape), ...KEPT_BACK].toSorted()).toEqual(
      Object.keys(filtre.shape).toSorted(),
    );
    // The import must read every field of a filter, except for its visibility.
    expect([...Object.keys(filtreFichierInput.shape), "private"].toSorted()).toEqual(
      Object.keys(filtreFichier.shape).toSorted(),
    );
    expect(Object.keys(FULL).toSorted()).toEqual(Object.keys(filtreFichier.shape).toSorted());
  });

  test("imported by another person gives the same filters, paused, private and without automatic buying", async () => {
    const author = await world.signIn("thunder");
    await add(author, { tag: "Ancien" });
    const added = await add(author, { ...FULL, autobuy: true });
    const file = await exported(author);
    expect(file).toMatchObject({ format: "synapse-filtres", version: 1, groupes: [] });
    expect(file.filtres.map(({ tag }) => tag)).toEqual(["Tout", "Ancien"]);
    const other = await world.signIn("acquire");
    const answer = await imported(other, { fichier: file });
    expect(answer).toMatchObject({
      ajoutes: 2,
      remplaces: 0,
      message: "2 filtres ajoutés : en pause, sans achat automatique.",
    });
    const own = await filtersOf(other);
    expect(answer.filtres).toEqual(own);
    const { _id, ...rest } = added;
    expect(own[0]).toEqual({ ...rest, _id: own[0]?._id, active: false, autobuy: false, private: true });
    expect((await exported(other)).filtres).toEqual(file.filtres.map((one) => ({ ...one, private: true })));
  });

  test("holds the filters that are asked for; an unknown or foreign one is 404", async () => {
    const person = await world.signIn("seeker");
    const one = await add(person, { tag: "Un" });
    await add(person, { tag: "Deux" });
    expect((await exported(person, [one._id])).filtres.map(({ tag }) => tag)).toEqual(["Un"]);
    const other = await world.signIn("seeker");
    for (const ids of [one._id, "x", `${one._id},x`])
      expect((await other.get(`/filtres/export?ids=${ids}`)).status).toBe(404);
    expect((await person.get("/filtres/export?ids=")).status).toBe(400);
  });
});

describe("the preview", () => {
  test("says beside the filters of the same tag what is new, identical or different, and saves nothing", async () => {
    const person = await world.signIn("thunder");
    const file = fileOf(
      { ...FULL },
      { ...FULL, limit: 61, mots: [] },
      { tag: "Neuf" },
      { tag: " ", limit: 3 },
    );
    await add(person, FULL);
    const before = await filtersOf(person);
    expect(await preview(person, file)).toEqual([
      { index: 0, tag: "Tout", etat: "identique", differences: [] },
      { index: 1, tag: "Tout", etat: "different", differences: ["limit", "mots"] },
      { index: 2, tag: "Neuf", etat: "nouveau", differences: [] },
      {
        index: 3,
        tag: "",
        etat: "nouveau",
        differences: [],
        error: "Le champ « Tag » ne peut pas être vide.",
      },
    ]);
    expect(await filtersOf(person)).toEqual(before);
  });

  test("does not compare flags, names or the order of choices, nor what an older file lacks", async () => {
    const person = await world.signIn("thunder");
    await add(person, { tag: "Sac", types: { ids: [19, 94] }, limit_min: 5, autobuy: true });
    const entry = { tag: "Sac", types: { ids: [94, 19], names: ["?"] }, private: true, active: false };
    expect(await preview(person, fileOf(entry))).toMatchObject([{ etat: "identique" }]);
  });

  test.each([
    ["an unknown brand", { brands: { ids: [999_999_999] } }, "La marque 999999999"],
    ["a floor above the limit", { limit: 10, limit_min: 20 }, "Le prix minimum"],
    ["a word without letters", { mots: ["!"] }, "ni lettre ni chiffre"],
    ["a limit that is no number", { limit: "12" }, "Le champ « Limite de prix » doit être un nombre."],
    ["a country that is none", { vendeur: { pays: ["ZZ"] } }, "ZZ"],
    ["a rule out of bounds", { regles: { pause: 0 } }, "« Pause entre deux achats » doit être au moins 1"],
  ])("names %s", async (_, fields, text) => {
    const person = await world.signIn("seeker");
    const [shown] = await preview(person, fileOf({ tag: "Mauvais", ...fields }));
    expect(shown?.error).toContain(text);
  });
});

describe("an import", () => {
  test("I24: imported filters are paused, private and without automatic buying, whatever the file says", async () => {
    const person = await world.signIn("thunder");
    const known = await add(person, { tag: "Connu", limit: 50, autobuy: true });
    const hostile = {
      active: true,
      autobuy: true,
      private: false,
      _id: known._id,
      groupe: "x",
      arret: null,
      limit: 90,
    };
    const file = fileOf({ ...hostile, tag: "Connu" }, { ...hostile, tag: "Autre" });
    const { filtres = [] } = await imported(person, { fichier: file, remplacer: true });
    expect(filtres.map(({ tag, limit }) => [tag, limit])).toEqual([
      ["Connu", 90],
      ["Autre", 90],
    ]);
    for (const one of filtres) expect(one).toMatchObject({ active: false, autobuy: false, private: true });
    // The index and the engine read exactly these.
    expect(await world.store.filters.activeOf(person.user.id)).toEqual([]);
    // Activating a filter does not switch its autobuy on.
    const other = filtres.find(({ tag }) => tag === "Autre");
    const woken = await person.post("/filtres/edit", { ...other, active: true });
    expect(woken.body).toMatchObject({ filtre: { active: true, autobuy: false } });
    expect(world.eventsOf(person).at(-1)).toMatchObject({ kind: "filters_changed", filterIds: [other?._id] });
  });

  test("repeated after a lost answer adds nothing", async () => {
    const person = await world.signIn("seeker");
    const file = fileOf({ tag: "A" }, { tag: "B", limit: 5 });
    await imported(person, { fichier: file });
    expect(await imported(person, { fichier: file })).toEqual({
      success: true,
      message: "Rien à importer : vous avez déjà tous ces filtres.",
      ajoutes: 0,
      remplaces: 0,
      filtres: [],
    });
    expect(await filtersOf(person)).toHaveLength(2);
  });

  test("adds beside a filter that differs, or replaces it and keeps its id; what was chosen comes, no more", async () => {
    const person = await world.signIn("thunder");
    const known = await add(person, { tag: "Robe", limit: 30, info: "à garder", regles: { pause: 5 } });
    const file = fileOf({ tag: "Robe", limit: 40 }, { tag: "Jupe" });
    const beside = await imported(person, { fichier: file, choix: [0] });
    expect(beside).toMatchObject({ ajoutes: 1, remplaces: 0 });
    await person.post("/filtres/delete", { IDs: beside.filtres?.map(({ _id }) => _id) });
    const replaced = await imported(person, { fichier: file, choix: [0], remplacer: true });
    expect(replaced).toMatchObject({
      ajoutes: 0,
      remplaces: 1,
      message: "1 filtre remplacé : en pause, sans achat automatique.",
    });
    // Fields that the file lacks keep their values.
    expect(await filtersOf(person)).toEqual([{ ...known, limit: 40, active: false, private: true }]);
    expect(await imported(person, { fichier: file, choix: [] })).toMatchObject({
      ajoutes: 0,
      remplaces: 0,
      message: "Aucun filtre choisi : rien n'a été importé.",
    });
  });

  test("two filters of a tag never replace one", async () => {
    const person = await world.signIn("seeker");
    await add(person, { tag: "Robe", limit: 30 });
    const file = fileOf({ tag: "Robe", limit: 40 }, { tag: "Robe", limit: 50 });
    expect(await imported(person, { fichier: file, remplacer: true })).toMatchObject({
      ajoutes: 1,
      remplaces: 1,
    });
    expect((await filtersOf(person)).map(({ limit }) => limit).toSorted((one, other) => one - other)).toEqual(
      [40, 50],
    );
  });

  test("is all or none: a bad filter, a full list", async () => {
    const person = await world.signIn("seeker");
    const bad = await person.post("/filtres/import", {
      fichier: fileOf({ tag: "Bon" }, { tag: "Mauvais", limit: -1 }),
    });
    expect([bad.status, bad.body]).toMatchObject([400, { champ: "fichier.filtres" }]);
    expect(bad.text).toContain(
      "Filtre n° 2 (« Mauvais ») : Le champ « Limite de prix » doit être au moins 0. Rien n'a été importé.",
    );
    const nameless = await person.post("/filtres/import", { fichier: fileOf({ tag: " " }) });
    expect(nameless.text).toContain("Filtre n° 1 : Le champ");
    // The others can be imported without it.
    await imported(person, { fichier: fileOf({ tag: "Bon" }, { tag: "Mauvais", limit: -1 }), choix: [0] });
    const many = Array.from({ length: 200 }, (_, index) => ({ tag: `F${index}` }));
    const full = await person.post("/filtres/import", { fichier: fileOf(...many) });
    expect([full.status, full.body]).toMatchObject([409, { success: false }]);
    expect(await filtersOf(person)).toHaveLength(1);
    expect(await imported(person, { fichier: fileOf(...many.slice(1)) })).toMatchObject({ ajoutes: 199 });
    // Replacing is possible at the maximum number of filters.
    const again = many.slice(1, 3).map((one) => ({ ...one, limit: 7 }));
    expect(await imported(person, { fichier: fileOf(...again), remplacer: true })).toMatchObject({
      remplaces: 2,
    });
    expect((await filtersOf(person)).map(({ tag }) => tag)).toEqual(
      [...many.slice(1), { tag: "Bon" }].map(({ tag }) => tag),
    );
  });

  test("stays within what all filters of a person may name", async () => {
    const person = await world.signIn("seeker");
    const ids = Array.from({ length: 1_000 }, (_, index) => index);
    const known =
      ids.length > 0 ? (await import("#catalogue/categories.ts")).allCategories.map(({ id }) => id) : [];
    const large = (tag: string) => ({ tag, types: { ids: known.slice(0, 1_000) } });
    const tooMuch = Array.from({ length: 11 }, (_, index) => large(`L${index}`));
    const refused = await person.post("/filtres/import", { fichier: fileOf(...tooMuch) });
    expect(refused.status).toBe(409);
    expect(await filtersOf(person)).toEqual([]);
    expect(await imported(person, { fichier: fileOf(...tooMuch.slice(1)) })).toMatchObject({ ajoutes: 10 });
  });

  test.each([
    ["another format", { ...fileOf({ tag: "A" }), format: "autre" }],
    ["another version", { ...fileOf({ tag: "A" }), version: 2 }],
    ["no filter", fileOf()],
    ["201 filters", fileOf(...Array.from({ length: 201 }, () => ({ tag: "A" })))],
    ["a filter that is none", fileOf("A")],
    ["a list", [fileOf({ tag: "A" })]],
    ["nothing", undefined],
  ])("refuses %s", async (_, file) => {
    const person = await world.signIn("seeker");
    for (const apercu of [true, false]) {
      const { status, body } = await person.post("/filtres/import", { fichier: file, apercu });
      expect([status, body]).toMatchObject([400, { success: false }]);
    }
    expect(await filtersOf(person)).toEqual([]);
  });

  test("refuses positions that the file does not have, and files above 512 kB", async () => {
    const person = await world.signIn("seeker");
    for (const choix of [[1], [-1], [200], ["0"], 0]) {
      expect((await person.post("/filtres/import", { fichier: fileOf({ tag: "A" }), choix })).status).toBe(
        400,
      );
    }
    const padded = (bytes: number) => ({
      fichier: fileOf({ tag: "A", autre: "x".repeat(bytes) }),
      apercu: true,
    });
    expect((await person.post("/filtres/import", padded(MAX_FILE_BYTES - 200))).status).toBe(200);
    const large = await person.post("/filtres/import", padded(MAX_FILE_BYTES + 5_000));
    expect([large.status, large.body]).toMatchObject([
      413,
      { error: "Le fichier est trop volumineux (512 Ko au plus)." },
    ]);
  });
});

describe("groups", () => {
  test("come with all of their filters, and only then", async () => {
    const author = await world.signIn("thunder");
    const [one, two, three] = [
      await add(author, { tag: "1" }),
      await add(author, { tag: "2" }),
      await add(author, { tag: "3" }),
    ];
    await author.post("/groupes/add", { nom: "Manteau", achats: 2, budget: 60, filtres: [one._id, two._id] });
    const file = await exported(author);
    // Newest first: the group's filters are the last two.
    expect(file.groupes).toEqual([{ nom: "Manteau", achats: 2, budget: 60, filtres: [2, 1] }]);
    expect((await exported(author, [one._id, three._id])).groupes).toEqual([]);
    const other = await world.signIn("thunder");
    const { filtres = [] } = await imported(other, { fichier: file });
    const groups = calls.groups.answer.parse((await other.get("/groupes/get")).body).groupes;
    expect(groups).toMatchObject([
      { nom: "Manteau", achats: 2, budget: 60, pris: { achats: 0 }, etat: "ouvert" },
    ]);
    expect(filtres.map(({ tag, groupe }) => [tag, groupe])).toEqual([
      ["3", null],
      ["2", groups[0]?._id],
      ["1", groups[0]?._id],
    ]);
    // A second group of the same name buys separately, which the message says.
    const again = await imported(other, { fichier: file, choix: [1, 2] });
    expect(again.message).toBe(
      "2 filtres ajoutés : en pause, sans achat automatique. 1 groupe ajouté à côté du vôtre du même nom, sans s'y mêler.",
    );
    const third = await world.signIn("thunder");
    await imported(third, { fichier: file, choix: [0, 1] });
    expect((await third.get("/groupes/get")).body).toMatchObject({ groupes: [] });
  });

  test("a replaced filter stays in its group, and is taken into no other", async () => {
    const person = await world.signIn("thunder");
    const [one, two] = [await add(person, { tag: "1" }), await add(person, { tag: "2" })];
    await person.post("/groupes/add", { nom: "Ici", filtres: [one._id] });
    const file = {
      ...fileOf({ tag: "1", limit: 7 }, { tag: "2", limit: 7 }),
      groupes: [{ nom: "Venu", filtres: [0, 1] }],
    };
    const { message } = await imported(person, { fichier: file, remplacer: true });
    expect(message).toBe(
      "2 filtres remplacés : en pause, sans achat automatique. 1 groupe laissé de côté (filtres absents ou déjà groupés).",
    );
    const groups = calls.groups.answer.parse((await person.get("/groupes/get")).body).groupes;
    expect(groups.map(({ nom, filtres }) => [nom, filtres])).toEqual([["Ici", [one._id]]]);
    expect((await filtersOf(person)).map(({ _id, limit }) => [_id, limit])).toEqual([
      [two._id, 7],
      [one._id, 7],
    ]);
  });

  test.each([
    ["a position outside of the file", [{ nom: "G", filtres: [1] }]],
    [
      "a filter of two groups",
      [
        { nom: "G", filtres: [0] },
        { nom: "H", filtres: [0] },
      ],
    ],
    ["no name", [{ filtres: [0] }]],
    ["no filter", [{ nom: "G", filtres: [] }]],
    ["an impossible number", [{ nom: "G", achats: 101, filtres: [0] }]],
  ])("are refused with %s, with nothing imported", async (_, groupes) => {
    const person = await world.signIn("seeker");
    const answer = await person.post("/filtres/import", { fichier: { ...fileOf({ tag: "A" }), groupes } });
    expect(answer.status, answer.text).toBe(400);
    expect(await filtersOf(person)).toEqual([]);
  });

  test("beyond 50 of them nothing is imported", async () => {
    const person = await world.signIn("seeker");
    const entries = Array.from({ length: 51 }, (_, index) => ({ tag: `T${index}` }));
    const groupes = entries.slice(1).map(({ tag }, index) => ({ nom: tag, filtres: [index] }));
    await imported(person, { fichier: { ...fileOf(...entries), groupes } });
    const more = { ...fileOf({ tag: "De trop" }), groupes: [{ nom: "De trop", filtres: [0] }] };
    const refused = await person.post("/filtres/import", { fichier: more });
    expect(refused.status).toBe(409);
    expect(await filtersOf(person)).toHaveLength(51);
  });
});
