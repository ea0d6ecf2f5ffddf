import { expect, test } from "vitest";
import type { Achat } from "#contract/achat.ts";
import { canCancel, purchasesIn, statusOf } from "./achat-status.ts";

function anAchat(changes: Partial<Achat> = {}): Achat {
  return {
    _id: "p1",
    id_transaction: 7,
    status: 1,
    purchase_date: 100,
    purchase_confirmation: null,
    product: {
      id: 1,
      title: "Robe",
      photo: null,
      brand_title: "Zara",
      total_item_price: { amount: "10.00", currency_code: "EUR" },
      size_title: "M",
      status: "",
      path: "/items/1",
      url: "https://market.example/items/1",
      user: { login: "lea", photo: null },
    },
    source: "clic",
    filtre: null,
    total: null,
    raison: null,
    ...changes,
  };
}

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
