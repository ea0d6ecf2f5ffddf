import { expect, test } from "vitest";
import type { Achat } from "#contract/achat.ts";
import { boughtIdsOf } from "./bought-ids.ts";

function anAchat(listingId: number, status: number, simulation?: true): Achat {
  return {
    _id: `p${listingId}`,
    id_transaction: null,
    status,
    purchase_date: 0,
    purchase_confirmation: null,
    product: {
      id: listingId,
      title: "Robe",
      photo: null,
      brand_title: "",
      total_item_price: { amount: "10.00", currency_code: "EUR" },
      size_title: "",
      status: "",
      path: "/items/1",
      url: "https://market.example/items/1",
      user: { login: "lea", photo: null },
    },
    source: "clic",
    filtre: null,
    total: null,
    raison: null,
    ...(simulation === undefined ? {} : { simulation }),
  };
}

test("'Déjà acheté' holds for what is confirmed, waited for or unknown, not for what was cancelled", () => {
  const purchases = [anAchat(1, 1), anAchat(2, 2), anAchat(3, 3), anAchat(4, 0)];
  expect([...boughtIdsOf(purchases)]).toEqual([1, 2, 3]);
});

test("a rehearsal bought nothing", () => {
  expect(boughtIdsOf([anAchat(1, 1, true)]).size).toBe(0);
});

test("a listing bought anew after a cancel counts as bought", () => {
  expect(boughtIdsOf([anAchat(1, 0), anAchat(1, 2)]).has(1)).toBe(true);
});
