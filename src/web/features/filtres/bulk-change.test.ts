import { expect, test } from "vitest";
import { bulkFieldOfWire, bulkProblemsOf, changeOf, NO_CHANGE } from "./bulk-change.ts";

test("a draft that changes nothing asks for nothing", () => {
  expect(changeOf(NO_CHANGE)).toEqual({});
  expect(bulkProblemsOf(NO_CHANGE)).toEqual({});
});

test("only what was chosen is sent", () => {
  const draft = {
    ...NO_CHANGE,
    active: "off",
    stopsAutobuy: true,
    limit: "lower",
    amountText: "10 €",
    addedText: "tech fleece|techfleece, gris",
    excludedText: "lot",
  } as const;
  expect(changeOf(draft)).toEqual({
    active: false,
    autobuy: false,
    limit_delta: -10,
    mots_ajout: ["tech fleece | techfleece", "gris"],
    exclure_ajout: ["lot"],
  });
  expect(changeOf({ ...NO_CHANGE, limit: "set", amountText: "45" })).toEqual({ limit: 45 });
  expect(changeOf({ ...NO_CHANGE, limit: "raise", amountText: "5" })).toEqual({ limit_delta: 5 });
  expect(changeOf({ ...NO_CHANGE, active: "on", removedText: "gris", includedAgainText: "lot" })).toEqual({
    active: true,
    mots_retrait: ["gris"],
    exclure_retrait: ["lot"],
  });
});

test("an invalid amount and words beyond their bounds are reported at their field", () => {
  const isWrong = (amountText: string) =>
    "amountText" in bulkProblemsOf({ ...NO_CHANGE, limit: "set", amountText });
  expect(["", "0", "dix", "100001"].map(isWrong)).toEqual([true, true, true, true]);
  expect(["1", "100 000"].map(isWrong)).toEqual([false, false]);
  expect(bulkProblemsOf({ ...NO_CHANGE, amountText: "dix" })).toEqual({});
  expect(Object.keys(bulkProblemsOf({ ...NO_CHANGE, addedText: "x".repeat(41) }))).toEqual(["addedText"]);
});

test("a server's refusal is shown at the form's own field, if it has one", () => {
  expect(bulkFieldOfWire("changement.limit_delta")).toBe("amountText");
  expect(bulkFieldOfWire("changement.mots_ajout")).toBe("addedText");
  expect(bulkFieldOfWire("changement")).toBeUndefined();
  expect(bulkFieldOfWire(undefined)).toBeUndefined();
});
