import { expect, test } from "vitest";
import { z } from "zod";
import { parametresInput } from "#contract/parametres-input.ts";
import { parametres } from "#contract/parametres.ts";
import { DEFAULT_LIMITS, EMPTY_ADDRESS, type MarketplaceSettings } from "#domain/settings.ts";
import { maskOf, presentParametres, readParametres, readToken } from "./parametres.ts";

const emptySettings: MarketplaceSettings = {
  paymentMethodId: 1,
  address: EMPTY_ADDRESS,
  pickupPointNames: [],
  account: { state: "absent", tokenTail: "" },
  limits: DEFAULT_LIMITS,
  mandate: null,
};
const MASK = "••••••••6789";

test("presentParametres() shows empty settings as the contract has them", () => {
  expect(z.strictObject(parametres.shape).parse(presentParametres(emptySettings, false))).toEqual({
    token: "",
    paiement: 1,
    adresse: { rue: "", ville: "", code_postal: 0, pays: "France" },
    relais: [],
    etat: "absent",
    adresse_complete: false,
    limites: { jour: 300, mois: 2000, achats_jour: 20, arret: false, prudence: true },
    mandat: { requis: false, version: 1, accepte: null },
  });
});

test("presentParametres() masks a saved token, also one that was refused", () => {
  for (const [state, etat] of [
    ["connected", "connecte"],
    ["reconnect", "a_reconnecter"],
  ] as const) {
    const shown = presentParametres({ ...emptySettings, account: { state, tokenTail: "6789" } }, false);
    expect(shown).toMatchObject({ token: MASK, etat });
  }
});

test("readToken() keeps the saved token for its mask, an empty text and nothing", () => {
  for (const sent of [MASK, "", "   ", undefined, ` ${MASK}\n`])
    expect(readToken(sent, MASK)).toEqual({ kind: "keep" });
});

test("readToken() disconnects for null", () => {
  expect(readToken(null, MASK)).toEqual({ kind: "disconnect" });
  expect(readToken(null, "")).toEqual({ kind: "disconnect" });
});

test("readToken() refuses a mask that is not the saved token's", () => {
  for (const sent of ["••••••••0000", "•", `${MASK}x`, "•••••••6789", "••••••••"])
    expect(readToken(sent, MASK)).toEqual({ kind: "foreign_mask" });
  expect(readToken(MASK, maskOf({ state: "absent", tokenTail: "" }))).toEqual({ kind: "foreign_mask" });
});

test("readToken() takes 8 to 4096 characters, without the spaces around a pasted token", () => {
  expect(readToken("1234567", MASK)).toEqual({ kind: "wrong_length" });
  expect(readToken("x".repeat(4_097), MASK)).toEqual({ kind: "wrong_length" });
  for (const token of ["12345678", "x".repeat(4_096), "sandbox-seeker"]) {
    const read = readToken(` ${token}\n`, MASK);
    expect(read.kind === "replace" && read.token.reveal()).toBe(token);
  }
});

test("readParametres() changes what was sent and nothing else", () => {
  expect(readParametres(parametresInput.parse({}))).toEqual({});
  expect(readParametres(parametresInput.parse({ token: "new-token-1234" }))).toEqual({});
  expect(readParametres(parametresInput.parse({ limites: { jour: 0 } }))).toEqual({ limits: { dayEur: 0 } });
  expect(
    readParametres(
      parametresInput.parse({
        paiement: 11,
        adresse: { rue: " 1 rue A ", ville: "Lyon", code_postal: 69_001, pays: "France" },
        relais: ["Tabac", "Tabac", "Gare"],
        limites: { jour: 1, mois: 2, achats_jour: 3, arret: true },
      }),
    ),
  ).toEqual({
    paymentMethodId: 11,
    address: { street: "1 rue A", city: "Lyon", postalCode: 69_001, country: "France" },
    pickupPointNames: ["Tabac", "Gare"],
    limits: { dayEur: 1, monthEur: 2, purchasesPerDay: 3, isStopped: true },
  });
});
