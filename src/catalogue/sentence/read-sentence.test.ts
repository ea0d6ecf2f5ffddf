import { describe, expect, test } from "vitest";
import { mulberry32 } from "#sandbox/world/draws.ts";
import { brandIdForTitle } from "../brand-titles.ts";
import rows from "../data/sentences.json" with { type: "json" };
import { readSentence as readWithin } from "./read-sentence.ts";

const BOUNDS = { wordLength: 40, words: 20, alternatives: 10, allAlternatives: 60 };
const readSentence = (text: string) => readWithin(text, BOUNDS);

/** The fields of a sentence by their names on the wire; lists are unordered. */
function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  const read = readSentence(text);
  const fields = {
    types: read.categoryIds,
    brands: read.brandIds,
    sizes: read.sizeIds,
    status: read.conditionIds,
    color: read.colourName,
    limit: read.limitEur,
    limit_min: read.floorEur,
    mots: read.includeWords,
    exclure: read.excludeWords,
  };
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

const comparable = (fields: Readonly<Record<string, unknown>>) =>
  Object.entries(fields)
    .map(
      ([field, value]) =>
        `${field}: ${Array.isArray(value) ? value.map(String).toSorted().join() : String(value)}`,
    )
    .toSorted()
    .join("; ");

interface Row {
  readonly text: string;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly isBlind: boolean;
}

const table: readonly Row[] = rows.map(([text, expected, blind]) => {
  if (typeof text !== "string" || typeof expected !== "object") throw new TypeError("a damaged row");
  return { text, expected: { ...expected }, isBlind: blind === 1 };
});

const isRight = ({ text, expected }: Row) => comparable(fieldsOf(text)) === comparable(expected);

describe("buyers' sentences", () => {
  test("nine of ten are wholly right, also of those that were written without a look at the lexicon", () => {
    const wrong = table.filter((row) => !isRight(row)).map(({ text }) => text);
    const blind = table.filter(({ isBlind }) => isBlind);
    expect(table.length).toBeGreaterThanOrEqual(300);
    expect(blind.length).toBeGreaterThan(table.length / 3);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(table.length / 10);
    expect(blind.filter((row) => !isRight(row)).length).toBeLessThanOrEqual(blind.length / 10);
  });

  test("none gets a field that it does not name", () => {
    const invented = table.filter(({ text, expected }) =>
      Object.keys(fieldsOf(text)).some((field) => !(field in expected)),
    );
    expect(invented.map(({ text }) => text)).toEqual([]);
  });
});

/** Words without a meaning: everyday words, titles that are words, shades, letters and numbers. */
const EMPTY_WORDS =
  `maison arbre soleil voiture chemin rivière demain hier toujours jamais souvent rapidement lentement grand
petite jolie belle ancien moderne pratique confortable léger lourd court longue ample serré brillant mat doux chaud froid été
hiver automne saison soirée mariage travail bureau vacances plage montagne ville campagne jardin cuisine salon famille ami
voisin médecin école musique cinéma théâtre histoire guerre paix amour liberté raison cause effet jour nuit matin semaine
mois année siècle minute donner prendre porter laver plier repasser envoyer recevoir payer négocier urgent possible certain
vrai faux premier dernière second coton laine soie lin velours dentelle imprimé fleuri rayé brodé plissé oversize cintré
vintage cuir sport next fashion style only elle love printemps animal police religion parfois essentiel express art ideal
victoria julie lola atmosphere influence papaya campus esprit diamant mascara objet pieces tendance original authentique
ciel foncé pastel pâle anthracite sapin bouteille s m l a b c 7 12 38 40 64 123 501 1000 ans cm kg étage environ vers presque
rosé grisé mariné orangé dix-neuf rouge-gorge haut-parleur laurier-rose claires suprême conversé ange ça ca es et ou où ni`
    .split(/\s+/u)
    .filter((word) => word !== "mascara");

/** Names, and the fields that they may set. */
const NAMES: readonly (readonly [name: string, field: string])[] = [
  ["robe", "types"],
  ["baskets", "types"],
  ["homme", "types"],
  ["zara", "brands"],
  ["the north face", "brands"],
  ["marque vintage", "brands"],
  ["noir", "color"],
  ["bleu marine", "color"],
  ["très bon état", "status"],
  ["neuf", "status"],
  ["moins de 20 €", "limit"],
  ["plus de 30 euros", "limit_min"],
  ['"tech fleece"', "mots"],
  ["sauf lot,", "exclure"],
];

