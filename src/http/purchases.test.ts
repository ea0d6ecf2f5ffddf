import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { achat, recit } from "#contract/achat.ts";
import { errorAnswer } from "#contract/envelope.ts";
import type { Person, RawAnswer } from "#verify/testing/person.ts";
import type { PublishedItem, NewListing } from "#verify/testing/sandbox-client.ts";
import { startWorld, type World } from "#verify/testing/world.ts";

/** Buying calls on the whole product: each refusal with its status and text. */
let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());
const refused = z.strictObject(errorAnswer.shape).omit({ success: true });

function errorOf(answer: RawAnswer): string {
  return refused.parse(answer.body).error;
}

const click = (person: Person, body: unknown) => person.raw("POST", "/purchase/click", body);

let wordCount = 0;

/** A new listing that is shown on the person's page. */
async function seen(person: Person, attributes: Partial<NewListing> = {}): Promise<PublishedItem> {
  wordCount += 1;
  const title = `article${wordCount}`;
  await person.call("addFilter", { tag: title, mots: [title], limit: 1_000 });
  const [item] = await world.sandbox.publish({ title, price: 20, ...attributes });
  if (item === undefined) throw new Error("nothing was published");
  await expect
    .poll(async () => (await person.raw("GET", "/articles/recent")).body)
    .toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ id: item.id })]) as unknown });
  return item;
}

test("a click that buys answers its purchase and a sentence; a second one is 'Déjà acheté'", async () => {
  const person = await world.signIn("seeker-clic");
  const item = await seen(person);
  const answer = await click(person, { id: item.id, price: item.total_item_price });
  expect(answer.status).toBe(200);
  const { message, purchase } = z
    .strictObject({ message: z.string(), purchase: z.strictObject(achat.shape) })
    .parse(answer.body);
  expect(message).toMatch(/^Achat .+ : « article\d+ »/);
  expect(purchase).toMatchObject({ source: "clic", product: { id: item.id }, filtre: null, raison: null });
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const again = await click(person, { id: item.id });
  expect([again.status, errorOf(again)]).toEqual([409, "Déjà acheté"]);
});

test("a listing that was never seen is 404", async () => {
  const person = await world.signIn("seeker-inconnu");
  const answer = await click(person, { id: 123 });
  expect(answer.status).toBe(404);
  expect(errorOf(answer)).toMatch(/24 heures/);
});

test.each<readonly [string, unknown]>([
  ["nothing", {}],
  ["a text for the id", { id: "1" }],
  ["no listing's id", { id: 0 }],
  ["an id beyond all numbers", { id: 2 ** 53 }],
  ["a number for the price", { id: 1, price: 12 }],
  ["a price with a comma", { id: 1, price: { amount: "12,50", currency_code: "EUR" } }],
  ["a price in another currency", { id: 1, price: { amount: "12.50", currency_code: "USD" } }],
  ["a negative price", { id: 1, price: { amount: "-1", currency_code: "EUR" } }],
  ["a price that is no number", { id: 1, price: { amount: "NaN", currency_code: "EUR" } }],
])("a click with %s is 400", async (_what, body) => {
  const person = await world.signIn("seeker-entrees");
  const answer = await click(person, body);
  expect(answer.status).toBe(400);
  expect(errorOf(answer)).toMatch(/^Le champ « (id|price|price\..+) »/);
});

test("a click without account or address says which is missing", async () => {
  const person = await world.signIn("seeker-demuni");
  const item = await seen(person);
  await person.call("editSettings", { token: null });
  const withoutAccount = await click(person, { id: item.id });
  expect([withoutAccount.status, errorOf(withoutAccount)]).toEqual([
    409,
    "Pour acheter, il manque : le compte Vinted connecté (Paramètres).",
  ]);
  await person.call("editSettings", { adresse: { rue: "", ville: "", code_postal: 0, pays: "France" } });
  expect(errorOf(await click(person, { id: item.id }))).toContain("l'adresse de livraison");
});

test("a click beyond a money limit is 409 and names the limit", async () => {
  const person = await world.signIn("seeker-plafond");
  const item = await seen(person);
  await person.call("editSettings", { limites: { jour: 1 } });
  const day = await click(person, { id: item.id });
  expect([day.status, errorOf(day)]).toEqual([
    409,
    "Votre limite de dépenses du jour serait dépassée (Paramètres, Garde-fous).",
  ]);
  await person.call("editSettings", { limites: { jour: 300, achats_jour: 0 } });
  expect(errorOf(await click(person, { id: item.id }))).toMatch(/nombre d'achats du jour/);
});

test("a listing whose price rose is 409 with the new price", async () => {
  const person = await world.signIn("seeker-hausse");
  const item = await seen(person);
  const answer = await click(person, { id: item.id, price: { amount: "1.00", currency_code: "EUR" } });
  expect(answer.status).toBe(409);
  expect(errorOf(answer)).toMatch(/Le prix a augmenté/);
  expect(answer.body).toMatchObject({ code: "prix_monte", prix: item.total_item_price });
});

test("a price that rose is shown from the refusal on, and a click that agrees to it buys", async () => {
  const person = await world.signIn("seeker-hausse-suite");
  const item = await seen(person);
  await world.sandbox.changePrice(item.id, 30);
  const refusal = await click(person, { id: item.id, price: item.total_item_price });
  const { code, prix } = refused.parse(refusal.body);
  expect([refusal.status, code, Number(prix?.amount)]).toEqual([409, "prix_monte", 32.2]);
  const { items } = await person.call("recentArticles");
  expect(items.find(({ id }) => id === item.id)?.total_item_price).toEqual(prix);
  const again = await click(person, { id: item.id, price: prix });
  expect([again.status, again.body]).toMatchObject([200, { purchase: { status: 1, offre: "Clicker" } }]);
});

test("a click that was refused before a purchase began is answered with a code", async () => {
  const person = await world.signIn("seeker-codes");
  expect((await click(person, {})).body).toMatchObject({ code: "invalide" });
  const anonymous = await fetch(`${world.url}/purchase/click`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: 1 }),
  });
  expect(await anonymous.json()).toMatchObject({ code: "session" });
  expect((await click(await world.signIn("sans-plan"), { id: 1 })).body).toMatchObject({ code: "acces" });
});

