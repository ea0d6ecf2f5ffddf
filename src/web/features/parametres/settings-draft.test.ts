import { expect, test } from "vitest";
import type { Parametres } from "#contract/parametres.ts";
import { digitsOf, settingsBodyOf, settingsDraftOf, settingsProblemsOf } from "./settings-draft.ts";

const saved: Parametres = {
  token: "••••••••wxyz",
  paiement: 11,
  adresse: { rue: "1 rue Haute", ville: "Bourg", code_postal: 1000, pays: "France" },
  relais: ["Tabac du port"],
  etat: "connecte",
  limites: { jour: 300, mois: 2_000, achats_jour: 20, arret: false },
  mandat: { requis: false, version: 1, accepte: null },
};

test("saving without a change sends what was saved, and no token", () => {
  const { paiement, adresse, relais, limites } = saved;
  expect(settingsBodyOf(settingsDraftOf(saved), saved.token)).toEqual({ paiement, adresse, relais, limites });
});

test("a postal code is shown with its zeros and 0 is shown empty", () => {
  expect(settingsDraftOf(saved).postalText).toBe("01000");
  const without = { ...saved, adresse: { ...saved.adresse, code_postal: 0 } };
  expect(settingsDraftOf(without).postalText).toBe("");
  expect(settingsBodyOf(settingsDraftOf(without), "").adresse?.code_postal).toBe(0);
});

test("only digits get into a field of digits", () => {
  expect(digitsOf("75 0a11")).toBe("75011");
});

test("a new token is sent, without the spaces around it", () => {
  const draft = { ...settingsDraftOf(saved), token: "  a-new-refresh-token " };
  expect(settingsBodyOf(draft, saved.token).token).toBe("a-new-refresh-token");
  expect(settingsProblemsOf(draft, saved.token)).toEqual({});
});

test("an emptied token leaves the saved one", () => {
  expect(settingsBodyOf({ ...settingsDraftOf(saved), token: "" }, saved.token)).not.toHaveProperty("token");
});

test("a token mixed with the mask or too short is refused at its field", () => {
  const problemOf = (token: string) =>
    settingsProblemsOf({ ...settingsDraftOf(saved), token }, saved.token).token;
  expect(problemOf("••••••••wxyzNEW")).toContain("points");
  expect(problemOf("short")).toContain("8");
  expect(problemOf("")).toBeUndefined();
  expect(problemOf(saved.token)).toBeUndefined();
});

test("guards are whole numbers within their bounds, 0 included", () => {
  const draft = settingsDraftOf(saved);
  const fields = { dayText: "", monthText: "12,5", dayCountText: "100001" };
  expect(Object.keys(settingsProblemsOf({ ...draft, ...fields }, saved.token)).sort()).toEqual([
    "dayCountText",
    "dayText",
    "monthText",
  ]);
  expect(settingsProblemsOf({ ...draft, dayText: "0" }, saved.token)).toEqual({});
});
