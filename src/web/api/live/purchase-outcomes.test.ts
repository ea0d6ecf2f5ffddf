import { expect, test } from "vitest";
import type { Achat } from "#contract/achat.ts";
import { anAchat, aProduit } from "#verify/testing/on-the-wire.ts";
import { awaitingBankOf, outcomesOf } from "./purchase-outcomes.ts";

const bought = (id: number, status: number, traits: Partial<Achat> = {}): Achat =>
  anAchat({
    _id: `p${id}`,
    id_transaction: null,
    status,
    purchase_date: 0,
    product: aProduit({ id }),
    ...traits,
  });

const kindsOf = (purchases: readonly Achat[]): Readonly<Record<number, string>> =>
  Object.fromEntries([...outcomesOf(purchases)].map(([id, { kind }]) => [id, kind]));

test("what is confirmed or undecidable is bought, what is being established busy, what the bank must confirm awaited", () => {
  const awaiting = { ...bought(3, 2), purchase_confirmation: "https://bank.example/3ds", echeance: 900 };
  const purchases = [bought(1, 1), bought(2, 2), awaiting, bought(4, 3), bought(5, 0)];
  expect(kindsOf(purchases)).toEqual({ 1: "bought", 2: "busy", 3: "awaiting", 4: "bought" });
  expect(outcomesOf(purchases).get(3)).toEqual({
    kind: "awaiting",
    confirmationUrl: "https://bank.example/3ds",
    deadlineS: 900,
  });
});

test("a purchase that failed says why, until the listing is bought after all", () => {
  const failed: Achat = { ...bought(1, 0), raison: "Cet article est déjà vendu.", code: "vendu" };
  expect(outcomesOf([failed]).get(1)).toEqual({
    kind: "failed",
    reason: "Cet article est déjà vendu.",
    code: "vendu",
  });
  expect(kindsOf([bought(1, 1), failed])).toEqual({ 1: "bought" });
  expect(kindsOf([failed, bought(1, 2)])).toEqual({ 1: "busy" });
});

test("of several failures the newest counts", () => {
  const [newer, older] = ["Le paiement a été refusé.", "Le prix a augmenté."].map((raison) => ({
    ...bought(1, 0),
    raison,
  }));
  if (newer === undefined || older === undefined) throw new Error("two purchases");
  expect(outcomesOf([newer, older]).get(1)).toMatchObject({ reason: "Le paiement a été refusé." });
});

test("a simulation bought nothing", () => {
  expect(kindsOf([bought(1, 1, { simulation: true })])).toEqual({});
});

test("the purchases that wait for the bank are counted, with their deadlines, the earliest first", () => {
  const awaiting = (id: number, echeance?: number): Achat => ({
    ...bought(id, 2),
    purchase_confirmation: "https://bank.example/3ds",
    ...(echeance === undefined ? {} : { echeance }),
  });
  expect(awaitingBankOf([bought(1, 1), bought(2, 2)])).toEqual({ count: 0, deadlinesS: [] });
  // Without a link that may be shown, the bank waits all the same.
  const withoutLink = bought(4, 2, { a_payer: { amount: "12.00", currency_code: "EUR" }, echeance: 700 });
  expect(awaitingBankOf([withoutLink])).toEqual({ count: 1, deadlinesS: [700] });
  expect(awaitingBankOf([awaiting(1, 900), awaiting(2, 800), awaiting(3)])).toEqual({
    count: 3,
    deadlinesS: [800, 900],
  });
});
