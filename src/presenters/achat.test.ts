import { expect, test } from "vitest";
import { z } from "zod";
import { achat } from "#contract/achat.ts";
import { asFilterId } from "#domain/ids.ts";
import type { FailureReason, Purchase, PurchaseState } from "#domain/purchase.ts";
import { aPurchase } from "#verify/testing/a-purchase.ts";
import { presentAchat } from "./achat.ts";
import { failureText, purchaseMessage } from "./french-texts.ts";

const MARKET = "http://localhost:3001";

const STATUSES = {
  intent: 2,
  submitting: 2,
  unknown: 2,
  awaiting: 2,
  confirmed: 1,
  cancelling: 1,
  cancel_unknown: 1,
  cancelled: 0,
  failed: 0,
  quarantine: 3,
} as const satisfies Record<PurchaseState, number>;
const states = Object.keys(STATUSES) as PurchaseState[];

test.each(states)("presentAchat() gives the state %s its status, and its cancel a name", (state) => {
  const shown = z.strictObject(achat.shape).parse(presentAchat(aPurchase({ state }), MARKET));
  expect(shown.status).toBe(STATUSES[state]);
  const isCancelling = state === "cancelling" || state === "cancel_unknown";
  expect(shown.annulation).toBe(isCancelling ? "en_cours" : undefined);
});

test("presentAchat() shows a confirmed purchase as the specification has it", () => {
  const shown = presentAchat(
    aPurchase({
      source: "auto",
      filterId: asFilterId("f1"),
      decidedAtMs: 1_700_000_000_999,
      chargedCents: 1_519,
    }),
    MARKET,
  );
  expect(shown).toMatchObject({
    _id: "0193-purchase",
    id_transaction: 42,
    status: 1,
    purchase_date: 1_700_000_000,
    purchase_confirmation: null,
    source: "auto",
    filtre: "f1",
    total: { amount: "15.19", currency_code: "EUR" },
    raison: null,
    product: { id: 5_000_000_001, total_item_price: { amount: "11.20", currency_code: "EUR" } },
  });
  expect(shown).not.toHaveProperty("simulation");
});

test("presentAchat() gives a late payment its click or its filter, and an outside order neither", () => {
  const shown = (traits: Partial<Purchase>) => {
    const { source, filtre } = presentAchat(aPurchase({ source: "external", ...traits }), MARKET);
    return { source, filtre };
  };
  expect(shown({})).toEqual({ source: "externe", filtre: null });
  expect(shown({ attemptTransactionId: 42 })).toEqual({ source: "clic", filtre: null });
  const ofFilter = { attemptTransactionId: 42, filterId: asFilterId("f") };
  expect(shown(ofFilter)).toEqual({ source: "externe", filtre: "f" });
});

test("presentAchat() gives the confirmation page only while the bank waits, and only on the marketplace", () => {
  const confirmUrl = `${MARKET}/3ds/9`;
  expect(presentAchat(aPurchase({ state: "awaiting", confirmUrl }), MARKET).purchase_confirmation).toBe(
    confirmUrl,
  );
  for (const state of states.filter((one) => one !== "awaiting"))
    expect(presentAchat(aPurchase({ state, confirmUrl }), MARKET).purchase_confirmation).toBeNull();
  const elsewhere = aPurchase({ state: "awaiting", confirmUrl: "https://bank.example/3ds" });
  expect(presentAchat(elsewhere, MARKET).purchase_confirmation).toBeNull();
});

test("presentAchat() says what the bank is asked for and until when, only while it is awaited", () => {
  const awaiting = aPurchase({
    state: "awaiting",
    holdCents: 2_695,
    chargedCents: null,
    decidedAtMs: 1_700_000_000_999,
  });
  expect(presentAchat(awaiting, MARKET)).toMatchObject({
    a_payer: { amount: "26.95", currency_code: "EUR" },
    echeance: 1_700_000_900,
    total: null,
  });
  expect(purchaseMessage(awaiting)).toBe(
    "Votre banque attend votre confirmation : « Robe d'été », 26,95\u00A0€ livraison comprise.",
  );
  for (const state of states.filter((one) => one !== "awaiting")) {
    const shown = presentAchat(aPurchase({ state }), MARKET);
    expect([shown.a_payer, shown.echeance]).toEqual([undefined, undefined]);
  }
});

test("presentAchat() names the offer that bought, and why a purchase failed by a code", () => {
  const offerOf = (changes: Parameters<typeof aPurchase>[0]) =>
    presentAchat(aPurchase(changes), MARKET).offre;
  expect(offerOf({ source: "auto", lane: "thunder" })).toBe("Thunder");
  expect(offerOf({ source: "auto", lane: "acquire" })).toBe("Acquire");
  expect(offerOf({ source: "click", lane: "click" })).toBe("Clicker");
  expect(offerOf({ source: "external", lane: "click" })).toBeUndefined();
  const sold = presentAchat(aPurchase({ state: "failed", failureReason: "sold" }), MARKET);
  expect(sold.code).toBe("vendu");
});

test("presentAchat() marks a simulation and gives it no transaction", () => {
  expect(presentAchat(aPurchase({ mode: "simulation", transactionId: 9 }), MARKET)).toMatchObject({
    status: 1,
    simulation: true,
    id_transaction: null,
  });
});

test("every state and every failure has a French sentence of its own end", () => {
  const reasons: readonly FailureReason[] = [
    "stale",
    "stopped",
    "price_rose",
    "limit_reached",
    "sold",
    "withdrawn",
    "insufficient_funds",
    "address_invalid",
    "payment_refused",
    "not_confirmed",
    "account_refused",
    "rate_limited",
    "never_effective",
    "marketplace_unavailable",
  ];
  for (const reason of reasons) {
    const shown = presentAchat(aPurchase({ state: "failed", failureReason: reason }), MARKET);
    expect(shown.raison).toBe(failureText(reason));
    expect(shown.raison).toMatch(/^[A-Z].+\.$/);
  }
  for (const state of states) expect(purchaseMessage(aPurchase({ state }))).toMatch(/« Robe d'été ».*[.)]$/);
});

test("purchaseMessage() distinguishes a simulation and an outside order from a purchase", () => {
  expect(purchaseMessage(aPurchase())).toBe(
    "Achat confirmé : « Robe d'été », 11,20\u00A0€ livraison comprise.",
  );
  expect(purchaseMessage(aPurchase({ mode: "simulation", chargedCents: null }))).toBe(
    "Simulation : « Robe d'été » aurait été acheté à 11,20\u00A0€.",
  );
  expect(purchaseMessage(aPurchase({ source: "external", filterId: null }))).toBe(
    "Commande passée ailleurs : « Robe d'été ».",
  );
  expect(purchaseMessage(aPurchase({ source: "external", filterId: asFilterId("f") }))).toBe(
    "Achat confirmé après coup : « Robe d'été », 11,20\u00A0€ livraison comprise.",
  );
  expect(purchaseMessage(aPurchase({ source: "external", attemptTransactionId: 42 }))).toBe(
    "Achat confirmé après coup : « Robe d'été », 11,20\u00A0€ livraison comprise.",
  );
  expect(purchaseMessage(aPurchase({ failureReason: "not_cancelled" }))).toBe(
    "Annulation non aboutie : « Robe d'été » reste acheté, 11,20\u00A0€ livraison comprise.",
  );
});
