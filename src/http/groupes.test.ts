import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { filtre } from "#contract/filtres/filtre.ts";
import { groupe } from "#contract/filtres/regles.ts";
import { asFilterId, asGroupId, asListingId, asPurchaseId } from "#domain/ids.ts";
import { budgetKeys } from "#purchasing/decide/limits.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const saved = z.strictObject({ success: z.literal(true), message: z.string(), groupe });
const list = z.strictObject({ success: z.literal(true), groupes: z.array(groupe) });
const added = z.object({ filtre });
const failed = z.object({ error: z.string() });

type Person = Awaited<ReturnType<HttpWorld["signIn"]>>;

const addFilter = async (person: Person, fields: object = {}) =>
  added.parse((await person.post("/filtres/add", { tag: "Manteau", ...fields })).body).filtre;
const filterOf = async (person: Person, id: string) =>
  z
    .object({ filtres: z.array(filtre) })
    .parse((await person.get("/filtres/get")).body)
    .filtres.find(({ _id }) => _id === id);

test("a group is made, listed, changed whole and deleted, and its filters name it", async () => {
  const person = await world.signIn("acquire");
  expect((await person.get("/groupes/get")).body).toEqual({ success: true, groupes: [] });
  const [one, other] = [await addFilter(person, { autobuy: true }), await addFilter(person)];
  const made = saved.parse(
    (await person.post("/groupes/add", { nom: " Manteau ", budget: 60, filtres: [one._id, other._id] })).body,
  );
  expect(made).toEqual({
    success: true,
    message: "Groupe « Manteau » créé.",
    groupe: {
      _id: made.groupe._id,
      nom: "Manteau",
      achats: 1,
      budget: 60,
      filtres: [one._id, other._id],
      pris: { achats: 0, montant: { amount: "0.00", currency_code: "EUR" } },
      etat: "ouvert",
    },
  });
  expect((await filterOf(person, one._id))?.groupe).toBe(made.groupe._id);
  const { _id } = made.groupe;
  const changed = await person.post("/groupes/edit", { _id, nom: "Bottes", achats: 3, filtres: [other._id] });
  expect(saved.parse(changed.body).groupe).toMatchObject({ nom: "Bottes", achats: 3, budget: null });
  expect(world.eventsOf(person).slice(-2)).toMatchObject([
    { kind: "filters_changed", filterIds: [one._id] },
    { kind: "group_changed", filterIds: [other._id] },
  ]);
  // Filters that leave the group no longer buy.
  expect(await filterOf(person, one._id)).toMatchObject({ groupe: null, autobuy: false, arret: null });
  const stranger = await world.signIn("acquire");
  expect((await stranger.get("/groupes/get")).body).toEqual({ success: true, groupes: [] });
  for (const path of ["/groupes/edit", "/groupes/delete"]) {
    const body = { _id, nom: "Bottes", filtres: [(await addFilter(stranger))._id] };
    expect((await stranger.post(path, body)).status).toBe(404);
  }
  expect((await person.post("/groupes/delete", { _id })).body).toEqual({
    success: true,
    message: "Groupe supprimé : l'achat automatique de ses filtres est coupé.",
  });
  expect(list.parse((await person.get("/groupes/get")).body).groupes).toEqual([]);
  expect((await filterOf(person, other._id))?.groupe).toBeNull();
});

test("an edit that completes a group makes its filters known as changed, since they buy no longer", async () => {
  const person = await world.signIn("acquire");
  const { _id: filterId } = await addFilter(person, { autobuy: true });
  const body = { nom: "Manteau", achats: 2, filtres: [filterId] };
  const { _id } = saved.parse((await person.post("/groupes/add", body)).body).groupe;
  const nowMs = world.clock.nowMs();
  await world.store.purchases.recordExternal({
    id: asPurchaseId("of-the-group"),
    userId: person.user.id,
    transactionId: 71,
    filterId: asFilterId(filterId),
    groupId: asGroupId(_id),
    listingId: asListingId(81),
    listing: aListing({ id: 81 }),
    totalCents: 2_000,
    orderedAtMs: nowMs,
    nowMs,
    ...budgetKeys(nowMs),
  });
  const edited = saved.parse((await person.post("/groupes/edit", { ...body, _id, achats: 1 })).body);
  expect(edited.message).toBe("Groupe « Manteau » enregistré. Il est complet : ses filtres n'achètent plus.");
  expect(await filterOf(person, filterId)).toMatchObject({ autobuy: false, arret: { raison: "groupe" } });
  expect(world.eventsOf(person).slice(-2)).toMatchObject([
    { kind: "filters_changed", filterIds: [filterId] },
    { kind: "group_changed", filterIds: [filterId] },
  ]);
});

test("there are fifty groups at most; a refused one leaves its filter free", async () => {
  const person = await world.signIn("acquire");
  const addGroup = async (_id: string) =>
    await person.post("/groupes/add", { nom: "Manteau", filtres: [_id] });
  const ids: string[] = [];
  for (let count = 0; count < 51; count += 1) {
    // The write rate: a burst, then one per second.
    await world.clock.advance(2_000);
    ids.push((await addFilter(person))._id);
  }
  for (const id of ids.slice(1)) {
    await world.clock.advance(1_000);
    expect((await addGroup(id)).status).toBe(200);
  }
  const [last = ""] = ids;
  const full = await addGroup(last);
  expect([full.status, failed.parse(full.body).error]).toEqual([409, expect.stringContaining("50")]);
  expect(list.parse((await person.get("/groupes/get")).body).groupes).toHaveLength(50);
  expect((await filterOf(person, last))?.groupe).toBeNull();
  const [first] = list.parse((await person.get("/groupes/get")).body).groupes;
  await person.post("/groupes/delete", { _id: first?._id });
  expect((await addGroup(last)).status).toBe(200);
});

