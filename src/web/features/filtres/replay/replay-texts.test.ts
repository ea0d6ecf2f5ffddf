import { expect, test } from "vitest";
import { aRejeu } from "#verify/testing/on-the-wire.ts";
import { cheapestText, coverageText, exampleText, headlineText } from "./replay-texts.ts";

const eur = (amount: string) => ({ amount, currency_code: "EUR" });
const plain = (text: string | null) => text?.replaceAll(/\s/gu, " ");

const achats = {
  nombre: 14,
  montant: eur("312.40"),
  economie: eur("128.00"),
  compares: 12,
  fourchette: { min: 6, max: 11 },
  tentatives: 34,
};

test("the headline says how many articles, and what would have been bought of them", () => {
  expect(plain(headlineText(aRejeu({ articles: 41, achats })))).toBe(
    "Ces 30 derniers jours : 41 articles, dont 14 auraient été achetés (312 €, 128 € sous le prix habituel)",
  );
  const said = (changes: Partial<typeof achats> | { readonly economie: null }) =>
    plain(headlineText(aRejeu({ articles: 41, achats: { ...achats, ...changes } })));
  expect(said({ economie: eur("-20.00") })).toContain("(312 €, 20 € au-dessus du prix habituel)");
  expect(said({ economie: null })).toContain("auraient été achetés (312 €)");
  expect(said({ nombre: 1, montant: eur("9.50"), economie: eur("0.00") })).toContain(
    "dont 1 aurait été acheté (9,50 €, au prix habituel)",
  );
  expect(said({ nombre: 0 })).toBe("Ces 30 derniers jours : 41 articles, dont aucun n'aurait été acheté");
});

test("a filter that does not buy, one that finds nothing, and an archive of one day have their own words", () => {
  expect(plain(headlineText(aRejeu({ articles: 1, achats: null })))).toBe(
    "Ces 30 derniers jours : 1 article",
  );
  expect(headlineText(aRejeu({ articles: 0, achats: { ...achats, nombre: 0 } }))).toBe(
    "Ces 30 derniers jours : aucun article",
  );
  const periode = { du: "2026-11-24", au: "2026-11-24", jours: 1 };
  expect(headlineText(aRejeu({ periode, articles: 3, achats: null }))).toBe("Aujourd'hui : 3 articles");
});

test("the coverage says since when and on how many days, and where it is made up", () => {
  const couverture = {
    depuis: Date.parse("2026-11-03T08:00:00Z"),
    jours: 19,
    exemple: true,
    exemple_jusqu_au: "2026-11-24",
  };
  expect(coverageText(aRejeu({ couverture }))).toBe("Vu depuis le 3 novembre (19 jours sur 30)");
  expect(exampleText(aRejeu({ couverture }))).toBe("Historique d'exemple jusqu'au 24 novembre");
  const never = { depuis: null, jours: 0, exemple: false, exemple_jusqu_au: null };
  expect(coverageText(aRejeu({ couverture: never }))).toBeNull();
  expect(exampleText(aRejeu({ couverture: never }))).toBeNull();
});

test("below the limit stands the cheapest article, and the first higher limit that finds more", () => {
  const paliers = [
    { limit: 43, articles: 0 },
    { limit: 63, articles: 20 },
    { limit: 48, articles: 6 },
    { limit: 57, articles: 9 },
  ];
  const said = (limite: Parameters<typeof cheapestText>[0]["limite"]) =>
    plain(cheapestText(aRejeu({ limite })) ?? null);
  expect(said({ moins_chere: eur("42.00"), paliers })).toBe(
    "La moins chère : 42 € — à 48 €, 6 articles de plus",
  );
  expect(said({ moins_chere: eur("42.35"), paliers: [] })).toBe("La moins chère : 42,35 €");
  expect(said({ moins_chere: eur("42.00"), paliers: [{ limit: 43, articles: 10_000 }] })).toBe(
    "La moins chère : 42 € — à 43 €, au moins 10 000 articles de plus",
  );
  expect(said({ moins_chere: null, paliers })).toBeUndefined();
});
