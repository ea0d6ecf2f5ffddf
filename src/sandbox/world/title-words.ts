import type { Pattern, Shape } from "./kinds.ts";

/** An adjective as [masculine, feminine], or one invariable form. The plural takes an s. */
export type Adjective = string | readonly [masculine: string, feminine: string];

export const OPENERS: readonly Adjective[] = [
  ["joli", "jolie"],
  ["très joli", "très jolie"],
  "superbe",
  "magnifique",
  ["beau", "belle"],
  ["petit", "petite"],
];

export const PATTERN_WORDS: Readonly<Record<Pattern, readonly Adjective[]>> = {
  plain: [],
  knit: ["en laine", "grosse maille", ["torsadé", "torsadée"], "en coton"],
  flowers: [["fleuri", "fleurie"], "à fleurs", "motif fleurs", "liberty"],
  stripes: [["rayé", "rayée"], "à rayures", "rayures"],
  dots: ["à pois", "petits pois"],
  checks: ["à carreaux", "carreaux", "vichy"],
  leopard: ["léopard", ["imprimé léopard", "imprimée léopard"]],
  print: [["imprimé", "imprimée"], "à motifs", ["brodé", "brodée"]],
};

/** Words for cut and fabric by shape. */
export const CUT_WORDS: Partial<Readonly<Record<Shape, readonly Adjective[]>>> = {
  dress: [
    ["plissé", "plissée"],
    "dos nu",
    "portefeuille",
    ["cintré", "cintrée"],
    "d'été",
    "en lin",
    "à volants",
    "midi",
  ],
  longDress: [["fendu", "fendue"], "bohème", "dos nu", "satin", "en dentelle"],
  skirt: [["plissé", "plissée"], "crayon", "patineuse", "en jean", "simili cuir", "taille haute"],
  tshirt: ["oversize", "manches courtes", "col V", "basique"],
  tank: ["côtelé", "dos nageur", "fines bretelles"],
  shirt: ["en lin", "manches longues", "oversize", "satin", "col mao", "en dentelle"],
  sweater: ["col V", "col rond", "mohair", "cachemire", "oversize"],
  hoodie: ["oversize", "zippé", "logo"],
  cardigan: ["long", "grosse maille", "boutonné"],
  blazer: [["cintré", "cintrée"], "oversize", "croisé"],
  coat: ["long", "laine", "oversize", ["doublé", "doublée"]],
  jacket: ["simili", "vintage", "cuir", ["doublé", "doublée"], "oversize"],
  puffer: ["légère", "à capuche", "longue", "chaude"],
  jeans: ["taille haute", "mom", "slim", "bootcut", "droit", "brut", "délavé", "destroy", "stretch", "flare"],
  trousers: ["large", "palazzo", "7/8", "fluide", "en lin", "taille haute", "à pinces", "velours"],
  leggings: ["taille haute", "simili cuir", "push up", "sport"],
  shorts: ["taille haute", "en jean", "fluide", "cargo"],
  jumpsuit: ["fluide", "pantalon", "dos nu", "en jean"],
  boots: ["cuir", "à talons", "daim", "cavalières", "plates"],
  sneakers: ["cuir", "montantes", "basses", "running"],
  heels: ["aiguilles", "vernis", "daim", "compensés"],
  sandals: ["compensées", "cuir", "plates", "dorées"],
  handbag: ["cuir", "bandoulière", "seau", "cabas", "vintage"],
  cushion: ["déhoussable", "velours", "lin"],
  scarf: ["en soie", "laine", "carré", "doux"],
};

/** Words for the marketplace's colours. */
export const COLOUR_WORDS: Readonly<Record<number, Adjective>> = {
  1: ["noir", "noire"],
  2: "marron",
  3: ["gris", "grise"],
  4: "beige",
  5: "fuchsia",
  6: ["violet", "violette"],
  7: "rouge",
  8: "jaune",
  9: ["bleu", "bleue"],
  10: ["vert", "verte"],
  11: "orange",
  12: ["blanc", "blanche"],
  13: ["argenté", "argentée"],
  14: ["doré", "dorée"],
  15: "multicolore",
  16: "kaki",
  17: "turquoise",
  20: ["écru", "écrue"],
  21: "abricot",
  22: "corail",
  23: "bordeaux",
  24: "rose",
  25: "lilas",
  26: "bleu ciel",
  27: "bleu marine",
  28: "vert sapin",
  29: "moutarde",
  30: "menthe",
  32: ["transparent", "transparente"],
};

const CLOSINGS: Readonly<Record<number, readonly Adjective[]>> = {
  6: ["neuf avec étiquette", ["neuf", "neuve"], "étiquette encore dessus"],
  1: [["neuf", "neuve"], ["jamais porté", "jamais portée"], "état neuf"],
  2: ["TBE", "très bon état", "comme neuf", "état impeccable"],
};
const CLOSINGS_OF_WORN: readonly Adjective[] = ["bon état", "à saisir", "petit prix"];

/** Phrases about the condition at the end of a title. */
export function closingsFor(conditionId: number): readonly Adjective[] {
  return CLOSINGS[conditionId] ?? CLOSINGS_OF_WORN;
}

export const EMOJIS = ["✨", "🌸", "🔥", "💙", "🌿", "❤️", "🎀", "👗"] as const;

const WORDS_WITHOUT_PLURAL_S = /[sx]$/;

/** The form of the adjective that agrees with the noun. */
export function agree(
  adjective: Adjective,
  noun: { readonly gender: "m" | "f"; readonly isPlural: boolean },
): string {
  if (typeof adjective === "string") return adjective;
  const form = adjective[noun.gender === "f" ? 1 : 0];
  if (!noun.isPlural || WORDS_WITHOUT_PLURAL_S.test(form) || form.includes(" ")) return form;
  return `${form}s`;
}
