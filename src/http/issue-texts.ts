/** Validation errors as French sentences. */
import { MAX_ALL_WORDS, MAX_ALTERNATIVES, MAX_WORD_LENGTH, MAX_WORDS } from "#contract/bounds.ts";
import type { SelectionField, UnreadableCriteria } from "#presenters/filtre.ts";

/** A schema's issue, as the type provider reports it. */
interface FieldIssue {
  /** The schema library's issue code. */
  readonly keyword: string;
  /** "/adresse/code_postal", or "/" for the whole. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const KIND_TEXTS: Readonly<Record<string, string>> = {
  string: "un texte",
  number: "un nombre",
  int: "un nombre entier",
  boolean: "vrai ou faux",
  array: "une liste",
  object: "un objet",
};

/**
 * The sentence for an issue of a body or a query.
 * @param sent the body or query, to distinguish an absent field from one of the wrong type
 */
export function issueText(issue: FieldIssue, sent: unknown): string {
  const path = pathOf(issue);
  if (path.length === 0) return "Le corps de la demande doit être un objet JSON.";
  const field = `Le champ « ${nameOf(path)} »`;
  if (valueAt(sent, path) === undefined) return `${field} est obligatoire.`;
  return `${field} ${complaintOf(issue)}.`;
}

/** The invalid field, such as "types.ids"; "" for the body as a whole. */
export function fieldOf(issue: FieldIssue): string {
  return nameOf(pathOf(issue));
}

function pathOf({ instancePath }: FieldIssue): readonly string[] {
  return instancePath.split("/").filter((part) => part !== "");
}

function complaintOf({ keyword, params }: FieldIssue): string {
  switch (keyword) {
    case "invalid_type":
      return `doit être ${KIND_TEXTS[String(params["expected"])] ?? "d'une autre forme"}`;
    case "too_small":
      return tooSmallText(String(params["origin"]), Number(params["minimum"]));
    case "too_big":
      return tooBigText(String(params["origin"]), Number(params["maximum"]));
    case "invalid_value":
      return `doit être ${oneOfText(params["values"])}`;
    case "invalid_union":
      return "n'a pas une des valeurs admises";
    case "custom":
      return "ne change rien";
    default:
      return "n'est pas valable";
  }
}

function tooSmallText(origin: string, minimum: number): string {
  if (origin === "string") {
    return minimum === 1 ? "ne peut pas être vide" : `doit compter au moins ${minimum} caractères`;
  }
  if (origin === "array")
    return minimum === 1 ? "ne peut pas être vide" : `doit avoir au moins ${minimum} éléments`;
  return `doit être au moins ${minimum}`;
}

function tooBigText(origin: string, maximum: number): string {
  if (origin === "string") return `ne peut pas dépasser ${maximum} caractères`;
  if (origin === "array") return `ne peut pas dépasser ${maximum} éléments`;
  return `doit être au plus ${maximum}`;
}

function oneOfText(values: unknown): string {
  const texts = Array.isArray(values) ? values.map(valueText) : [];
  return texts.length === 1 ? texts.join() : `l'une des valeurs : ${texts.join(", ")}`;
}

function valueText(value: unknown): string {
  if (typeof value === "boolean") return value ? "vrai" : "faux";
  return String(value);
}

/** "types.ids" of ["types", "ids", "3"]: list positions are left out. */
function nameOf(path: readonly string[]): string {
  return path.filter((part) => !/^\d+$/.test(part)).join(".");
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce(
    (value, part) => (isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined),
    root,
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

const SELECTION_TEXTS: Readonly<Record<SelectionField, string>> = {
  types: "La catégorie",
  brands: "La marque",
  sizes: "La taille",
  status: "L'état",
};

/** The sentence for filter criteria that the catalogue does not know. */
export function unreadableFilterText(refused: UnreadableCriteria): string {
  switch (refused.kind) {
    case "unknown_id":
      return `${SELECTION_TEXTS[refused.field]} ${refused.id} n'existe pas (champ « ${refused.field}.ids »).`;
    case "unknown_colour":
      return `La couleur « ${refused.name} » n'existe pas (champ « color »).`;
    case "empty_word":
      return `Le mot « ${refused.word} » n'a ni lettre ni chiffre (champ « ${refused.field} »).`;
    case "long_word":
      return `Le mot « ${refused.word} » dépasse ${MAX_WORD_LENGTH} caractères (champ « ${refused.field} »).`;
    case "many_alternatives":
      return `Le champ « ${refused.field} » a plus de ${MAX_ALTERNATIVES} façons de dire un mot, entre « | ».`;
    case "many_members":
      return `Le champ « ${refused.field} » a plus de ${MAX_WORDS} mots ou expressions.`;
    case "many_words":
      return `Le champ « ${refused.field} » a plus de ${MAX_ALL_WORDS} mots en tout.`;
    case "floor_above_cap":
      return "Le prix minimum (champ « limit_min ») dépasse la limite de prix.";
    case "unknown_country":
      return `Le pays « ${refused.code} » n'existe pas (champ « vendeur.pays »).`;
    case "equal_hours":
      return "Les heures d'achat (champ « regles.heures ») doivent commencer et finir à des moments différents.";
    default:
      return refused satisfies never;
  }
}

/** The field with criteria that the catalogue does not know. */
export function unreadableFilterField(refused: UnreadableCriteria): string {
  if (refused.kind === "floor_above_cap") return "limit_min";
  if (refused.kind === "unknown_country") return "vendeur.pays";
  if (refused.kind === "equal_hours") return "regles.heures";
  return refused.kind === "unknown_colour" ? "color" : refused.field;
}
