import { expect, test, vi } from "vitest";
import type { CallName } from "#contract/calls.ts";
import { leftOut, readAnswer as readAny, readRefusal, UnreadableAnswer } from "./answers.ts";
import { readFlux, readPrice, readPurchaseNews, type ReadAnswer } from "./panel-answers.ts";
import { aFiltre } from "#verify/testing/on-the-wire.ts";

function readAnswer<Name extends CallName>(name: Name, body: unknown): ReadAnswer<Name> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the client does
  return readAny(name, body) as ReadAnswer<Name>;
}

vi.spyOn(console, "warn").mockImplementation(() => undefined);

const product = {
  id: 7,
  title: "Robe",
  photo: { url: "https://market.example/7.jpg", dominant_color: "#aabbcc" },
  brand_title: "Zara",
  total_item_price: { amount: "10.50", currency_code: "EUR" },
  size_title: "M",
  status: "Bon état",
  path: "/items/7",
  url: "https://market.example/items/7",
  user: { id: 7, login: "lea", photo: null },
};
const article = { ...product, filtres: ["f1"], vu_a: 1_790_000_000_000, prix: null };
const nothing = { ids: [], names: [] };
const filtre = {
  _id: "f1",
  tag: "Robes",
  active: true,
  autobuy: true,
  private: false,
  types: { ids: [1065], names: ["Robes"] },
  brands: nothing,
  sizes: nothing,
  status: nothing,
  color: "",
  limit: 40,
  limit_min: 15,
  bon_prix: null,
  paiement: 1,
  info: "",
  mots: [],
  exclure: [],
  max_achats: 3,
  simulation: false,
  alerte: "sonore",
  alerte_max: 6,
  vendeur: { note_min: null, avis_min: null, pays: [], inconnu: "retenir" },
  ignorer_republications: false,
  regles: aFiltre().regles,
  groupe: null,
  arret: null,
};
const achat = {
  _id: "p1",
  id_transaction: 9,
  status: 1,
  purchase_date: 1_790_000_000,
  purchase_confirmation: null,
  product,
  source: "clic",
  filtre: null,
  total: null,
  raison: null,
};

test("what the contract says is read as it is", () => {
  expect(readAnswer("recentArticles", { items: [article] })).toEqual({ items: [article] });
  expect(readAnswer("filters", { success: true, filtres: [filtre] })).toEqual({ filtres: [filtre] });
  expect(readAnswer("purchases", { purch: [achat] })).toEqual({ purch: [achat], count: 1 });
});

test("an item that cannot be read is left out and counted, the rest stays", () => {
  expect(readAnswer("purchases", { purch: [null, achat, {}, "x"] }).purch).toEqual([achat]);
  expect(leftOut.of("purchases")).toBe(3);
  expect(readAnswer("purchases", { purch: [achat] }).purch).toHaveLength(1);
  expect(leftOut.of("purchases")).toBe(0);
});

test("what is no list at all is no answer", () => {
  for (const purch of [null, undefined, {}, "", 0])
    expect(() => readAnswer("purchases", { purch })).toThrow(UnreadableAnswer);
  expect(() => readAnswer("purchases", null)).toThrow(UnreadableAnswer);
});

test("a member that a listing can do without falls back alone", () => {
  const odd = {
    ...article,
    photo: 3,
    user: null,
    total_item_price: null,
    status: null,
    url: 7,
  };
  const [read] = readAnswer("recentArticles", { items: [odd] }).items;
  expect(read).toEqual({
    ...article,
    photo: null,
    user: { id: null, login: "Vendeur inconnu", photo: null },
    total_item_price: { amount: "", currency_code: "EUR" },
    status: "",
    url: "",
  });
  expect(readFlux({ items: [odd, null], curseur: "c" })).toMatchObject({ items: [{ id: 7 }], curseur: "c" });
});

test.each(["javascript:alert(1)", "data:text/html,x", "//market.example/7", " https://market.example", ""])(
  "an address that is not http or https leads nowhere: %j",
  (address) => {
    const odd = {
      ...article,
      url: address,
      photo: { ...article.photo, url: address },
      user: { id: 7, login: "lea", photo: { url: address } },
    };
    const shown = { id: 7, url: "", photo: null, user: { id: 7, login: "lea", photo: null } };
    expect(readAnswer("recentArticles", { items: [odd] }).items).toMatchObject([shown]);
    const awaiting = { ...achat, product: odd, purchase_confirmation: address };
    expect(readAnswer("purchases", { purch: [awaiting] }).purch).toMatchObject([
      { product: shown, purchase_confirmation: null },
    ]);
  },
);

test.each([null, undefined, "x", 3, [], { items: null }])(
  "an event of the socket of which nothing can be read is left out and counted: %j",
  (payload) => {
    for (const read of [readFlux, readPrice]) {
      expect(read(payload)).toBeUndefined();
      expect(leftOut.of("events")).toBe(1);
    }
    expect(readFlux({ items: [article], curseur: "c" })).toMatchObject({ items: [article] });
    expect(leftOut.of("events")).toBe(0);
  },
);