test("2,000 word salads get no field that none of their words names", () => {
  // The same random sentences in every run.
  const random = mulberry32(20);
  const anyOf = <Value>(values: readonly Value[]): Value | undefined =>
    values[Math.floor(random() * values.length)];
  const invented: string[] = [];
  for (let count = 0; count < 2_000; count += 1) {
    const name = count % 2 === 0 ? undefined : anyOf(NAMES);
    // With a type, a number may be a size.
    const isPlain = name?.[1] === "types";
    const words = Array.from(
      { length: 3 + Math.floor(random() * 10) },
      () => anyOf(EMPTY_WORDS) ?? "",
    ).filter((word) => !isPlain || !/\d/u.test(word));
    if (name !== undefined) words.splice(Math.floor(random() * words.length), 0, name[0]);
    const text = words.join(" ");
    const fields = Object.keys(fieldsOf(text)).filter((field) => field !== name?.[1]);
    if (fields.length > 0) invented.push(`${fields.join()}: ${text}`);
  }
  expect(invented).toEqual([]);
});

/** Phrases after which a name is not wanted. */
const REFUSALS =
  `sauf|hors|pas|pas de|pas ces marques :|sans|ni|hormis|excepté|aucun|jamais|jamais de|éviter|évitez|exclure|exclu|
à l'exception de|à l'exclusion de|en dehors de|à part|bannir|interdit|je refuse|rien chez|rien de|rien en|ne pas proposer|
ne surtout pas inclure|je ne veux pas acheter de|je ne veux plus de|pas du tout|autre que|stop|-|!|≠ `
    .split("|")
    .map((phrase) => phrase.trimStart());
const PAIRS: readonly (readonly [field: string, one: string, other: string])[] = [
  ["brands", "Zara", "Mango"],
  ["color", "noir", "blanc"],
  ["sizes", "38", "40"],
  ["sizes", "S", "XL"],
  ["status", "neuf", "bon état"],
  ["types", "jupe", "pantalon"],
];
const JOINED = [" ", ", ", " et ", " : ", " (", " - ", "/"];

test("nothing that the person excludes is a criterion", () => {
  const wanted: string[] = [];
  for (const phrase of REFUSALS) {
    for (const [field, one, other] of PAIRS) {
      // 'Pas neuf, bon état' wants the latter, 'sans talons noires' the shoes.
      const joints = field === "status" ? JOINED.filter((joint) => joint !== ", ") : JOINED;
      const begin = /[-!]$/u.test(phrase) ? phrase : `${phrase} `;
      const isOpen = /[a-zé] $/u.test(begin);
      const lists = [one, ...joints.map((joint) => `${one}${joint}${other}`)];
      const opened = isOpen ? [`: ${one} et ${other}`, `(${one}/${other})`] : [];
      for (const list of [...lists, ...opened]) {
        const text = `robe ${begin}${list}`;
        const { types, ...others } = fieldsOf(text);
        const fields = Object.keys(others).filter((field) => field !== "exclure");
        if (JSON.stringify(types) !== "[10]" || fields.length > 0) wanted.push(text);
      }
    }
  }
  expect(wanted).toEqual([]);
});

