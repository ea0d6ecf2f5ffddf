import { expect, test } from "vitest";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { aFiltre, aFullFiltre } from "#verify/testing/on-the-wire.ts";
import {
  bodyOf,
  copyOf,
  draftOf,
  emptyDraft,
  fieldOfWire,
  isSavedAs,
  limitOf,
  problemsOf,
  withChanges,
  withNames,
  wordsOf,
} from "./draft.ts";

const filtre = aFullFiltre();

test("an edit changes what was changed in the form, and leaves the rest as it is by now", () => {
  const opened = draftOf(filtre);
  const latest = draftOf({ ...filtre, autobuy: false, limit: 20, brands: { ids: [], names: [] } });
  expect(withChanges(latest, opened, { ...opened, info: "pour Lou", sizeIds: [5] })).toEqual({
    ...latest,
    info: "pour Lou",
    sizeIds: [5],
  });
});

test("a new filter is sent with the defaults of the specification", () => {
  expect(bodyOf({ ...emptyDraft, tag: " Robes " })).toEqual({
    tag: "Robes",
    info: "",
    autobuy: false,
    private: false,
    types: { ids: [] },
    brands: { ids: [] },
    sizes: { ids: [] },
    status: { ids: [] },
    color: "",
    limit: 100,
    limit_min: 0,
    bon_prix: null,
    paiement: 1,
    mots: [],
    exclure: [],
    max_achats: null,
    simulation: false,
    vendeur: { note_min: null, avis_min: null, pays: [], inconnu: "retenir" },
    ignorer_republications: false,
    regles: aFiltre().regles,
    alerte: "sonore",
    alerte_max: 6,
  });
});

test("editing a filter and changing nothing sends back what it held, ids and names", async () => {
  const body = await withNames(bodyOf(draftOf(filtre)));
  const { groupe: _group, arret: _end, ...sent } = filtre;
  expect({ ...body, _id: filtre._id, active: filtre.active }).toEqual(sent);
});

