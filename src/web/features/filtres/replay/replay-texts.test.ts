import { expect, test } from "vitest";
import { NEVER_READ_TEXT } from "../../../ui/charts/day-text.ts";
import { aFiltre, aRejeu, eur } from "#verify/testing/on-the-wire.ts";
import {
  cheapestText,
  conditionTexts,
  headlineText,
  isNeverRead,
  limitTexts,
  reserveTexts,
  rivalsText,
  seenText,
} from "./replay-texts.ts";

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

test("below the limit stands the cheapest article, and the first higher limit that finds more", () => {
  const paliers = [
    { limit: 43, articles: 0 },
    { limit: 48, articles: 6 },
    { limit: 57, articles: 9 },
    { limit: 63, articles: 20 },
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

test("each condition says how many more there would be without it, by its own name", () => {
  const filtre = aFiltre({
    brands: { ids: [53], names: ["Nike"] },
    sizes: { ids: [207, 4], names: ["M", "M"] },
    status: { ids: [6, 1], names: ["Neuf avec étiquette", "Neuf sans étiquette"] },
    color: "Black",
    mots: ["vintage", "tech fleece | techfleece"],
    exclure: ["lot"],
    bon_prix: 10,
  });
  const conditions = (["brands", "sizes", "status", "color", "mots", "exclure", "bon_prix"] as const).map(
    (champ, articles) => ({ champ, articles }),
  );
  expect(conditionTexts(aRejeu({ conditions }), filtre).map(plain)).toEqual([
    "sans la marque Nike : aucun de plus",
    "sans la taille M : 1 de plus",
    "sans les états Neuf avec étiquette, Neuf sans étiquette : 2 de plus",
    "sans la couleur Noir : 3 de plus",
    "sans les mots « vintage », « tech fleece | techfleece » : 4 de plus",
    "sans exclure « lot » : 5 de plus",
    "sans la condition de prix habituel : 6 de plus",
  ]);
  const many = { ids: [1, 2, 3, 4], names: ["A", "B", "C", "D"] };
  const [text] = conditionTexts(
    aRejeu({ conditions: [{ champ: "brands", articles: 10_000 }] }),
    aFiltre({ brands: many }),
  );
  expect(plain(text ?? null)).toBe("sans les 4 marques : au moins 10 000 de plus");
});

test("higher limits are said as what they add", () => {
  const paliers = [
    { limit: 25, articles: 6 },
    { limit: 30, articles: 9 },
    { limit: 40, articles: 20 },
  ];
  const limite = { moins_chere: null, paliers };
  expect(limitTexts(aRejeu({ limite }), { limit: 20 }).map(plain)).toEqual([
    "avec 5 € de plus : 6 de plus",
    "avec 10 € de plus : 9 de plus",
    "avec 20 € de plus : 20 de plus",
  ]);
});

test("a higher limit that finds nothing more than a lower one is not listed, and nothing at all is one line", () => {
  const said = (...counts: readonly number[]) => {
    const paliers = counts.map((articles, index) => ({ limit: 25 + 5 * index, articles }));
    return limitTexts(aRejeu({ limite: { moins_chere: null, paliers } }), { limit: 20 }).map(plain);
  };
  expect(said(0, 2, 2, 5)).toEqual(["avec 10 € de plus : 2 de plus", "avec 20 € de plus : 5 de plus"]);
  expect(said(0, 0, 0)).toEqual(["même avec 15 € de plus : aucun de plus"]);
  expect(said()).toEqual([]);
});

test("what other buyers would have left is a range, or unknown", () => {
  expect(rivalsText(achats)).toBe(
    "Face aux autres acheteurs : 6 à 11 sur 14 (taux mesuré sur 34 tentatives)",
  );
  expect(rivalsText({ ...achats, fourchette: null, tentatives: 19 })).toBe(
    "Face aux autres acheteurs : inconnu, moins de 20 tentatives",
  );
});

test("what the figures leave out is said, and nothing where they leave out nothing", () => {
  expect(reserveTexts(aRejeu(), aFiltre(), [])).toEqual([]);
  const bought = { ...achats, nombre: 13, compares: 11 };
  expect(reserveTexts(aRejeu({ achats: bought }), aFiltre(), [])).toEqual([
    "Les montants sont hors livraison.",
    "L'écart au prix habituel compte 11 de ces 13 achats : les autres n'ont pas de prix habituel connu.",
  ]);
  expect(reserveTexts(aRejeu({ incertains: 3, republications: 1, tronque: true }), aFiltre(), [])).toEqual([
    "1 de ces articles était déjà paru sous une autre annonce.",
    "3 articles ne sont pas comptés : leur type n'est connu qu'en partie.",
    "Filtre très large : précisez les types, les marques ou le prix.",
  ]);
});

test("conditions that the archive cannot test are said", () => {
  const anyone = aFiltre().vendeur;
  const seller =
    "Les conditions sur le vendeur ne sont pas comptées : ses avis et son pays ne sont pas gardés avec les annonces.";
  for (const asked of [{ note_min: 4.5 }, { avis_min: 10 }, { pays: ["FR"] }])
    expect(reserveTexts(aRejeu(), aFiltre({ vendeur: { ...anyone, ...asked } }), [])).toEqual([seller]);
  expect(reserveTexts(aRejeu(), aFiltre({ vendeur: { ...anyone, inconnu: "laisser_passer" } }), [])).toEqual(
    [],
  );
  expect(reserveTexts(aRejeu(), aFiltre({ ignorer_republications: true }), [])).toEqual([
    "Les nombres « de plus » ne comptent aucune republication.",
  ]);
});

test("blocked sellers of whom only the name is known are counted, and the page says so", () => {
  const textsFor = (...ids: readonly (number | null)[]) =>
    reserveTexts(
      aRejeu(),
      aFiltre(),
      ids.map((id) => ({ id })),
    );
  expect(textsFor(7)).toEqual([]);
  expect(textsFor(7, null)).toEqual([
    "1 vendeur bloqué n'est connu que par son nom : ses articles sont comptés.",
  ]);
  expect(textsFor(null, null)).toEqual([
    "2 vendeurs bloqués ne sont connus que par leur nom : leurs articles sont comptés.",
  ]);
});

test("types that were read in part are not called unread, nor read on any day", () => {
  const couverture = { depuis: null, jours: 0, exemple: false, exemple_jusqu_au: null };
  expect(isNeverRead(aRejeu({ couverture }))).toBe(true);
  expect(NEVER_READ_TEXT).toBe("Ces types n'ont encore jamais été lus : activez un filtre.");
  const partly = aRejeu({ couverture, articles: 186 });
  expect(isNeverRead(partly)).toBe(false);
  // Nothing found, but dearer ones, or others without a condition.
  const dear = { moins_chere: { amount: "42.00", currency_code: "EUR" }, paliers: [] };
  expect(isNeverRead(aRejeu({ couverture, limite: dear }))).toBe(false);
  const conditions = [{ champ: "sizes" as const, articles: 3 }];
  expect(isNeverRead(aRejeu({ couverture, conditions }))).toBe(false);
  expect(seenText(partly)).toBe("Une partie seulement de ces types a été lue");
  const example = { depuis: Date.parse("2026-11-12T08:00:00Z"), jours: 19, exemple: true };
  expect(plain(seenText(aRejeu({ couverture: { ...example, exemple_jusqu_au: "2026-11-24" } })))).toBe(
    "Vu depuis le 12 novembre (19 jours sur 30) · Historique d'exemple jusqu'au 24 novembre",
  );
});
