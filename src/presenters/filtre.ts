import { brandById } from "#catalogue/brand-titles.ts";
import { categoryById, categoryPath } from "#catalogue/categories.ts";
import { colourByName } from "#catalogue/colours.ts";
import { isCountryCode } from "#catalogue/country-codes.ts";
import { conditionById } from "#catalogue/conditions.ts";
import { foldText, withoutQuotes } from "#catalogue/fold-text.ts";
import { sizeById } from "#catalogue/sizes.ts";
import type { FiltreApercuInput, FiltreInput } from "#contract/filtres/filtre-input.ts";
import type {
  Apercu,
  Filtre,
  FiltreActivite,
  FiltrePret,
  FiltrePublic,
  Selection,
  VendeurVoulu,
} from "#contract/filtres/filtre.ts";
import { MAX_ALL_WORDS, MAX_ALTERNATIVES, MAX_WORD_LENGTH, MAX_WORDS } from "#contract/bounds.ts";
import { NO_RULES } from "#domain/buying-rules.ts";
import type { AlertMode } from "#domain/alert.ts";
import {
  openCriteria,
  type Filter,
  type FilterActivity,
  type FilterCriteria,
  type PublicFilter,
  type WordGroup,
} from "#domain/market/filter.ts";
import { ANY_SELLER, type SellerCondition } from "#domain/market/seller.ts";
import { eur } from "#domain/money.ts";
import { presentRaison, presentRegles, readRegles } from "./regles.ts";

/** A filter for its owner; names come from the catalogue, in the order of the ids. */
export function presentFiltre(filter: Filter): Filtre {
  return {
    _id: filter.id,
    tag: filter.tag,
    active: filter.isActive,
    autobuy: filter.isAutobuy,
    private: filter.isPrivate,
    ...presentSelections(filter),
    paiement: filter.paymentMethodId,
    info: filter.info,
    limit_min: filter.priceFloorEur,
    mots: filter.includeWords.map(presentGroup),
    exclure: filter.excludeWords.map(presentGroup),
    max_achats: filter.maxPurchases,
    simulation: filter.isSimulation,
    vendeur: presentSellerCondition(filter.seller),
    ignorer_republications: filter.ignoresRelists,
    regles: presentRegles(filter.rules),
    groupe: filter.groupId,
    arret:
      filter.autobuyEnd === null
        ? null
        : { raison: presentRaison(filter.autobuyEnd.reason), a: filter.autobuyEnd.atMs },
    alerte: WORDS[filter.alertMode],
    alerte_max: filter.alertMaxPerHour,
  };
}

function presentSellerCondition(condition: SellerCondition): VendeurVoulu {
  return {
    note_min: condition.minRating,
    avis_min: condition.minReviews,
    pays: [...condition.countryCodes],
    inconnu: condition.ifUnknown === "hold" ? "retenir" : "laisser_passer",
  };
}

function sellerConditionOf({ note_min, avis_min, pays, inconnu }: VendeurVoulu): SellerCondition {
  return {
    minRating: note_min,
    minReviews: avis_min,
    countryCodes: [...new Set(pays)],
    ifUnknown: inconnu === "retenir" ? "hold" : "pass",
  };
}

const WORDS: Readonly<Record<AlertMode, Filtre["alerte"]>> = {
  none: "rien",
  silent: "silencieux",
  loud: "sonore",
};
const MODES: Readonly<Record<Filtre["alerte"], AlertMode>> = {
  rien: "none",
  silencieux: "silent",
  sonore: "loud",
};

/** "tech fleece | techfleece". */
function presentGroup(group: WordGroup): string {
  return group.join(" | ");
}

/** A public filter for other subscribers: without its owner and payment. */
export function presentFiltrePublic(filter: PublicFilter): FiltrePublic {
  return {
    _id: filter.id,
    tag: filter.tag,
    ...presentSelections(filter.criteria),
    copies: filter.copies,
  };
}

/** A public filter that can be copied with one click. */
export function presentPublicPret(filter: Omit<PublicFilter, "copies">, found: number): FiltrePret {
  return { copie_de: filter.id, tag: filter.tag, ...presentSelections(filter.criteria), articles: found };
}

/** A frequent brand, within its category: "Zara · Robes (Femmes)". */
export function presentFrequentPret(search: {
  readonly brandId: number;
  readonly categoryId: number | null;
  readonly priceCapEur: number;
  readonly found: number;
}): FiltrePret {
  const { brandId, categoryId, priceCapEur, found } = search;
  const brand = brandById(brandId)?.title ?? String(brandId);
  const path = categoryId === null ? [] : categoryPath(categoryId).map(({ label }) => label);
  const [root] = path;
  const type = path.at(-1);
  const criteria: FilterCriteria = {
    ...openCriteria,
    categoryIds: categoryId === null ? [] : [categoryId],
    brandIds: [brandId],
    priceCapEur,
  };
  return {
    copie_de: null,
    tag: [brand, path.length > 1 ? `${type} (${root})` : type]
      .filter((part) => part !== undefined)
      .join(" · "),
    ...presentSelections(criteria),
    articles: found,
  };
}

