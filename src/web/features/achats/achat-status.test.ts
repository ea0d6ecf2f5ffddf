import { expect, test } from "vitest";
import type { Achat } from "#contract/achat.ts";
import { anAchat } from "#verify/testing/on-the-wire.ts";
import { amountNote, amountOf, canCancel, purchasesIn, statusOf } from "./achat-status.ts";

test("every status has its word and its colour, an unheard-of one is unknown", () => {
  expect([2, 1, 0, 3, 42].map((status) => statusOf(status).label)).toEqual([
    "En attente",
    "Confirmé",
    "Annulé",
    "Inconnu",
    "Inconnu",
  ]);
  expect([2, 1, 0].map((status) => statusOf(status).tone)).toEqual(["waiting", "good", "bad"]);
});

test("each tab holds its own purchases, the newest first, and leaves the given list as it was", () => {
  const purchases = [
    anAchat({ _id: "old", purchase_date: 1 }),
    anAchat({ _id: "waiting", purchase_date: 3, status: 2 }),
    anAchat({ _id: "new", purchase_date: 2 }),
    anAchat({ _id: "gone", purchase_date: 4, status: 0 }),
  ];
  const idsIn = (tab: "tous" | "confirme" | "attente") => purchasesIn(tab, purchases).map(({ _id }) => _id);
  expect(idsIn("tous")).toEqual(["gone", "waiting", "new", "old"]);
  expect(idsIn("confirme")).toEqual(["new", "old"]);
  expect(idsIn("attente")).toEqual(["waiting"]);
  expect(purchases[0]?._id).toBe("old");
});

test("cancel is offered for a confirmed order only, once", () => {
  expect(canCancel(anAchat())).toBe(true);
  expect([0, 2, 3].some((status) => canCancel(anAchat({ status })))).toBe(false);
  expect(canCancel(anAchat({ annulation: "en_cours" }))).toBe(false);
});

test("a rehearsal has no order that could be cancelled", () => {
  expect(canCancel(anAchat({ id_transaction: null, simulation: true }))).toBe(false);
});

const TOTAL = { amount: "26.95", currency_code: "EUR" };
const LINK = { purchase_confirmation: "https://bank.example/3ds" };

test.each<readonly [string, Partial<Achat>]>([
  ["payé, livraison comprise", { status: 1, total: TOTAL }],
  ["hors livraison", { status: 1 }],
  ["payé, livraison comprise", { status: 1, total: TOTAL, annulation: "en_cours" }],
  ["payé, livraison comprise", { status: 1, total: TOTAL, source: "externe" }],
  ["simulation, rien n'a été payé", { status: 1, simulation: true }],
  ["à payer, livraison comprise", { status: 2, ...LINK, a_payer: TOTAL }],
  ["à payer, hors livraison", { status: 2, ...LINK }],
  ["à payer, livraison comprise", { status: 2, a_payer: TOTAL }],
  ["paiement en cours, hors livraison", { status: 2 }],
  ["paiement en cours, livraison comprise", { status: 2, total: TOTAL }],
  ["rien n'a été payé", { status: 0, raison: "Le paiement a été refusé." }],
  ["annulé, remboursé par Vinted", { status: 0, total: TOTAL }],
  ["annulé", { status: 0 }],
  ["paiement à vérifier, hors livraison", { status: 3 }],
  ["paiement à vérifier, livraison comprise", { status: 3, total: TOTAL }],
])("the amount is '%s' for %j", (note, changes) => {
  expect(amountNote(anAchat(changes))).toBe(note);
});

test("the amount is all in as soon as that is known", () => {
  expect(amountOf(anAchat()).amount).toBe("10.50");
  expect(amountOf(anAchat({ a_payer: TOTAL }))).toEqual(TOTAL);
  expect(amountOf(anAchat({ total: TOTAL }))).toEqual(TOTAL);
});
