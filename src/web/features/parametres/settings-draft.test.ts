import { expect, test } from "vitest";
import { TOKEN_MASK } from "#contract/bounds.ts";
import type { Parametres } from "#contract/parametres.ts";
import {
  digitsOf,
  NOTHING_TYPED,
  settingsChangeOf,
  settingsDraftOf,
  settingsProblemsOf,
  guardTextOf,
  typedChangeOf,
  typedTokenOf,
  withTyped,
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
  expect(settingsProblemsOf(draft)).toEqual({});
});

test("an emptied token leaves the saved one", () => {
  expect(settingsChangeOf({ ...opened, token: "" }, opened)).toEqual({});
});

test("a revealed token that is put back after a keystroke is no new one", () => {
  const shown = [TOKEN_MASK, "R1", "R2"];
  const typed = ["R1x", "R1", " R2 ", TOKEN_MASK].map((text) => typedTokenOf(text, shown));
  expect(typed).toEqual(["R1x", null, null, null]);
  const changes = typed.map((token) => settingsChangeOf({ ...opened, token }, opened));
  expect(changes).toEqual([{ token: "R1x" }, {}, {}, {}]);
});

test("a token mixed with the mask or too short is refused at its field", () => {
  const problemOf = (token: string | null) => settingsProblemsOf({ ...opened, token }).token;
  expect(problemOf("••••••••wxyzNEW")).toContain("points");
  expect(problemOf("short")).toContain("8");
  expect(problemOf("")).toBeUndefined();
  expect(problemOf(null)).toBeUndefined();
});

test("guards are whole numbers within their bounds, 0 included", () => {
  const fields = { dayText: "", monthText: "douze", dayCountText: "100001" };
  expect(Object.keys(settingsProblemsOf({ ...opened, ...fields })).sort()).toEqual([
    "dayCountText",
    "dayText",
    "monthText",
  ]);
  expect(settingsProblemsOf({ ...opened, dayText: "0" })).toEqual({});
});

test("what is not typed follows what is saved, and what is left as it was is not typed", () => {
  const typed = withTyped(NOTHING_TYPED, { dayText: "50", monthText: "2000", ville: "Lyon" }, opened);
  const elsewhere = {
    ...saved,
    adresse: { ...saved.adresse, rue: "2 rue Basse", ville: "Lille" },
    limites: { jour: 100, mois: 900, achats_jour: 20, arret: true, prudence: true },
  };
  expect(settingsDraftOf(elsewhere, typed)).toMatchObject({
    rue: "2 rue Basse",
    ville: "Lyon",
    dayText: "50",
    monthText: "900",
  });
  expect(typedChangeOf(typed, saved, elsewhere)).toEqual({
    adresse: { ...elsewhere.adresse, ville: "Lyon" },
    limites: { jour: 50 },
  });
});

test("limits that can be read only once the form is open are shown", () => {
  const unread = { ...saved, limites: null };
  const typed = withTyped(NOTHING_TYPED, { ville: "Lyon" }, settingsDraftOf(unread));
  expect(settingsDraftOf(saved, typed)).toMatchObject({ dayText: "300", monthText: "2000" });
});

test("a limit of 0 is sent, even if the limits cannot be read again", () => {
  const typed = withTyped(NOTHING_TYPED, { dayText: "0" }, opened);
  expect(typedChangeOf(typed, saved, { ...saved, limites: null })).toEqual({ limites: { jour: 0 } });
});

test("relay points are added and removed one by one in what is saved, in their order", () => {
  let typed = NOTHING_TYPED;
  const before = { ...saved, relais: ["A", "B", "C"] };
  for (const relais of [
    ["B", "C"],
    ["B", "C", "A"],
    ["B", "C", "A", "D"],
    ["C", "A", "D"],
  ])
    typed = withTyped(typed, { relais }, settingsDraftOf(before, typed));
  expect(settingsDraftOf(before, typed).relais).toEqual(["C", "A", "D"]);
  const after = { ...saved, relais: ["E", "A", "B", "D"] };
  expect(typedChangeOf(typed, before, after)).toEqual({ relais: ["E", "D", "A"] });
});