/** What a filter has recently found and bought. */
export function presentActivite(activity: FilterActivity): FiltreActivite {
  const { filterId, foundCount, latest, purchaseCount } = activity;
  return {
    _id: filterId,
    trouves_aujourdhui: foundCount,
    dernier: latest === null ? null : { id: latest.listingId, title: latest.title, vu_a: latest.foundAtMs },
    achetes: purchaseCount,
  };
}

/** The fields of a filter that its owner chooses. */
export interface FilterChoices
  extends
    FilterCriteria,
    Pick<
      Filter,
      | "tag"
      | "info"
      | "isActive"
      | "isAutobuy"
      | "isPrivate"
      | "paymentMethodId"
      | "maxPurchases"
      | "isSimulation"
      | "rules"
    >,
    /** Absent for clients without alerts. */
    Partial<Pick<Filter, "alertMode" | "alertMaxPerHour">> {}

export type SelectionField = "types" | "brands" | "sizes" | "status";

/** Why criteria are rejected. */
export type UnreadableCriteria =
  | { readonly kind: "unknown_id"; readonly field: SelectionField; readonly id: number }
  | { readonly kind: "unknown_colour"; readonly name: string }
  /** A word without a letter or a digit occurs in no title. */
  | { readonly kind: "empty_word"; readonly field: WordField; readonly word: string }
  | { readonly kind: "long_word"; readonly field: WordField; readonly word: string }
  /** One member has more than `MAX_ALTERNATIVES` alternatives, or all together more than `MAX_ALL_WORDS`. */
  | { readonly kind: "many_alternatives"; readonly field: WordField }
  | { readonly kind: "many_words"; readonly field: WordField }
  /** More than `MAX_WORDS` members after a change. */
  | { readonly kind: "many_members"; readonly field: WordField }
  | { readonly kind: "floor_above_cap" }
  | { readonly kind: "unknown_country"; readonly code: string }
  | { readonly kind: "equal_hours" };

export type WordField = "mots" | "exclure";

type ReadFiltre = { readonly kind: "read"; readonly choices: FilterChoices } | UnreadableCriteria;

type ReadCriteria = { readonly kind: "read"; readonly criteria: FilterCriteria } | UnreadableCriteria;

const isKnown: Readonly<Record<SelectionField, (id: number) => boolean>> = {
  types: (id) => categoryById(id) !== undefined,
  brands: (id) => brandById(id) !== undefined,
  sizes: (id) => sizeById(id) !== undefined,
  status: (id) => conditionById(id) !== undefined,
};
const SELECTION_FIELDS: readonly SelectionField[] = ["types", "brands", "sizes", "status"];

/** What an edit takes from the saved filter. */
export type KnownFilter = Pick<Filter, "rules" | "includeWords" | "excludeWords">;

const NO_FILTER: KnownFilter = { rules: NO_RULES, includeWords: [], excludeWords: [] };

/**
 * Converts a sent filter to domain values.
 * @param known the filter that is edited: absent members of `regles` keep its rules, and its words may be sent again
 * even if they are longer than new ones may be
 */
export function readFiltre(input: FiltreInput, known: KnownFilter = NO_FILTER): ReadFiltre {
  const read = readCriteria(input, [...known.includeWords, ...known.excludeWords].flat());
  if (read.kind !== "read") return read;
  const unknownCode = input.vendeur.pays.find((code) => !isCountryCode(code));
  if (unknownCode !== undefined) return { kind: "unknown_country", code: unknownCode };
  const rules = readRegles(input.regles, known.rules);
  if (rules === null) return { kind: "equal_hours" };
  return {
    kind: "read",
    choices: {
      ...read.criteria,
      seller: sellerConditionOf(input.vendeur),
      ignoresRelists: input.ignorer_republications,
      tag: input.tag,
      info: input.info,
      isActive: input.active,
      isAutobuy: input.autobuy,
      isPrivate: input.private,
      paymentMethodId: input.paiement,
      maxPurchases: input.max_achats,
      isSimulation: input.simulation,
      rules,
      ...(input.alerte === undefined ? {} : { alertMode: MODES[input.alerte] }),
      ...(input.alerte_max === undefined ? {} : { alertMaxPerHour: input.alerte_max }),
    },
  };
}

/**
 * Converts sent criteria: ids once each in the order sent (branches stay branches), words folded. Returns the
 * first error.
 * @param savedWords folded words of any length
 */
