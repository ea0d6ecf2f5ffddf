import { expect, test } from "vitest";
import { z } from "zod";
import { achatClickInput } from "#contract/achat.ts";
import { filtreDeleteInput, filtreInput, filtreLotInput } from "#contract/filtres/filtre-input.ts";
import { parametresInput } from "#contract/parametres-input.ts";
import { issueText, unreadableFilterField, unreadableFilterText } from "./issue-texts.ts";

/** The sentence for the first complaint about a body, as the type provider hands complaints on. */
function complaint(schema: z.core.$ZodType, sent: unknown): string {
  const issue = z.safeParse(schema, sent).error?.issues[0];
  if (issue === undefined) return "";
  const { code, path, ...params } = issue;
  return issueText({ keyword: code, instancePath: `/${path.join("/")}`, params }, sent);
}

const tag = "Robes";

test.each<readonly [z.core.$ZodType, unknown, string]>([
  [filtreInput, null, "Le corps de la demande doit être un objet JSON."],
  [filtreInput, [], "Le corps de la demande doit être un objet JSON."],
  [filtreInput, {}, "Le champ « tag » est obligatoire."],
  [filtreInput, { tag: 5 }, "Le champ « tag » doit être un texte."],
  [filtreInput, { tag: "  " }, "Le champ « tag » ne peut pas être vide."],
  [filtreInput, { tag: "x".repeat(81) }, "Le champ « tag » ne peut pas dépasser 80 caractères."],
  [filtreInput, { tag, active: 1 }, "Le champ « active » doit être vrai ou faux."],
  [filtreInput, { tag, limit: "12" }, "Le champ « limit » doit être un nombre."],
  [filtreInput, { tag, limit: 1.5 }, "Le champ « limit » doit être un nombre entier."],
  [filtreInput, { tag, limit: -1 }, "Le champ « limit » doit être au moins 0."],
  [filtreInput, { tag, limit: 100_001 }, "Le champ « limit » doit être au plus 100000."],
  [filtreInput, { tag, paiement: 2 }, "Le champ « paiement » n'a pas une des valeurs admises."],
  [filtreInput, { tag, types: [1] }, "Le champ « types » doit être un objet."],
  [filtreInput, { tag, types: { ids: "1" } }, "Le champ « types.ids » doit être une liste."],
  [filtreInput, { tag, types: { ids: [1, "2"] } }, "Le champ « types.ids » doit être un nombre."],
  [
    filtreInput,
    { tag, brands: { ids: Array.from({ length: 1_001 }, (_, id) => id) } },
    "Le champ « brands.ids » ne peut pas dépasser 1000 éléments.",
  ],
  [filtreInput, { tag, mots: ["x".repeat(501)] }, "Le champ « mots » ne peut pas dépasser 500 caractères."],
  [filtreInput, { tag, info: "x".repeat(501) }, "Le champ « info » ne peut pas dépasser 500 caractères."],
  [filtreDeleteInput, { IDs: [] }, "Le champ « IDs » ne peut pas être vide."],
  [
    filtreLotInput,
    { IDs: ["a"], changement: { autobuy: true } },
    "Le champ « changement.autobuy » doit être faux.",
  ],
  [filtreLotInput, { IDs: ["a"], changement: {} }, "Le champ « changement » ne change rien."],
  [
    parametresInput,
    { adresse: { rue: "", ville: "", code_postal: 1, pays: "Espagne" } },
    "Le champ « adresse.pays » doit être l'une des valeurs : France, Belgique, Suisse, Luxembourg.",
  ],
  [parametresInput, { adresse: {} }, "Le champ « adresse.rue » est obligatoire."],
  [parametresInput, { relais: [""] }, "Le champ « relais » ne peut pas être vide."],
  [achatClickInput, { id: "x" }, "Le champ « id » doit être un nombre."],
  [achatClickInput, { id: 1, price: {} }, "Le champ « price.amount » est obligatoire."],
])("a complaint about a body is one precise sentence (%#)", (schema, sent, text) => {
  expect(complaint(schema, sent)).toBe(text);
});

test("a field named like a method of every object is still reported as absent", () => {
  expect(complaint(z.object({ toString: z.string() }), {})).toBe("Le champ « toString » est obligatoire.");
});

test("what the catalogue does not know is named with its field", () => {
  expect(unreadableFilterText({ kind: "unknown_id", field: "brands", id: 9 })).toBe(
    "La marque 9 n'existe pas (champ « brands.ids »).",
  );
  expect(unreadableFilterText({ kind: "unknown_colour", name: "Noir" })).toBe(
    "La couleur « Noir » n'existe pas (champ « color »).",
  );
  expect(unreadableFilterText({ kind: "empty_word", field: "mots", word: "!" })).toBe(
    "Le mot « ! » n'a ni lettre ni chiffre (champ « mots »).",
  );
  expect(unreadableFilterText({ kind: "long_word", field: "exclure", word: "x" })).toBe(
    "Le mot « x » dépasse 40 caractères (champ « exclure »).",
  );
  expect(unreadableFilterText({ kind: "many_alternatives", field: "mots" })).toBe(
    "Le champ « mots » a plus de 10 façons de dire un mot, entre « | ».",
  );
  expect(unreadableFilterText({ kind: "many_words", field: "mots" })).toBe(
    "Le champ « mots » a plus de 60 mots en tout.",
  );
  expect(unreadableFilterText({ kind: "floor_above_cap" })).toBe(
    "Le prix minimum (champ « limit_min ») dépasse la limite de prix.",
  );
  expect(unreadableFilterField({ kind: "floor_above_cap" })).toBe("limit_min");
  expect(unreadableFilterText({ kind: "unknown_country", code: "ZZ" })).toBe(
    "Le pays « ZZ » n'existe pas (champ « vendeur.pays »).",
  );
  expect(unreadableFilterField({ kind: "unknown_country", code: "ZZ" })).toBe("vendeur.pays");
});