describe("the rules", () => {
  test.each([
    ["jean", { types: [183, 257] }],
    ["jean femme", { types: [183] }],
    ["robes enfant", { types: [1247] }],
    ["femme", { types: [1904] }],
    ["bébé fille", { types: [1243] }],
    ["vestes homme", { types: [2052] }],
    ["short femme taille haute", { types: [1099] }],
    ["jupe en jean", { types: [11] }],
    ["pull", { types: [13, 79] }],
    ["hoodie", { types: [196, 267] }],
    ["blouson", { types: [1908, 2052] }],
    ["bikini bonnet C", { types: [219] }],
    ["sneakers", { types: [2632, 1242] }],
  ])("type: %s", (text, expected) => expect(comparable(fieldsOf(text))).toBe(comparable(expected)));

  test.each([
    ["polo ralph lauren", ["Polo Ralph Lauren"]],
    ["ralph lauren", ["Ralph Lauren"]],
    ["h&m", ["H&M"]],
    ["nike air max 90", ["Nike"]],
    ["marque next ou zara", ["Next", "Zara"]],
    ["rayban", ["Ray-Ban"]],
  ])("brand: %s", (text, titles) => expect(fieldsOf(text)).toEqual({ brands: titles.map(brandIdForTitle) }));

  test.each(["cuir", "vintage", "sport", "next", "64", "c a", "elle", "les petites", "levis-strauss"])(
    "no brand without 'marque': %s",
    (text) => expect(fieldsOf(text)).toEqual({}),
  );

  test.each([
    ["robe M", [4]],
    ["robe m", []],
    ["robe taille m ou l", [4, 5]],
    ["robe 38", [4]],
    ["robe FR 38", [4]],
    ["robe T38", [4]],
    ["robe 10", [4]],
    ["robe 10 volants", []],
    ["10 robes", []],
    ["robe 38/40", [4, 5]],
    ["robe 3/4", []],
    ["robe taille 36 à 40", [3, 4, 5]],
    ["robe du 36 au 40", [3, 4, 5]],
    ["robe taille s à l", [3, 4, 5]],
    ["robe du 30 au 34", [1226, 102, 2]],
    ["robe 28", []],
    ["robe taille 2", []],
    ["veste L 50/90€", [5, 209]],
    ["bikini taille 38 bonnet C", [4]],
    ["robe taille entre 36 et 40", [3, 4, 5]],
    ["robe entre 36 et 40", []],
    ["robe taille 42 entre 10 et 20", [6]],
    ["robe de 36 à 40", [3, 4, 5]],
    ["robe taille 36-40", [3, 4, 5]],
    ["robe T36-40", [3, 4, 5]],
    ["robe 36-40", []],
    ["robe fille 8 à 10 ans", [627, 628, 629]],
    ["robe fille du 8 au 10 ans", [627, 628, 629]],
    ["robe fille 8-10 ans", [627, 628, 629]],
    ["robe fille 8 ou 10 ans", [627, 629]],
    ["jean taille 38 à 40", [4, 5, 1636, 1637, 1638, 1639]],
    ["jean taille 36 à 40", [3, 4, 5]],
    ["jean femme taille 28 à 30", []],
    ["jean femme 32", []],
    ["robe 28 ou 36", []],
    ["jean homme 32", []],
    ["jean homme FR 42", [1640, 1641]],
    ["robe 36 à 40", [3, 5]],
    ["soutien-gorge taille 80A à 85A", [1247, 1253]],
    ["jean homme W32", [1640]],
    ["fille robe 12 mois", []],
    ["soutien-gorge 90c", [1261]],
    ["taille M", []],
    ["sac 30 cm", []],
    ["ceinture homme 95 cm", [1439]],
    ["ceinture homme 95", [1439]],
    ["pantalon garçon 128 cm", [627]],
  ])("size: %s", (text, ids) => expect(readSentence(text).sizeIds).toEqual(ids));

  test.each([
    ["neuf", [6, 1]],
    ["neuve avec étiquette", [6]],
    ["bon état", [3]],
    ["bon état minimum", [6, 1, 2, 3]],
    ["au moins très bon état", [6, 1, 2]],
    ["état satisfaisant", [4]],
  ])("state: %s", (text, ids) => expect(readSentence(text).conditionIds).toEqual(ids));

  test.each([
    ["bleu marine", "Navy", []],
    ["bleu ciel", null, ["bleu ciel"]],
    ["noires", "Black", []],
    ["noir et rouge", "Bred", []],
    ["rouge ou jaune", "Red", ["jaune"]],
    ["rosé", null, ["rosé"]],
  ])("colour: %s", (text, name, rest) => {
    const { colourName, rest: unread } = readSentence(text);
    expect([colourName, unread]).toEqual([name, rest]);
  });

  test.each([
    ["20 €", { limit: 20 }],
    ["à 19,99€", { limit: 19 }],
    ["moins de 30", { limit: 30 }],
    ["jusqu'à 1 200 euros", { limit: 1_200 }],
    ["pas plus de 40 balles", { limit: 40 }],
    ["40 max", { limit: 40 }],
    ["plus de 20 €", { limit_min: 20 }],
    ["à partir de 20 €", { limit_min: 20 }],
    ["entre 20 et 40 €", { limit_min: 20, limit: 40 }],
    ["entre 40 et 20 €", {}],
    ["robe 30 à 40 euros", { types: [10], limit_min: 30, limit: 40 }],
    ["robe noire 15 à 40 €", { types: [10], color: "Black", limit_min: 15, limit: 40 }],
    ["robe 12 à 18 €", { types: [10], limit_min: 12, limit: 18 }],
    ["robe 40 à 20 €", { types: [10], sizes: [5], limit: 20 }],
    ["robe 36 à 50 €", { types: [10], sizes: [3], limit: 50 }],
    ["robe taille 40 à 60 €", { types: [10], sizes: [5], limit: 60 }],
    ["robe 38 ou 40 à 60 €", { types: [10], sizes: [4, 5], limit: 60 }],
    ["robe taille 40 - 60€", { types: [10], sizes: [5], limit: 60 }],
    ["baskets femme 42 - 80€", { types: [2632], sizes: [62], limit: 80 }],
    ["robe 36-50€", { types: [10], limit: 50 }],
    ["robe 20-40€", { types: [10], limit_min: 20, limit: 40 }],
    ["robe - 20 - 40 €", { types: [10], limit_min: 20, limit: 40 }],
    ["robe - 20 à 40€", { types: [10], limit_min: 20, limit: 40 }],
    ["pull femme - M - 10 - 20€", { types: [13], sizes: [4], limit_min: 10, limit: 20 }],
    ["robe taille 36 - 30-60€", { types: [10], sizes: [3], limit_min: 30, limit: 60 }],
    ["robe 38 - 20 - 40 €", { types: [10], sizes: [4], limit_min: 20, limit: 40 }],
    ["robe T36-38 200 à 400€", { types: [10], sizes: [3, 4], limit_min: 200, limit: 400 }],
    ["baskets femme 38 - 40 - 45€", { types: [2632], sizes: [58, 60], limit: 45 }],
    ["new balance 530 40-60€", { brands: [brandIdForTitle("New Balance")], limit_min: 40, limit: 60 }],
    ["robe budget : 20 à 40", { types: [10], limit_min: 20, limit: 40 }],
    ["robe budget de 20€ à 40", { types: [10], limit_min: 20, limit: 40 }],
    ["robe budget 20-40", { types: [10], limit_min: 20, limit: 40 }],
    ["robe taille 36 min 40 max", { types: [10] }],
    ["robe taille min 36 max 40", { types: [10] }],
    ["robe taille 36 min, 40 € max", { types: [10] }],
    ["entre 20€ et 30", { limit_min: 20, limit: 30 }],
    ["20€ min 40€ max", { limit_min: 20, limit: 40 }],
    ["20 mini, 40 maxi", { limit_min: 20, limit: 40 }],
    ["40€ max 20€ min", { limit_min: 20, limit: 40 }],
    ["min 20€ max 40€", { limit_min: 20, limit: 40 }],
    ["air jordan 1 150€", { brands: [2703] }],
    ["chaussures femme 4 100 € max", { types: [16] }],
    ["robe 3 000€", { types: [10], limit: 3_000 }],
    ["robe à 1 200 €", { types: [10], limit: 1_200 }],
    ["robe, 1 200 €", { types: [10], limit: 1_200 }],
    ["pas au-dessus de 30 €", { limit: 30 }],
    ["jamais plus de 30 €", { limit: 30 }],
    ["rien au dessus de 30", { limit: 30 }],
    ["pas à plus de 30 €", { limit: 30 }],
    ["pas supérieur à 30 €", { limit: 30 }],
    ["le prix ne doit pas être supérieur à 30 €", { limit: 30 }],
    ["pas en dessous de 20 €", { limit_min: 20 }],
    ["pas en-dessous de 20 €", { limit_min: 20 }],
    ["pas à moins de 20 €", { limit_min: 20 }],
    ["pas moins de 20 €", { limit_min: 20 }],
    ["budget pas inférieur à 20 €", { limit_min: 20 }],
    ["pas sous les 20 €", { limit_min: 20 }],
    ["pas moins de 20 € mais pas plus de 40 €", { limit_min: 20, limit: 40 }],
    ["robe repassée ou pas à moins de 20 €", { types: [10], limit: 20 }],
    ["robe qui ne gratte pas à moins de 30 €", { types: [10], limit: 30 }],
    ["robe, pourquoi pas en dessous de 20 €", { types: [10], limit: 20 }],
    ["robe qui ne coûte pas moins de 20 €", { types: [10], limit_min: 20 }],
    ["robe pas chère, à moins de 20 €", { types: [10], limit: 20 }],
    ["robe, je ne veux pas dépenser plus de 30 €", { types: [10], limit: 30 }],
    ["robe, je ne veux pas payer plus de 30 €", { types: [10], limit: 30 }],
    ["robe, ne pas mettre plus de 30 €", { types: [10], limit: 30 }],
    ["robe sans dépenser plus de 30 €", { types: [10], limit: 30 }],
    ["robe, je ne paie jamais à plus de 30 €", { types: [10], limit: 30 }],
    ["robe, je ne paie pas à plus de 30 €", { types: [10], limit: 30 }],
    ["robe, je ne veux rien au-dessus de 30 €", { types: [10], limit: 30 }],
    ["robe, je n'achète pas au-dessus de 30 €", { types: [10], limit: 30 }],
    ["robe, je refuse de payer plus de 30 €", { types: [10] }],
    ["robe, je ne veux rien à partir de 30 €", { types: [10] }],
    ["robe jamais portée à partir de 20 €", { types: [10], status: [6, 1], limit_min: 20 }],
    ["robe max 30 € frais de port non compris", { types: [10], limit: 30 }],
    ["robe max 30 € frais de port en plus", { types: [10], limit: 30 }],
    ["robe max 30 € frais de port et protection inclus", { types: [10], limit: 30 }],
    ["robe 20 à 30 € frais de port en sus", { types: [10], limit_min: 20, limit: 30 }],
    ["robe, je n'achète plus rien de joli à plus de 30 €", { types: [10] }],
    ["robe repassée ou pas à plus de 20 €", { types: [10] }],
    ["robe, aucune à plus de 30 €", { types: [10] }],
    ["robe pas noire mais à plus de 20 €", { types: [10], limit_min: 20 }],
    ["robe pas noire, plus de 20 €", { types: [10], limit_min: 20 }],
    ["jean 30€ max 5€ de port", { types: [183, 257], limit: 30 }],
    ["jean, moins de 5 € de frais de port, max 30 €", { types: [183, 257], limit: 30 }],
    ["jean 30 € max + 5 euros de livraison", { types: [183, 257], limit: 30 }],
    ["jean max 5€ frais d'envoi", { types: [183, 257] }],
    ["jean 30 € frais de port inclus", { types: [183, 257], limit: 30 }],
    ["robe moins de 30 frais de port compris", { types: [10], limit: 30 }],
    ["jean taille supérieure à 40", { types: [183, 257] }],
    ["environ 20 €", {}],
    ["20", {}],
    ["0,50 €", {}],
    ["moins de 3 étages", {}],
    ["moins de 6 ans", {}],
    ["999999 €", {}],
  ])("price: %s", (text, expected) => expect(fieldsOf(text)).toEqual(expected));

  test.each([
    ['"tech fleece | techfleece"', { mots: ["tech fleece | techfleece"] }],
    ["« dos nu »", { mots: ["dos nu"] }],
    ["sauf zara et mango", { exclure: ["zara", "mango"] }],
    ["pas de shein ni de boohoo", { exclure: ["shein", "boohoo"] }],
    ["hors The North Face ou Patagonia", { exclure: ["The North Face", "Patagonia"] }],
    ["pas de H&M et Zara", { exclure: ["H&M", "Zara"] }],
    ["pas de H&M et de Zara", { exclure: ["H&M", "Zara"] }],
    ["robe sauf noir et blanc", { types: [10], exclure: ["noir", "blanc"] }],
    ["robe sauf noire et grise", { types: [10], exclure: ["noire", "grise"] }],
    ["femme sauf robe et jupe", { types: [1904], exclure: ["robe", "jupe"] }],
    ["sauf zara, mango et shein", { exclure: ["zara", "mango", "shein"] }],
    ["pas de Zara, H&M", { exclure: ["Zara", "H&M"] }],
    ["robe sauf noir, le blanc", { types: [10], exclure: ["noir", "blanc"] }],
    ["robe sauf zara, noire", { types: [10], color: "Black", exclure: ["zara"] }],
    ["robe sauf zara et noire", { types: [10], color: "Black", exclure: ["zara"] }],
    ["sauf zara, vintage", { exclure: ["zara"] }],
    ["sauf lot, zara", { exclure: ["lot"], brands: [12] }],
    ['hors "lot"', { exclure: ["lot"] }],
    ['robe -"simili cuir"', { types: [10], exclure: ["simili cuir"] }],
    ['-"lot", robe', { types: [10], exclure: ["lot"] }],
    ['robe !"lot"', { types: [10], exclure: ["lot"] }],
    ['robe - "dos nu"', { types: [10], mots: ["dos nu"] }],
    ['robe jolie ! "dos nu"', { types: [10], mots: ["dos nu"] }],
    ["robe pas de couleur noire", { types: [10], exclure: ["noire"] }],
    ["robe sauf shein/zara", { types: [10], exclure: ["shein", "zara"] }],
    ["femme sauf robes, jupes et pantalons", { types: [1904], exclure: ["robes", "jupes", "pantalons"] }],
    ["femme sauf jupe, robe", { types: [1904], exclure: ["jupe"] }],
    ["femme sauf jean noir", { types: [1904], exclure: ["jean noir"] }],
    ["robe sauf lot, déguisement, mariage", { types: [10], exclure: ["lot"] }],
    ["robe sauf noir et shein", { types: [10], exclure: ["noir"] }],
    ["pull femme sauf XL ou XXL", { types: [13] }],
    ["robe sauf tachée et sauf trouée", { types: [10], exclure: ["tachée", "trouée"] }],
    ["robe hors lot et hors enfant", { types: [10], exclure: ["lot", "enfant"] }],
    ["robe sauf lot ou pas de mariage", { types: [10], exclure: ["lot", "mariage"] }],
    ["robe sauf lot et jamais shein", { types: [10], exclure: ["lot"] }],
    ["robe sauf lot et sans ceinture", { types: [10], exclure: ["lot"] }],
    ["robe sauf pour enfant", { types: [10], exclure: ["enfant"] }],
    ["robe sauf si neuve", { types: [10], status: [6, 1] }],
    ["robe sauf Zara Mango", { types: [10], exclure: ["Zara"] }],
    ["robe hors Shein Boohoo taille M", { types: [10], sizes: [4], exclure: ["Shein"] }],
    ["robe sauf noir blanc", { types: [10], exclure: ["noir"] }],
    ["hors frais de port", {}],
    ["hors-piste", {}],
    [`"${"a".repeat(41)}"`, {}],
    ['"!"', {}],
    [`"${"a|".repeat(10)}a"`, {}],
  ])("words: %s", (text, expected) => expect(fieldsOf(text)).toEqual(expected));

  test.each([
    ["robe pas ces marques : Zara, Shein", { types: [10] }, ["pas ces marques : Zara, Shein"]],
    ["robe sauf (Zara, Shein)", { types: [10] }, ["sauf (Zara, Shein"]],
    ["robe, je ne veux plus de Zara", { types: [10] }, ["plus de Zara"]],
    ["robe, je ne veux plus de 38 et 40", { types: [10] }, ["plus de 38 et 40"]],
    [
      "robe, je ne veux plus de 38, 40 ou 42, noire",
      { types: [10], color: "Black" },
      ["plus de 38, 40 ou 42"],
    ],
    ["robe, je ne paie rien de plus de 30 €, 40", { types: [10], sizes: [5], limit: 30 }, ["paie"]],
    ["robe mais Shein je n'en veux pas", { types: [10] }, ["mais Shein je n'en veux pas"]],
    ["robe 38, 40 non", { types: [10], sizes: [4] }, ["40 non"]],
    ["robe 38 mais jamais 40", { types: [10], sizes: [4] }, ["jamais 40"]],
    ["robe noire, Zara exclu", { types: [10], color: "Black" }, ["Zara exclu"]],
    ["robe pas du tout noire", { types: [10] }, ["pas du tout noire"]],
    ["robe -Zara", { types: [10] }, ["Zara"]],
    ["robe !Zara", { types: [10] }, ["Zara"]],
    ["robe ≠ Zara", { types: [10] }, ["Zara"]],
    ["robe -homme", { types: [10] }, ["homme"]],
    ["robe jolie ! Zara", { types: [10], brands: [12] }, ["jolie"]],
    ["robe neuve ou non", { types: [10], status: [6, 1] }, ["non"]],
    ["veste homme sauf enfant", { types: [2052], exclure: ["enfant"] }, []],
    ["chaussures femme pas homme", { types: [16] }, ["pas homme"]],
    ["pull femme pas pour fille", { types: [13] }, ["pas pour fille"]],
    ["manteau femme, pas noir", { types: [1907] }, ["pas noir"]],
    ["veste homme ni noire ni grise", { types: [2052] }, ["ni noire ni grise"]],
    ["veste homme pas Zara", { types: [2052] }, ["pas Zara"]],
    ["veste homme pas Zara et Mango", { types: [2052] }, ["pas Zara et Mango"]],
    ["robe pas noire ou grise", { types: [10] }, ["pas noire ou grise"]],
    ["robe pas en noir ou en gris", { types: [10] }, ["pas en noir ou en gris"]],
    ["robe sans ceinture et noire", { types: [10], color: "Black" }, ["sans ceinture"]],
    ["chaussures femme sans talons noires", { types: [16], color: "Black" }, ["sans talons"]],
    ["veste homme pas neuve", { types: [2052] }, ["pas neuve"]],
    ["robe sans ceinture", { types: [10] }, ["sans ceinture"]],
    ["pull femme sauf taille M", { types: [13] }, ["sauf taille M"]],
    ["pull femme hors taille S et M, noir", { types: [13], color: "Black" }, ["hors taille S et M"]],
    ["pull femme pas de taille M", { types: [13] }, ["pas de taille M"]],
    ["robe pas Zara, H&M ou Mango", { types: [10] }, ["pas Zara, H&M ou Mango"]],
    ["robe pas bon état ou satisfaisant", { types: [10] }, ["pas bon état ou satisfaisant"]],
    ["robe pas en état satisfaisant", { types: [10] }, ["pas en état satisfaisant"]],
    ["robe pas neuve, bon état", { types: [10], status: [3] }, ["pas neuve"]],
    ["robe pas forcément noire", { types: [10] }, ["pas forcément noire"]],
    ["robe autre que zara", { types: [10] }, ["autre", "que zara"]],
    ["robe excepté zara", { types: [10] }, ["excepté zara"]],
    ["pull femme sauf tailles S à L", { types: [13] }, ["sauf tailles S à L"]],
    ["pull femme pas S mais M", { types: [13], sizes: [4] }, ["pas S"]],
    ["pull femme pas pour homme ou enfant", { types: [13] }, ["pas pour homme ou enfant"]],
    ["veste homme pas cher, noire", { types: [2052], color: "Black" }, ["pas cher"]],
    ["baskets homme 42 neuf sans étiquette", { types: [1242], sizes: [784], status: [1] }, []],
    ["gilet sans manches homme noir", { types: [2553], color: "Black" }, []],
  ])("what is not wanted: %s", (text, fields, rest) => {
    expect(fieldsOf(text)).toEqual(fields);
    expect(readSentence(text).rest).toEqual(rest);
  });

  test("says what was read, whole, and what was not", () => {
    const { understood, rest } = readSentence("Je cherche une robe Zara fleurie, taille M, à moins de 20 €");
    expect(understood).toEqual([
      { text: "robe", field: "types" },
      { text: "Zara", field: "brands" },
      { text: "taille M", field: "sizes" },
      { text: "à moins de 20 €", field: "limit" },
    ]);
    expect(rest).toEqual(["fleurie"]);
  });

  test("takes no more words than a filter does, and leaves the others in sight", () => {
    const quoted = Array.from({ length: 25 }, (_, index) => `"w${index}"`).join(" ");
    const { includeWords, rest } = readSentence(quoted);
    expect(includeWords).toHaveLength(20);
    expect(rest).toEqual(["w20", "w21", "w22", "w23", "w24"]);
  });

  test("reads whatever is sent", () => {
    for (const text of [
      "",
      "   ",
      "İ ß 𝓔 🙂",
      "\u0000",
      "€€€",
      '"""',
      "|".repeat(300),
      "taille ".repeat(40),
    ]) {
      expect(fieldsOf(text)).toEqual({});
    }
  });
});