export function readCriteria(input: FiltreApercuInput, savedWords: readonly string[] = []): ReadCriteria {
  for (const field of SELECTION_FIELDS) {
    const unknownId = (input[field].ids ?? []).find((id) => !isKnown[field](id));
    if (unknownId !== undefined) return { kind: "unknown_id", field, id: unknownId };
  }
  const colour = colourByName(input.color);
  if (colour === undefined && input.color !== "") return { kind: "unknown_colour", name: input.color };
  if (input.limit_min > input.limit) return { kind: "floor_above_cap" };
  for (const field of ["mots", "exclure"] as const) {
    const unreadable = problemOfWords(field, input[field], savedWords);
    if (unreadable !== null) return unreadable;
  }
  return {
    kind: "read",
    criteria: {
      categoryIds: [...new Set(input.types.ids ?? [])],
      brandIds: [...new Set(input.brands.ids ?? [])],
      sizeIds: [...new Set(input.sizes.ids ?? [])],
      conditionIds: [...new Set(input.status.ids ?? [])],
      colourName: colour?.name ?? null,
      priceCapEur: input.limit,
      priceFloorEur: input.limit_min,
      bargainPercent: input.bon_prix,
      includeWords: groupsOf(input.mots),
      excludeWords: groupsOf(input.exclure),
      // Not part of the draft: listings do not show them.
      seller: ANY_SELLER,
      ignoresRelists: false,
    },
  };
}

/**
 * A filter's words after members were added and removed; members are compared in their presented form.
 * @returns the error if `/filtres/add` would reject the result
 */
export function changedWords(
  field: WordField,
  before: readonly WordGroup[],
  { added, removed }: { readonly added: readonly string[]; readonly removed: readonly string[] },
): { readonly kind: "read"; readonly words: readonly WordGroup[] } | UnreadableCriteria {
  const refused = problemOfWords(field, added);
  if (refused !== null) return refused;
  const gone = new Set(groupsOf(removed).map(presentGroup));
  const left = before.map(presentGroup).filter((member) => !gone.has(member));
  const words = groupsOf([...left, ...groupsOf(added).map(presentGroup)]);
  if (words.length > MAX_WORDS) return { kind: "many_members", field };
  if (words.flat().length > MAX_ALL_WORDS) return { kind: "many_words", field };
  return { kind: "read", words };
}

function problemOfWords(
  field: WordField,
  members: readonly string[],
  savedWords: readonly string[] = [],
): UnreadableCriteria | null {
  const groups = members.map(alternativesIn);
  const words = groups.flat();
  const emptyWord = words.find((word) => foldText(word) === "");
  if (emptyWord !== undefined) return { kind: "empty_word", field, word: emptyWord };
  const longWord = words.find((word) => isLong(word) && !savedWords.includes(foldText(word)));
  if (longWord !== undefined) return { kind: "long_word", field, word: longWord };
  if (groups.some(({ length }) => length > MAX_ALTERNATIVES)) return { kind: "many_alternatives", field };
  return words.length > MAX_ALL_WORDS ? { kind: "many_words", field } : null;
}

/** As sent or folded, which may be longer: the folded word is answered, and must be accepted when it is sent back. */
function isLong(word: string): boolean {
  return Math.max(word.length, foldText(word).length) > MAX_WORD_LENGTH;
}

/** The alternatives of one member of `mots` or `exclure`, without quotes around phrases. */
function alternativesIn(member: string): readonly string[] {
  return member.split("|").map(withoutQuotes);
}

function groupsOf(members: readonly string[]): readonly WordGroup[] {
  const groups = members.map((member) => [...new Set(alternativesIn(member).map(foldText))]);
  return [...new Map(groups.map((group) => [presentGroup(group), group])).values()];
}

/** Words in their presented form: folded, each once. */
export function presentWords(members: readonly string[]): string[] {
  return groupsOf(members).map(presentGroup);
}

/** What a draft filter would have found. */
export function presentApercu(count: {
  readonly found: number;
  readonly seenInTypes: number;
  readonly sinceMs: number;
  readonly pricesCents: { readonly lowest: number; readonly highest: number } | null;
}): Apercu {
  const { pricesCents } = count;
  return {
    articles: count.found,
    vus: count.seenInTypes,
    depuis: count.sinceMs,
    prix: pricesCents === null ? null : { min: eur(pricesCents.lowest), max: eur(pricesCents.highest) },
  };
}

/** The fields of criteria that have the same name in every answer, with the names of selections. */
export function presentSelections(
  criteria: Pick<
    FilterCriteria,
    "categoryIds" | "brandIds" | "sizeIds" | "conditionIds" | "colourName" | "priceCapEur" | "bargainPercent"
  >,
) {
  return {
    types: presentSelection(criteria.categoryIds, (id) => categoryById(id)?.label),
    brands: presentSelection(criteria.brandIds, (id) => brandById(id)?.title),
    sizes: presentSelection(criteria.sizeIds, (id) => sizeById(id)?.title),
    status: presentSelection(criteria.conditionIds, (id) => conditionById(id)?.label),
    color: criteria.colourName ?? "",
    limit: criteria.priceCapEur,
    bon_prix: criteria.bargainPercent,
  };
}

// An id that was removed from the catalogue is shown as its number.
function presentSelection(ids: readonly number[], nameOf: (id: number) => string | undefined): Selection {
  return { ids: [...ids], names: ids.map((id) => nameOf(id) ?? String(id)) };
}