test("while the marketplace is at fault a click is a French 5xx, and later the same listing is bought", async () => {
  const person = await world.signIn("seeker-panne");
  const item = await seen(person);
  await world.sandbox.arm({ kind: "server_error", route: "conversation", rate: 1 });
  const during = await click(person, { id: item.id });
  expect([502, 503, 504]).toContain(during.status);
  expect(errorOf(during)).toMatch(/^La place de marché/);
  await world.sandbox.clearFaults();
  await expect.poll(async () => (await click(person, { id: item.id })).status).toBe(200);
});

test("another person's purchase can be neither cancelled nor seen", async () => {
  const buyer = await world.signIn("seeker-acheteuse");
  const thief = await world.signIn("thunder-voleur");
  const item = await seen(buyer);
  await click(buyer, { id: item.id });
  await expect.poll(async () => (await buyer.call("purchases")).purch[0]?.status).toBe(1);
  const [bought] = (await buyer.call("purchases")).purch;
  const foreign = await thief.raw("POST", "/vinted/cancel", { id: bought?.id_transaction });
  const absent = await thief.raw("POST", "/vinted/cancel", { id: 999_999_999 });
  expect([foreign.status, foreign.body]).toEqual([404, absent.body]);
  expect((await thief.call("purchases")).purch).toEqual([]);
  await thief.call("hidePurchases");
  expect((await buyer.call("purchases")).purch).toHaveLength(1);
  expect((await buyer.call("purchases")).purch[0]?.status).toBe(1);
});

test("only a confirmed purchase can be cancelled; hiding affects no open purchase", async () => {
  const person = await world.signIn("seeker-annule");
  const item = await seen(person, { secure: true });
  await click(person, { id: item.id });
  await expect
    .poll(async () => (await person.call("purchases")).purch[0]?.purchase_confirmation)
    .not.toBeNull();
  const [waiting] = (await person.call("purchases")).purch;
  const answer = await person.raw("POST", "/vinted/cancel", { id: waiting?.id_transaction });
  expect([answer.status, errorOf(answer)]).toEqual([409, "Seul un achat confirmé peut être annulé."]);
  expect(waiting?.purchase_confirmation).toMatch(new RegExp(`^http://localhost:\\d+/`));
  expect(await person.call("hidePurchases")).toEqual({
    message: "Aucun achat annulé à retirer de la liste.",
  });
  expect((await person.call("purchases")).purch).toHaveLength(1);
});

test.each([{}, { id: "1" }, { id: 0 }, { id: null }, { id: 1.5 }])("a cancel of %j is 400", async (body) => {
  const person = await world.signIn("seeker-entrees");
  expect((await person.raw("POST", "/vinted/cancel", body)).status).toBe(400);
});

const storyAnswer = z.strictObject({ recit: z.strictObject(recit.shape) });

test("a purchase's story is for its owner alone, and the summary counts it", async () => {
  const [person, stranger] = [await world.signIn("seeker-recit"), await world.signIn("seeker-curieux")];
  const item = await seen(person);
  const { purchase } = await person.call("clickPurchase", { id: item.id });
  const path = `/purchase/recit?id=${purchase._id}`;
  const storyOf = async () => storyAnswer.parse((await person.raw("GET", path)).body).recit;
  await expect
    .poll(async () => (await storyOf()).etapes.map(({ nom }) => nom))
    .toEqual(expect.arrayContaining(["Vu par Synapse", "Votre clic", "Paiement envoyé", "Payé"]));
  const times = (await storyOf()).etapes.map(({ a }) => a);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect((await stranger.raw("GET", path)).status).toBe(404);
  const { bilan } = await person.call("purchaseSummary");
  expect(bilan).toMatchObject({ reussis: 1, rates: 0, confirmes: 1, depense: { mois: purchase.total } });
  expect((await stranger.call("purchaseSummary")).bilan.reussis).toBe(0);
});

test("a wish that a limit forbade is listed as missed, for its owner alone", async () => {
  const [person, stranger] = [await world.signIn("thunder-manque"), await world.signIn("seeker-voisin")];
  await person.call("editSettings", { limites: { jour: 0 } });
  await person.call("addFilter", { tag: "Manqué", mots: ["introuvable"], limit: 1_000, autobuy: true });
  const [item] = await world.sandbox.publish({ title: "Veste introuvable", price: 20 });
  await expect
    .poll(async () => (await person.call("missedPurchases")).manques)
    .toMatchObject([
      {
        product: { id: item?.id },
        raison: "Votre limite de dépenses du jour était atteinte.",
        etapes: expect.arrayContaining([expect.objectContaining({ nom: "Laissé de côté" })]) as unknown,
      },
    ]);
  expect((await stranger.call("missedPurchases")).manques).toEqual([]);
  expect((await person.call("purchaseSummary")).bilan.pertes).toEqual([
    { cause: "Garde-fou atteint", nombre: 1 },
  ]);
  expect((await person.call("purchases")).purch).toEqual([]);
});
