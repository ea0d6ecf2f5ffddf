import { expect, test } from "vitest";
import type { Achat } from "#contract/achat.ts";
import { awaitingBankOf, outcomesOf } from "./purchase-outcomes.ts";

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

const kindsOf = (purchases: readonly Achat[]): Readonly<Record<number, string>> =>
  Object.fromEntries([...outcomesOf(purchases)].map(([id, { kind }]) => [id, kind]));

test("what is confirmed or undecidable is bought, what is being established busy, what the bank must confirm awaited", () => {
  const awaiting = { ...anAchat(3, 2), purchase_confirmation: "https://bank.example/3ds", echeance: 900 };
  const purchases = [anAchat(1, 1), anAchat(2, 2), awaiting, anAchat(4, 3), anAchat(5, 0)];
  expect(kindsOf(purchases)).toEqual({ 1: "bought", 2: "busy", 3: "awaiting", 4: "bought" });
  expect(outcomesOf(purchases).get(3)).toEqual({
    kind: "awaiting",
    confirmationUrl: "https://bank.example/3ds",
    deadlineS: 900,
  });
});

test("a purchase that failed says why, until the listing is bought after all", () => {
  const failed: Achat = { ...anAchat(1, 0), raison: "Cet article est déjà vendu.", code: "vendu" };
  expect(outcomesOf([failed]).get(1)).toEqual({
    kind: "failed",
    reason: "Cet article est déjà vendu.",
    code: "vendu",
  });
  expect(kindsOf([anAchat(1, 1), failed])).toEqual({ 1: "bought" });
  expect(kindsOf([failed, anAchat(1, 2)])).toEqual({ 1: "busy" });
});

test("of several failures the newest counts", () => {
  const [newer, older] = ["Le paiement a été refusé.", "Le prix a augmenté."].map((raison) => ({
    ...anAchat(1, 0),
    raison,
  }));
  if (newer === undefined || older === undefined) throw new Error("two purchases");
  expect(outcomesOf([newer, older]).get(1)).toMatchObject({ reason: "Le paiement a été refusé." });
});

test("a simulation bought nothing", () => {
  expect(kindsOf([anAchat(1, 1, true)])).toEqual({});
});

test("the purchases that wait for the bank are counted, with the earliest deadline", () => {
  const awaiting = (id: number, echeance?: number): Achat => ({
    ...anAchat(id, 2),
    purchase_confirmation: "https://bank.example/3ds",
    ...(echeance === undefined ? {} : { echeance }),
  });
  expect(awaitingBankOf([anAchat(1, 1), anAchat(2, 2)])).toEqual({ count: 0, deadlineS: null });
  expect(awaitingBankOf([awaiting(1, 900), awaiting(2, 800), awaiting(3)])).toEqual({
    count: 3,
    deadlineS: 800,
  });
});
