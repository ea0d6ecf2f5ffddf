/** Validation errors as French sentences. */
import { MAX_ALL_WORDS, MAX_ALTERNATIVES, MAX_WORD_LENGTH, MAX_WORDS } from "#contract/bounds.ts";
import { FIELD_NAMES, MEMBER_NAMES } from "#contract/filtres/filtre-input.ts";
import type { SelectionField, UnreadableCriteria } from "#presenters/filtre.ts";
import { Refusal } from "./refusal.ts";

/** A schema's issue, as the type provider reports it. */
interface FieldIssue {
  /** The schema library's issue code. */
  readonly keyword: string;
  /** "/adresse/code_postal", or "/" for the whole body. */
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
  return `${fieldText(path)} ${verdictOf(issue, sent)}.`;
}

/** The same for a filter of a file, whose author does not know the wire names. */
export function filterIssueText(issue: FieldIssue, sent: unknown): string {
  return `Le champ « ${labelOf(nameOf(pathOf(issue)))} » ${verdictOf(issue, sent)}.`;
}

function verdictOf(issue: FieldIssue, sent: unknown): string {
  return valueAt(sent, pathOf(issue)) === undefined ? "est obligatoire" : complaintOf(issue);
}

const filterFields: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...FIELD_NAMES, ...MEMBER_NAMES }),
);

/** "Limite de prix" of "limit", "Marques" of "brands.ids". */
function labelOf(name: string): string {
  const parts = name.split(".");
  const label = filterFields.get(parts.slice(0, 2).join(".")) ?? filterFields.get(parts[0] ?? "") ?? name;
  return label.charAt(0).toUpperCase() + label.slice(1);
}

const GROUP_LABELS: Readonly<Record<string, string>> = {
  nom: "Nom",
  achats: "Acheter",
  budget: "Budget",
  filtres: "Filtres",
};

/** "Le champ « limit »"; a group of a file by its position: "Groupe n° 2 du fichier : le champ « Nom »". */
function fieldText(path: readonly string[]): string {
  const [root, list, position = "", member = ""] = path;
  const isGroup = root === "fichier" && list === "groupes" && position !== "";
  if (!isGroup) return `Le champ « ${nameOf(path)} »`;
  const group = `Groupe n° ${Number(position) + 1} du fichier :`;
  return member === "" ? `${group} il` : `${group} le champ « ${GROUP_LABELS[member] ?? member} »`;
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

/** Origin of the bounds beyond which integers are not exact; a field's own bounds have another. */
const OF_SAFE_INTEGERS = "int";

function tooSmallText(origin: string, minimum: number): string {
  if (origin === "string") {
    return minimum === 1 ? "ne peut pas être vide" : `doit compter au moins ${minimum} caractères`;
  }
  if (origin === "array")
    return minimum === 1 ? "ne peut pas être vide" : `doit avoir au moins ${minimum} éléments`;
  return origin === OF_SAFE_INTEGERS ? "est trop petit" : `doit être au moins ${minimum}`;
}

function tooBigText(origin: string, maximum: number): string {
  if (origin === "string") return `ne peut pas dépasser ${maximum} caractères`;
  if (origin === "array") return `ne peut pas dépasser ${maximum} éléments`;
  return origin === OF_SAFE_INTEGERS ? "est trop grand" : `doit être au plus ${maximum}`;
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
      return `${SELECTION_TEXTS[refused.field]} ${refused.id} n'existe pas.`;
    case "unknown_colour":
      return `La couleur « ${refused.name} » n'existe pas.`;
    case "empty_word":
      return `${labelOf(refused.field)} : « ${refused.word} » n'a ni lettre ni chiffre.`;
    case "long_word":
      return `${labelOf(refused.field)} : « ${refused.word} » dépasse ${MAX_WORD_LENGTH} caractères.`;
    case "many_alternatives":
      return `${labelOf(refused.field)} : ${MAX_ALTERNATIVES} façons de dire un mot au plus, entre « | ».`;
    case "many_members":
      return `${labelOf(refused.field)} : ${MAX_WORDS} mots ou expressions au plus.`;
    case "many_words":
      return `${labelOf(refused.field)} : ${MAX_ALL_WORDS} mots au plus, en comptant chaque façon de le dire.`;
    case "floor_above_cap":
      return "Le prix minimum dépasse la limite de prix.";
    case "unknown_country":
      return `Le pays « ${refused.code} » n'existe pas.`;
    case "equal_hours":
      return "Les heures d'achat doivent commencer et finir à des moments différents.";
    default:
      return refused satisfies never;
  }
}

export function unreadableFilter(refused: UnreadableCriteria): Refusal {
  return new Refusal(400, unreadableFilterText(refused), { field: unreadableFilterField(refused) });
}

/** The field with criteria that the catalogue does not know. */
function unreadableFilterField(refused: UnreadableCriteria): string {
  if (refused.kind === "floor_above_cap") return "limit_min";
  if (refused.kind === "unknown_country") return "vendeur.pays";
  if (refused.kind === "equal_hours") return "regles.heures";
  return refused.kind === "unknown_colour" ? "color" : refused.field;
}
