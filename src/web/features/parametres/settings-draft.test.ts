import { expect, test } from "vitest";
import type { Parametres } from "#contract/parametres.ts";
import {
  digitsOf,
  settingsChangeOf,
  settingsDraftOf,
  settingsProblemsOf,
  guardTextOf,
} from "./settings-draft.ts";

const saved: Parametres = {
  token: "••••••••wxyz",
  paiement: 11,
  adresse: { rue: "1 rue Haute", ville: "Bourg", code_postal: 1000, pays: "France" },
  relais: ["Tabac du port"],
  etat: "connecte",
  adresse_complete: true,
  limites: { jour: 300, mois: 2_000, achats_jour: 20, arret: false, prudence: true },
  mandat: { requis: false, version: 1, accepte: null },
};

const opened = settingsDraftOf(saved);

test("the cents of a typed limit are dropped, not read as further digits, and other text stays", () => {
  const typed = ["150,00", "150.00 €", "150", "1 500", "150,", ",5", "20x0", ""];
  expect(typed.map(guardTextOf)).toEqual(["150", "150", "150", "1500", "150", ",5", "20x0", ""]);
  const draft = { ...opened, dayText: "150,50", dayCountText: "2,5" };
  expect(settingsChangeOf(draft, opened)).toEqual({ limites: { jour: 150, achats_jour: 2 } });
});

test("what was not changed is not part of the change", () => {
  expect(settingsChangeOf(opened, opened)).toEqual({});
  const moved = { ...opened, rue: "2 rue Basse", relais: [] };
  expect(settingsChangeOf(moved, opened)).toEqual({
    adresse: { ...saved.adresse, rue: "2 rue Basse" },
    relais: [],
  });
});

test("limits are sent where they changed: a stop is never part of what is saved", () => {
  expect(settingsChangeOf({ ...opened, dayText: "50" }, opened)).toEqual({ limites: { jour: 50 } });
  const off = settingsChangeOf({ ...opened, isPrudent: false }, opened);
  expect(off).toEqual({ limites: { prudence: false } });
});

test("limits that could not be read are not sent", () => {
  const withoutLimits = settingsDraftOf({ ...saved, limites: null });
  expect(settingsChangeOf(withoutLimits, withoutLimits)).toEqual({});
});

test("a postal code is shown with its zeros and 0 is shown empty", () => {
  expect(settingsDraftOf(saved).postalText).toBe("01000");
  const without = { ...saved, adresse: { ...saved.adresse, code_postal: 0 } };
  expect(settingsDraftOf(without).postalText).toBe("");
  expect(settingsChangeOf({ ...opened, postalText: "" }, opened).adresse?.code_postal).toBe(0);
});

test("only digits get into a field of digits", () => {
  expect(digitsOf("75 0a11")).toBe("75011");
});

test("a new token is sent, without the spaces around it", () => {
  const draft = { ...opened, token: "  a-new-refresh-token " };
  expect(settingsChangeOf(draft, opened).token).toBe("a-new-refresh-token");
  expect(settingsProblemsOf(draft, opened)).toEqual({});
});

test("an emptied token leaves the saved one", () => {
  expect(settingsChangeOf({ ...opened, token: "" }, opened)).toEqual({});
});

test("a token mixed with the mask or too short is refused at its field", () => {
  const problemOf = (token: string) => settingsProblemsOf({ ...opened, token }, opened).token;
  expect(problemOf("••••••••wxyzNEW")).toContain("points");
  expect(problemOf("short")).toContain("8");
  expect(problemOf("")).toBeUndefined();
  expect(problemOf(saved.token)).toBeUndefined();
});

test("guards are whole numbers within their bounds, 0 included", () => {
  const fields = { dayText: "", monthText: "douze", dayCountText: "100001" };
  expect(Object.keys(settingsProblemsOf({ ...opened, ...fields }, opened)).sort()).toEqual([
    "dayCountText",
    "dayText",
    "monthText",
  ]);
  expect(settingsProblemsOf({ ...opened, dayText: "0" }, opened)).toEqual({});
});
