import { expect, test } from "vitest";
import { anAchat, aProduit } from "#verify/testing/on-the-wire.ts";
import { CallError } from "../../api/client.ts";
import { purchaseOf, stateOf } from "./buy.ts";

const product = aProduit();
const refused = { status: "error", error: new CallError("Non.", 409, { code: "limite" }) } as const;
const failed = { kind: "failed", reason: "Refusé.", code: "refuse" } as const;

test.each(["", " ", "inattendu", "NaN"])("what has no price cannot be bought: %j", (amount) => {
  const unpriced = { ...product, total_item_price: { amount, currency_code: "EUR" } };
  expect(stateOf(unpriced)).toEqual({ kind: "unpriced" });
  expect(stateOf(unpriced, refused)).toEqual({ kind: "unpriced" });
  expect(stateOf(unpriced, undefined, failed)).toEqual({ kind: "unpriced" });
});

test("what has no price shows all the same that it is being bought, or was", () => {
  const unpriced = { ...product, total_item_price: { amount: "", currency_code: "EUR" } };
  expect(stateOf(unpriced, { status: "pending", error: null })).toEqual({ kind: "busy" });
  expect(stateOf(unpriced, undefined, { kind: "bought" })).toEqual({ kind: "bought" });
});

test.each([
  ["vendu", true],
  ["inconnu", false],
] as const)("only what is known to be sold is said to be: %s", (code, isGone) => {
  const error = new CallError("Pas vu depuis 24 heures.", 404, { code });
  expect(stateOf(product, { status: "error", error })).toMatchObject({ kind: "refused", isGone });
});

test("a listing can be bought until it was, also after a refusal", () => {
  expect(stateOf(product)).toEqual({ kind: "idle" });
  expect(stateOf(product, refused)).toMatchObject({ kind: "refused", reason: "Non.", isGone: false });
  expect(stateOf(product, refused, { kind: "bought" })).toEqual({ kind: "bought" });
});

test("what somebody else bought is gone, what is being bought or was bought oneself is not", () => {
  const gone = { ...product, vendu: true };
  expect(stateOf(gone)).toMatchObject({ kind: "refused", isGone: true });
  expect(stateOf(gone, refused)).toMatchObject({ kind: "refused", isGone: true });
  expect(stateOf(gone, { status: "pending", error: null })).toEqual({ kind: "busy" });
  expect(stateOf(gone, undefined, { kind: "bought" })).toEqual({ kind: "bought" });
  expect(stateOf({ ...product, vendu: false })).toEqual({ kind: "idle" });
});

test("a lost click is answered by what became of it, not by a filter's simulation or cancelled attempt", () => {
  const own = anAchat({ _id: "own", product, source: "clic", status: 0 });
  const auto = anAchat({ _id: "auto", product, source: "auto", status: 0 });
  const simulated = anAchat({ _id: "simulated", product, source: "auto", simulation: true });
  const bought = anAchat({ _id: "bought", product, source: "auto" });
  for (const known of [[], undefined]) {
    expect(purchaseOf({ product, known }, [auto, simulated])).toBeUndefined();
    expect(purchaseOf({ product, known }, [simulated, bought])).toBe(bought);
  }
  expect(purchaseOf({ product, known: [] }, [auto, own])).toBe(own);
  expect(purchaseOf({ product, known: [own] }, [own])).toBeUndefined();
});