test("news of a purchase that is no object is left out and counted", () => {
  expect(readPurchaseNews(null)).toBeUndefined();
  expect(leftOut.of("events")).toBe(1);
  expect(readPurchaseNews({ success: true, purchase: achat })?.purchase).toEqual(achat);
});

test("each part of a refusal is read on its own, and a page that is no answer of ours says nothing", () => {
  const price = { amount: "12.00", currency_code: "EUR" };
  const whole = {
    error: "Le prix a augmenté.",
    code: "prix_monte",
    champ: "price",
    prix: price,
    achat: "p1",
  };
  expect(readRefusal({ success: false, ...whole })).toEqual(whole);
  expect(readRefusal({ ...whole, code: "tempête", prix: { amount: 12 } })).toEqual({
    error: "Le prix a augmenté.",
    champ: "price",
    achat: "p1",
  });
  for (const body of [undefined, null, "<html>", [], {}, { error: 3 }])
    expect(readRefusal(body)).toEqual({ error: "" });
});

test("a purchase stays in sight whatever of it is odd, except who it is", () => {
  const odd = { ...achat, source: "troc", purchase_date: 9e15, status: "payé", product: null, total: 3 };
  expect(readAnswer("purchases", { purch: [odd] }).purch).toMatchObject([
    { _id: "p1", status: 3, purchase_date: 0, product: { title: "Article inconnu" }, total: null },
  ]);
  expect(readAnswer("purchases", { purch: [odd] }).purch[0]).not.toHaveProperty("source", "troc");
});

test("a filter read in part says so, so that it is never sent back wider than it was", () => {
  const readOdd = (changes: object) =>
    readAnswer("filters", { filtres: [{ ...filtre, ...changes }] }).filtres[0];
  for (const changes of [{ brands: null }, { max_achats: "3" }, { simulation: undefined }, { limit: -0.5 }])
    expect(readOdd(changes)).toMatchObject({ _id: "f1", tag: "Robes", isPartial: true });
  expect(readOdd({ types: { ids: [1065] } })).toEqual({ ...filtre, types: { ids: [1065], names: [] } });
});

test("settings without limits are read; an account read in part says so", () => {
  const vinted = {
    token: "",
    paiement: 1,
    adresse: { rue: "", ville: "", code_postal: 0, pays: "France" },
    relais: [],
    etat: "absent",
    adresse_complete: false,
    limites: undefined,
    mandat: { requis: false, version: 1, accepte: null },
  };
  expect(readAnswer("settings", { vinted }).vinted).toEqual({ ...vinted, limites: null });
  expect(readAnswer("settings", { vinted: { ...vinted, relais: [3] } }).vinted).toMatchObject({
    isPartial: true,
  });
});

test("a person whose level cannot be read is nobody; a plan of another name has what its level has", () => {
  const user = { level: 2, picture: null, name: "lea", email: "lea@example.com", plan: "thunder", fin: null };
  expect(readAnswer("user", { user })).toEqual({ user });
  expect(readAnswer("user", { user: { ...user, plan: "platine" } }).user?.plan).toBe("thunder");
  for (const level of [null, "2", {}, undefined])
    expect(readAnswer("user", { user: { ...user, level } })).toEqual({ user: null });
});

test("a command that was obeyed has not failed because its words are odd", () => {
  expect(readAnswer("editSettings", { message: 3 })).toEqual({ message: "C'est fait." });
});

test("the lists within the summary of purchases are read item by item", () => {
  const money = { amount: "12.00", currency_code: "EUR" };
  const week = { debut: "2026-03-23", montant: money, achats: 1 };
  const body = {
    bilan: {
      depense: {
        mois: money,
        total: money,
        semaines: [week, { ...week, montant: { ...money, amount: "NaN" } }],
      },
      reussis: 1,
      rates: 0,
      economie: null,
      confirmes: 1,
      pertes: [
        { cause: "Vendu", nombre: "deux" },
        { cause: "Trop tard", nombre: 2 },
      ],
    },
  };
  const { bilan } = readAnswer("purchaseSummary", body);
  expect(bilan.depense.semaines).toEqual([week]);
  expect(bilan.pertes).toEqual([{ cause: "Trop tard", nombre: 2 }]);
  expect([leftOut.of("weeks"), leftOut.of("losses")]).toEqual([1, 1]);
});

test.each(["", "inattendu", "12,50", "1e3", "NaN"])("an amount of %j is no price", (amount) => {
  const { items } = readAnswer("recentArticles", {
    items: [{ ...article, total_item_price: { amount, currency_code: "EUR" } }],
  });
  expect(items[0]?.total_item_price.amount).toBe("");
});