test("a group is deleted with its last filter", async () => {
  const person = await world.signIn("acquire");
  const one = await addFilter(person);
  await person.post("/groupes/add", { nom: "Manteau", filtres: [one._id] });
  await person.post("/filtres/delete", { IDs: [one._id] });
  expect(list.parse((await person.get("/groupes/get")).body).groupes).toEqual([]);
});

test("an invalid group is refused in French, and changes nothing", async () => {
  const [person, stranger] = [await world.signIn("acquire"), await world.signIn("acquire")];
  const [one, theirs] = [await addFilter(person), await addFilter(stranger)];
  await person.post("/groupes/add", { nom: "Manteau", filtres: [one._id] });
  const refused = async (body: unknown) => {
    const answer = await person.post("/groupes/add", body);
    return [answer.status, failed.parse(answer.body).error];
  };
  expect(await refused({ nom: "Autre", filtres: [one._id] })).toEqual([
    409,
    "Un de ces filtres est déjà dans un autre groupe : rien n'a été changé.",
  ]);
  expect(await refused({ nom: "Autre", filtres: [theirs._id] })).toEqual([
    404,
    "Un de ces filtres n'existe pas : rien n'a été changé.",
  ]);
  for (const body of [
    { filtres: [one._id] },
    { nom: " ", filtres: [one._id] },
    { nom: "a".repeat(81), filtres: [one._id] },
    { nom: "Autre" },
    { nom: "Autre", filtres: [] },
    { nom: "Autre", filtres: Array.from({ length: 51 }, (_, n) => `f${n}`) },
    { nom: "Autre", filtres: [one._id], achats: 0 },
    { nom: "Autre", filtres: [one._id], achats: 101 },
    { nom: "Autre", filtres: [one._id], budget: 0 },
    { nom: "Autre", filtres: [one._id], budget: 100_001 },
    { nom: "Autre", filtres: [one._id], budget: 12.5 },
  ])
    expect((await refused(body))[0], JSON.stringify(body)).toBe(400);
  expect(list.parse((await person.get("/groupes/get")).body).groupes).toHaveLength(1);
});

test("a filter's rules are none by default; an edit keeps what it does not send", async () => {
  const person = await world.signIn("acquire");
  const plain = await addFilter(person);
  expect(plain.regles).toEqual({
    budget_jour: null,
    budget_total: null,
    heures: null,
    jours: [],
    pause: null,
    vendeur_jour: null,
    echecs: null,
  });
  const heures = { de: "22:00", a: "06:30" };
  const ruled = await addFilter(person, { regles: { budget_jour: 60, heures, jours: [7, 1, 7], echecs: 3 } });
  expect(ruled.regles).toMatchObject({ budget_jour: 60, heures, jours: [1, 7], echecs: 3, pause: null });
  const edit = async (fields: object) => {
    const body = { _id: ruled._id, tag: "Manteau", autobuy: true, active: true, ...fields };
    return await person.post("/filtres/edit", body);
  };
  expect(added.parse((await edit({})).body).filtre.regles).toEqual(ruled.regles);
  const regles = { heures: null, pause: 90 };
  expect(added.parse((await edit({ regles })).body).filtre.regles).toEqual({ ...ruled.regles, ...regles });
  for (const [regles, field] of [
    [{ heures: { de: "08:00", a: "08:00" } }, "regles.heures"],
    [{ heures: { de: "24:00", a: "08:00" } }, "regles.heures.de"],
    [{ heures: { de: "08:00" } }, "regles.heures.a"],
    [{ jours: [0] }, "regles.jours"],
    [{ jours: [8] }, "regles.jours"],
    [{ budget_jour: 0 }, "regles.budget_jour"],
    [{ budget_jour: 100_001 }, "regles.budget_jour"],
    [{ budget_total: 0 }, "regles.budget_total"],
    [{ budget_total: 100_001 }, "regles.budget_total"],
    [{ pause: 0 }, "regles.pause"],
    [{ pause: 10_081 }, "regles.pause"],
    [{ vendeur_jour: 0 }, "regles.vendeur_jour"],
    [{ vendeur_jour: 101 }, "regles.vendeur_jour"],
    [{ echecs: 0 }, "regles.echecs"],
    [{ echecs: 51 }, "regles.echecs"],
  ] as const) {
    const answer = await edit({ regles });
    expect([answer.status, answer.body]).toMatchObject([400, { champ: field }]);
  }
  const most = { budget_jour: 100_000, budget_total: 100_000, pause: 10_080, vendeur_jour: 100, echecs: 50 };
  const least = { budget_jour: 1, budget_total: 1, pause: 1, vendeur_jour: 1, echecs: 1 };
  for (const regles of [most, least])
    expect(added.parse((await edit({ regles })).body).filtre.regles).toMatchObject(regles);
  const copied = await person.post("/filtres/edit", { _id: plain._id, tag: "Manteau", private: false });
  expect(copied.status).toBe(200);
});