test("a price limit that is no number becomes 0, one with cents loses them, and there is a highest", () => {
  expect(["", "abc", "12abc", "-5", "NaN", "Infinity", "1e9999"].map(limitOf)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect([" 45 ", "12,9", "12,50 €", "50€", "1 000", "0"].map(limitOf)).toEqual([45, 12, 12, 50, 1000, 0]);
  expect(limitOf("9999999")).toBe(100_000);
});

test("words stand between commas, each once, without surplus spaces", () => {
  expect(wordsOf(" lot,  made  in italy ,,lot")).toEqual(["lot", "made in italy"]);
  expect(wordsOf("")).toEqual([]);
  expect(wordsOf("tech  fleece|techfleece ,gris||grise | gris")).toEqual([
    "tech fleece | techfleece",
    "gris | grise",
  ]);
});

test("a draft within its bounds has no problem", () => {
  expect(problemsOf(draftOf(filtre))).toEqual({});
  expect(problemsOf(emptyDraft)).toEqual({});
});

test("each exceeded bound is reported at its own field", () => {
  const problems = problemsOf({
    ...emptyDraft,
    tag: "x".repeat(81),
    info: "x".repeat(501),
    wordsText: Array.from({ length: 21 }, (_, index) => `mot${index}`).join(","),
    excludedText: "x".repeat(41),
    maxPurchasesText: "0",
  });
  expect(problemsOf({ ...emptyDraft, floorText: "101" })).toHaveProperty("floorText");
  // Rules are sent, and so validated, even without automatic buying.
  expect(problemsOf({ ...emptyDraft, pauseText: "0" })).toHaveProperty("pauseText");
  expect(problemsOf({ ...emptyDraft, floorText: "100" })).toEqual({});
  const alternatives = (count: number): string =>
    Array.from({ length: count }, (_, index) => `a${index}`).join("|");
  expect(problemsOf({ ...emptyDraft, wordsText: alternatives(10) })).toEqual({});
  expect(problemsOf({ ...emptyDraft, wordsText: alternatives(11) })).toHaveProperty("wordsText");
  const many = Array.from({ length: 7 }, (_, index) => alternatives(9).replaceAll("a", `b${index}`)).join(
    ",",
  );
  expect(problemsOf({ ...emptyDraft, excludedText: many })).toHaveProperty("excludedText");
  expect(Object.keys(problems).sort()).toEqual([
    "excludedText",
    "info",
    "maxPurchasesText",
    "tag",
    "wordsText",
  ]);
});

test("a rating is a number from 1 to 5, with a comma or a point", () => {
  const problemOf = (text: string) => problemsOf({ ...emptyDraft, sellerRatingText: text });
  for (const text of ["", "1", "4,5", " 4.75 ", "5"]) expect(problemOf(text)).toEqual({});
  for (const text of ["0,9", "5,1", "bien", "4,,5"])
    expect(problemOf(text)).toHaveProperty("sellerRatingText");
  const body = bodyOf({ ...emptyDraft, sellerRatingText: "4,5", sellerReviewsText: " 12 " });
  expect(body.vendeur).toMatchObject({ note_min: 4.5, avis_min: 12 });
  for (const text of ["0", "10001", "1,5"])
    expect(problemsOf({ ...emptyDraft, sellerReviewsText: text })).toHaveProperty("sellerReviewsText");
});

test("a stop that is no whole number from 1 to 1000 is refused", () => {
  const isRefused = (text: string) =>
    "maxPurchasesText" in problemsOf({ ...emptyDraft, maxPurchasesText: text });
  expect(["0", "1001", "2,5", "deux", "-1"].map(isRefused)).toEqual([true, true, true, true, true]);
  expect(["", " 1 ", "1000"].map(isRefused)).toEqual([false, false, false]);
});

test("a server's refusal is shown at the form's own field, if it has one", () => {
  expect(fieldOfWire("max_achats")).toBe("maxPurchasesText");
  expect(fieldOfWire("mots.0")).toBe("wordsText");
  expect(fieldOfWire("brands.ids")).toBeUndefined();
  expect(fieldOfWire(undefined)).toBeUndefined();
});

test("a copy has the criteria of its filter, without automatic buying and its rules", () => {
  const { regles } = aFiltre();
  expect(copyOf(filtre)).toEqual(draftOf({ ...filtre, tag: "Vestes Nike (copie)", autobuy: false, regles }));
});

test("the tag of a copy is cut between characters, never within one", () => {
  const { tag } = copyOf({ ...filtre, tag: `${"a".repeat(71)}🧥bcd` });
  expect(tag).toBe(`${"a".repeat(71)} (copie)`);
  expect(tag.isWellFormed()).toBe(true);
});

test("a price floor that is no amount is refused, not taken for none", () => {
  const problemOf = (floorText: string) => problemsOf({ ...emptyDraft, floorText }).floorText;
  for (const text of ["20-40", "50 e", "vingt"]) expect(problemOf(text)).toBe("Un montant en EUR, ou rien.");
  for (const text of ["", "  ", "0", "20,50 €"]) expect(problemOf(text)).toBeUndefined();
});

test("the number of alerts is asked for, and sent, only where there are alerts", () => {
  const silent = { ...emptyDraft, alerte: "rien", alertsText: "deux" } as const;
  expect(problemsOf(silent)).toEqual({});
  expect(bodyOf(silent).alerte_max).toBe(6);
  expect(bodyOf({ ...silent, alertsText: "12" }).alerte_max).toBe(12);
  expect(problemsOf({ ...silent, alerte: "sonore" })).toHaveProperty("alertsText");
});

test("more countries than a filter can have are refused at their field", () => {
  const codes = ["FR", "BE", "LU", "CH", "ES", "IT", "PT", "NL", "DE", "AT", "PL"];
  expect(problemsOf({ ...emptyDraft, sellerCountries: codes.slice(1) })).toEqual({});
  expect(problemsOf({ ...emptyDraft, sellerCountries: codes }).sellerCountries).toBe("10 pays au plus.");
});

test("a filter is what a draft was saved as, although its words are folded and its automatic buying has ended", () => {
  const sent = {
    ...draftOf(filtre),
    wordsText: "« L'Été » | l ete, Cœur, coeur",
    excludedText: "Lot",
    days: [7, 1],
  };
  const saved = { ...filtre, mots: ["l ete", "coeur"], exclure: ["lot"], autobuy: false };
  expect(isSavedAs({ ...saved, regles: { ...saved.regles, jours: [1, 7] } }, sent)).toBe(true);
  expect(isSavedAs(filtre, draftOf(filtre))).toBe(true);
});

test("a filter that differs in anything else is not what a draft was saved as", () => {
  const others: readonly Partial<Filtre>[] = [
    { tag: "Vestes" },
    { limit: 46 },
    { mots: ["vintage"] },
    { brands: { ids: [], names: [] } },
    { vendeur: { ...filtre.vendeur, note_min: null } },
    { regles: { ...filtre.regles, budget_jour: null } },
    { simulation: false },
  ];
  for (const other of others) expect(isSavedAs({ ...filtre, ...other }, draftOf(filtre))).toBe(false);
});
