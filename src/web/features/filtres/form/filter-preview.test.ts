import { expect, test } from "vitest";
import type { Apercu } from "#contract/filtres/filtre.ts";
import { breadthWarning, previewText, warningsOf } from "./filter-preview.tsx";
import { emptyDraft, type FiltreDraft } from "./draft.ts";
import { eur } from "#verify/testing/on-the-wire.ts";

const NOW_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function anApercu(changes: Partial<Apercu> = {}): Apercu {
  return {
    articles: 14,
    vus: 300,
    depuis: NOW_MS - 24 * HOUR_MS,
    prix: { min: eur("12.00"), max: eur("45.50") },
    ...changes,
  };
}

const said = (apercu: Apercu) => previewText(apercu, NOW_MS).replaceAll("\u00A0", " ");

test("the count says over which time, how many, and what they cost", () => {
  expect(said(anApercu())).toBe("Sur 24 h : 14 articles, de 12 à 45,50 €");
  const one = anApercu({ articles: 1, prix: { min: eur("9.90"), max: eur("9.90") } });
  expect(said(one)).toBe("Sur 24 h : 1 article, à 9,90 €");
});

test("no listings found is shown differently from no listings examined", () => {
  expect(said(anApercu({ articles: 0, prix: null }))).toBe("Sur 24 h : aucun article, parmi 300 examinés.");
  expect(said(anApercu({ articles: 0, vus: 0, prix: null }))).toContain("impossible d'estimer");
});

test("far too much is warned of, sooner where it would be bought", () => {
  const perHour = (rate: number) => anApercu({ articles: rate * 24 });
  const manual = { nowMs: NOW_MS, isAutobuy: false };
  const automatic = { nowMs: NOW_MS, isAutobuy: true };
  expect(breadthWarning(perHour(60), manual)).toBeUndefined();
  expect(breadthWarning(perHour(61), manual)).toContain("61 articles par heure");
  expect(breadthWarning(perHour(6), automatic)).toBeUndefined();
  expect(breadthWarning(perHour(7), automatic)).toContain("garde-fous");
  const young = breadthWarning(anApercu({ articles: 2186, depuis: NOW_MS - 19 * 60_000 }), manual);
  expect(young?.replace(/\s/gu, " ")).toContain("Très large : déjà 2 186 articles vus en moins d'une heure.");
  // One minute after the start, the listings already online are not extrapolated to a rate.
  expect(breadthWarning(anApercu({ articles: 50, depuis: NOW_MS - 60_000 }), manual)).toBeUndefined();
});

const T_SHIRTS = 221;
const SIZE_M = 4;
const SHOE_39 = 59;

const kindsOf = (changes: Partial<FiltreDraft>) =>
  warningsOf({ ...emptyDraft, ...changes }).map(({ kind }) => kind);

test("the defaults of a new filter warn of nothing", () => {
  expect(warningsOf(emptyDraft)).toEqual([]);
});

test("a limit of 0, or what becomes 0, can never match", () => {
  expect(kindsOf({ limitText: "0" })).toEqual(["never"]);
  expect(kindsOf({ limitText: "dix" })).toEqual(["never"]);
  expect(kindsOf({ limitText: "1" })).toEqual([]);
});

test("what is asked for and excluded at once can never match, whatever its case and accents", () => {
  expect(kindsOf({ wordsText: "été, robe", excludedText: "ETE" })).toEqual(["never"]);
  expect(kindsOf({ wordsText: "made in italy", excludedText: "italy" })).toEqual(["never"]);
  expect(kindsOf({ wordsText: "robes", excludedText: "robe" })).toEqual([]);
  expect(kindsOf({ wordsText: "italy", excludedText: "made in italy" })).toEqual([]);
});

test("sizes that no chosen type has can never match, some of them have no effect", () => {
  expect(kindsOf({ typeIds: [T_SHIRTS], sizeIds: [SHOE_39] })).toEqual(["never"]);
  const [warning] = warningsOf({ ...emptyDraft, typeIds: [T_SHIRTS], sizeIds: [SIZE_M, SHOE_39] });
  expect(warning).toEqual({ kind: "partly", text: "Sans effet pour les types choisis : 39." });
  expect(kindsOf({ typeIds: [T_SHIRTS], sizeIds: [SIZE_M] })).toEqual([]);
  expect(kindsOf({ typeIds: [], sizeIds: [SHOE_39] })).toEqual([]);
});
