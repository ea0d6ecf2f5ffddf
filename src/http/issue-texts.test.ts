import { expect, test } from "vitest";
import { z } from "zod";
import { achatClickInput } from "#contract/achat.ts";
import { filtreFichierInput, importInput } from "#contract/filtres/fichier-input.ts";
import { newFiltre } from "#contract/filtres/filtre.ts";
import { filtreDeleteInput, filtreInput, filtreLotInput } from "#contract/filtres/filtre-input.ts";
import { parametresInput } from "#contract/parametres-input.ts";
import type { UnreadableCriteria } from "#presenters/filtre.ts";
import { filterIssueText, issueText, unreadableFilter, unreadableFilterText } from "./issue-texts.ts";

/** The text for the first issue of a body, as the type provider passes it on. */
function complaint(schema: z.core.$ZodType, sent: unknown, text = issueText): string {
  const issue = z.safeParse(schema, sent).error?.issues[0];
  if (issue === undefined) return "";
  const { code, path, ...params } = issue;
  return text({ keyword: code, instancePath: `/${path.join("/")}`, params }, sent);
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
  [filtreInput, { tag, limit: 1e20 }, "Le champ « limit » est trop grand."],
  [filtreInput, { tag, limit: -1e20 }, "Le champ « limit » est trop petit."],
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

test.each<readonly [unknown, string]>([
  [{}, "Le champ « Tag » est obligatoire."],
  [{ tag, limit: -1 }, "Le champ « Limite de prix » doit être au moins 0."],
  [{ tag, brands: { ids: [1, "2"] } }, "Le champ « Marques » doit être un nombre."],
  [{ tag, mots: ["x", 5] }, "Le champ « Mots à contenir » doit être un texte."],
  [{ tag, vendeur: { avis_min: 0 } }, "Le champ « Avis minimum » doit être au moins 1."],
  [{ tag, regles: { heures: { de: "08:00", a: 9 } } }, "Le champ « Heures d'achat » doit être un texte."],
])("a complaint about a filter of a file has the form's words (%#)", (sent, text) => {
  expect(complaint(filtreFichierInput, sent, filterIssueText)).toBe(text);
});

test("no field of a filter is without a name of its own for people", () => {
  const fields = Object.keys(filtreFichierInput.shape).flatMap((field) => [
    field,
    ...(field === "vendeur" || field === "regles"
      ? Object.keys(newFiltre[field]).map((one) => `${field}.${one}`)
      : []),
  ]);
  const said = fields.map((field) =>
    filterIssueText({ keyword: "", instancePath: `/${field.replace(".", "/")}`, params: {} }, {}),
  );
  expect(new Set(said).size).toBe(fields.length);
  for (const text of said) expect(text).not.toMatch(/_/u);
});

test("an invalid group of a file is named by its position", () => {
  const file = (group: unknown) => ({
    fichier: {
      format: "synapse-filtres",
      version: 1,
      filtres: [{}],
      groupes: [{ nom: "A", filtres: [0] }, group],
    },
  });
  expect(complaint(importInput, file({ nom: " ", filtres: [0] }))).toBe(
    "Groupe n° 2 du fichier : le champ « Nom » ne peut pas être vide.",
  );
  expect(complaint(importInput, file({ nom: "B", filtres: [0], achats: 101 }))).toBe(
    "Groupe n° 2 du fichier : le champ « Acheter » doit être au plus 100.",
  );
  expect(complaint(importInput, file(5))).toBe("Groupe n° 2 du fichier : il doit être un objet.");
});

test("a field named like a method of every object is still reported as absent", () => {
  expect(complaint(z.object({ toString: z.string() }), {})).toBe("Le champ « toString » est obligatoire.");
});

test("what the catalogue does not know is named in words that the form has too", () => {
  expect(unreadableFilterText({ kind: "unknown_id", field: "brands", id: 9 })).toBe(
    "La marque 9 n'existe pas.",
  );
  expect(unreadableFilterText({ kind: "unknown_colour", name: "Noir" })).toBe(
    "La couleur « Noir » n'existe pas.",
  );
  expect(unreadableFilterText({ kind: "empty_word", field: "mots", word: "!" })).toBe(
    "Mots à contenir : « ! » n'a ni lettre ni chiffre.",
  );
  expect(unreadableFilterText({ kind: "long_word", field: "exclure", word: "x" })).toBe(
    "Mots à exclure : « x » dépasse 40 caractères.",
  );
  expect(unreadableFilterText({ kind: "many_alternatives", field: "mots" })).toBe(
    "Mots à contenir : 10 façons de dire un mot au plus, entre « | ».",
  );
  expect(unreadableFilterText({ kind: "many_words", field: "mots" })).toBe(
    "Mots à contenir : 60 mots au plus, en comptant chaque façon de le dire.",
  );
  expect(unreadableFilterText({ kind: "floor_above_cap" })).toBe(
    "Le prix minimum dépasse la limite de prix.",
  );
  expect(unreadableFilterText({ kind: "unknown_country", code: "ZZ" })).toBe("Le pays « ZZ » n'existe pas.");
  const fieldOf = (refused: UnreadableCriteria) => unreadableFilter(refused).details.field;
  expect(fieldOf({ kind: "floor_above_cap" })).toBe("limit_min");
  expect(fieldOf({ kind: "unknown_country", code: "ZZ" })).toBe("vendeur.pays");
});
