import { expect, test } from "vitest";
import { anAchat } from "#verify/testing/on-the-wire.ts";
import { textOf } from "./purchase-news.ts";

const price = (amount: string) => ({ amount, currency_code: "EUR" });
const { title } = anAchat().product;
const quoted = `«\u00A0${title}\u00A0»`;

test.each([
  [
    "confirmed",
    { total: price("21.70") },
    `Achat confirmé\u00A0: ${quoted}, 21,70\u00A0€ livraison comprise.`,
  ],
  ["ordered elsewhere", { source: "externe" }, `Commande passée ailleurs\u00A0: ${quoted}.`],
  ["paid late", { source: "externe", filtre: "f1" }, `Achat confirmé après coup\u00A0: ${quoted}.`],
  ["kept", { raison: "Non." }, `Annulation non aboutie\u00A0: ${quoted} reste acheté.`],
  ["cancelling", { annulation: "en_cours" }, `Annulation en cours\u00A0: ${quoted}.`],
  [
    "failed",
    { status: 0, raison: "Cet article est déjà vendu." },
    `Achat annulé\u00A0: ${quoted}. Cet article est déjà vendu.`,
  ],
  ["cancelled", { status: 0 }, `Achat annulé\u00A0: ${quoted}.`],
  [
    "awaiting",
    { status: 2, purchase_confirmation: "https://bank.test/1", a_payer: price("21.70") },
    `Votre banque attend votre confirmation\u00A0: ${quoted}, 21,70\u00A0€ livraison comprise.`,
  ],
  [
    "awaiting the bank without a link",
    { status: 2, a_payer: price("21.70") },
    `Votre banque attend votre confirmation\u00A0: ${quoted}, 21,70\u00A0€ livraison comprise.`,
  ],
  ["pending", { status: 2 }, `Achat en cours\u00A0: ${quoted}.`],
  [
    "unknown",
    { status: 3 },
    `Achat à vérifier\u00A0: ${quoted}. Le support regarde si le paiement a eu lieu.`,
  ],
  [
    "simulated",
    { simulation: true, product: { ...anAchat().product, total_item_price: price("11.20") } },
    `Simulation\u00A0: ${quoted} aurait été acheté à 11,20\u00A0€.`,
  ],
] as const)(
  "a purchase from the list that is %s is worded like the server's event",
  (_state, traits, text) => {
    expect(textOf(anAchat(traits))).toBe(text);
  },
);
