/** The state of the filter form, its validation and the request made from it. Pure. */
import { categoryById } from "#catalogue/categories.ts";
import { conditionById } from "#catalogue/conditions.ts";
import { foldText, withoutQuotes } from "#catalogue/fold-text.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import { sizeById } from "#catalogue/sizes.ts";
import {
  MAX_ALL_WORDS,
  MAX_ALTERNATIVES,
  MAX_FILTER_ALERTS,
  MAX_INFO_LENGTH,
  MAX_LIMIT_EUR,
  MAX_PURCHASES_STOP,
  MAX_SELLER_COUNTRIES,
  MAX_SELLER_RATING,
  MAX_SELLER_REVIEWS,
  MAX_TAG_LENGTH,
  MAX_WORD_LENGTH,
  MAX_WORDS,
  MIN_SELLER_RATING,
} from "#contract/bounds.ts";
import { type Filtre, newFiltre, type VendeurVoulu } from "#contract/filtres/filtre.ts";
import { changedParts, isChanged } from "../../../ui/changed-parts.ts";
import { formatQuoted, wholeEurosIn } from "../../../ui/format-panel.ts";
import {
  countIn,
  emptyRules,
  reglesOf,
  RULE_FIELDS_BY_WIRE_NAME,
  rulesDraftOf,
  type RulesDraft,
  rulesProblemsOf,
} from "./rules-draft.ts";

export interface FiltreDraft extends RulesDraft {
  readonly tag: string;
  readonly info: string;
  readonly autobuy: boolean;
  readonly isPrivate: boolean;
  readonly typeIds: readonly number[];
  readonly brandIds: readonly number[];
  readonly sizeIds: readonly number[];
  readonly conditionIds: readonly number[];
  /** The specification's English name; "" = all. */
  readonly color: string;
  readonly limitText: string;
  /** Empty = no price floor. */
  readonly floorText: string;
  /** The price is among the cheapest N percent of similar listings; "" = any price. */
  readonly bargainText: BargainText;
  readonly paiement: PaymentMethodId;
  /** Words between commas, alternatives between `|`. */
  readonly wordsText: string;
  readonly excludedText: string;
  /** Empty = no stop. */
  readonly maxPurchasesText: string;
  readonly simulation: boolean;
  readonly ignoresRelists: boolean;
  /** Empty = any. */
  readonly sellerRatingText: string;
  readonly sellerReviewsText: string;
  /** ISO 3166-1 codes; none = all. */
  readonly sellerCountries: readonly string[];
  readonly sellerUnknown: VendeurVoulu["inconnu"];
  readonly alerte: Filtre["alerte"];
  /** Articles per hour that are announced individually. */
  readonly alertsText: string;
}

export type BargainText = "" | "25" | "10" | "5";

export type DraftField = keyof FiltreDraft;

const FIELDS_BY_WIRE_NAME: Readonly<Record<string, DraftField>> = {
  tag: "tag",
  info: "info",
  limit: "limitText",
  limit_min: "floorText",
  bon_prix: "bargainText",
  mots: "wordsText",
  exclure: "excludedText",
  max_achats: "maxPurchasesText",
  "vendeur.note_min": "sellerRatingText",
  "vendeur.avis_min": "sellerReviewsText",
  "vendeur.pays": "sellerCountries",
  ...RULE_FIELDS_BY_WIRE_NAME,
  alerte_max: "alertsText",
};

/** The form field of a request field; undefined if no field can show its error. */
export function fieldOfWire(name: string | undefined): DraftField | undefined {
  if (name === undefined) return undefined;
  return FIELDS_BY_WIRE_NAME[name] ?? FIELDS_BY_WIRE_NAME[name.split(".", 1)[0] ?? ""];
}

const BARGAIN_TEXTS = { 25: "25", 10: "10", 5: "5" } as const;
function bargainTextOf(percent: Filtre["bon_prix"]): BargainText {
  return percent === null ? "" : BARGAIN_TEXTS[percent];
}

const BARGAINS = { "": null, "25": 25, "10": 10, "5": 5 } as const;

export function draftOf(filtre: Filtre): FiltreDraft {
  return {
    tag: filtre.tag,
    info: filtre.info,
    autobuy: filtre.autobuy,
    isPrivate: filtre.private,
    typeIds: filtre.types.ids,
    brandIds: filtre.brands.ids,
    sizeIds: filtre.sizes.ids,
    conditionIds: filtre.status.ids,
    color: filtre.color,
    limitText: String(filtre.limit),
    floorText: filtre.limit_min === 0 ? "" : String(filtre.limit_min),
    bargainText: bargainTextOf(filtre.bon_prix),
    paiement: filtre.paiement === 11 ? 11 : 1,
    wordsText: filtre.mots.join(", "),
    excludedText: filtre.exclure.join(", "),
    maxPurchasesText: filtre.max_achats === null ? "" : String(filtre.max_achats),
    simulation: filtre.simulation,
    alerte: filtre.alerte,
    alertsText: String(filtre.alerte_max),
    ...sellerDraftOf(filtre),
    ...rulesDraftOf(filtre.regles),
  };
}

/** Three-way merge: the fields changed since the form was opened, over the latest state. */
export function withChanges<Draft extends object>(latest: Draft, opened: Draft, draft: Draft): Draft {
  return { ...latest, ...changedParts(draft, opened) };
}

export const emptyDraft: FiltreDraft = draftOf(newFiltre);

function sellerDraftOf({
  vendeur,
  ignorer_republications,
}: Pick<Filtre, "vendeur" | "ignorer_republications">) {
  return {
    ignoresRelists: ignorer_republications,
    sellerRatingText: vendeur.note_min === null ? "" : String(vendeur.note_min).replace(".", ","),
    sellerReviewsText: vendeur.avis_min === null ? "" : String(vendeur.avis_min),
    sellerCountries: vendeur.pays,
    sellerUnknown: vendeur.inconnu,
  };
}

/** A copy of a filter, without its buying rules and with automatic buying off. */
export function copyOf(filtre: Filtre): FiltreDraft {
  const mark = " (copie)";
  const tag = `${beginningOf(filtre.tag, MAX_TAG_LENGTH - mark.length)}${mark}`;
  return { ...draftOf(filtre), ...emptyRules, tag, autobuy: false };
}

interface LinkedValues {
  readonly tag?: string;
  readonly type?: number;
  readonly marque?: number;
  readonly limite?: number;
}

/** A new filter with the values of a link; null if it has none. */
export function linkedDraft({ tag, type, marque, limite }: LinkedValues): FiltreDraft | null {
  if (tag === undefined && type === undefined && marque === undefined && limite === undefined) return null;
  return {
    ...emptyDraft,
    tag: beginningOf(tag ?? "", MAX_TAG_LENGTH),
    typeIds: type === undefined || categoryById(type) === undefined ? [] : [type],
    brandIds: marque === undefined ? [] : [marque],
    limitText: limite === undefined ? emptyDraft.limitText : String(limite),
  };
}

/** At most this many code units of a text, without half a character at the end: the server refuses that. */
export function beginningOf(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/u, "");
}

/** The criteria in the request's format. */
export function criteriaOf(draft: FiltreDraft) {
  return {
    types: { ids: [...draft.typeIds] },
    brands: { ids: [...draft.brandIds] },
    sizes: { ids: [...draft.sizeIds] },
    status: { ids: [...draft.conditionIds] },
    color: draft.color,
    limit: limitOf(draft.limitText),
    limit_min: limitOf(draft.floorText),
    bon_prix: BARGAINS[draft.bargainText],
    mots: wordsOf(draft.wordsText),
    exclure: wordsOf(draft.excludedText),
  };
}

/** The body of `/filtres/add`; an edit adds the id and `active: false`. */
export function bodyOf(draft: FiltreDraft) {
  return {
    ...criteriaOf(draft),
    tag: draft.tag.trim(),
    info: draft.info,
    autobuy: draft.autobuy,
    private: draft.isPrivate,
    paiement: draft.paiement,
    max_achats: countIn(draft.maxPurchasesText),
    simulation: draft.simulation,
    vendeur: {
      note_min: ratingIn(draft.sellerRatingText),
      avis_min: countIn(draft.sellerReviewsText),
      pays: [...draft.sellerCountries],
      inconnu: draft.sellerUnknown,
    },
    ignorer_republications: draft.ignoresRelists,
    regles: reglesOf(draft),
    alerte: draft.alerte,
    alerte_max: alertCountIn(draft.alertsText) ?? newFiltre.alerte_max,
  };
}

/** Whether a filter is as this draft was saved. Automatic buying is not compared: it may have ended since. */
export function isSavedAs(filtre: Filtre, draft: FiltreDraft): boolean {
  return !isChanged(asSaved(draft), asSaved(draftOf(filtre)));
}

/** As the server saves it: words folded, days in order. */
function asSaved(draft: FiltreDraft): object {
  const { autobuy: _mayHaveEnded, mots, exclure, regles, ...rest } = bodyOf(draft);
  const jours = regles.jours.toSorted((one, other) => one - other);
  return { ...rest, mots: foldedWords(mots), exclure: foldedWords(exclure), regles: { ...regles, jours } };
}

function foldedWords(words: readonly string[]): readonly string[] {
  const folded = words.map((word) => [...new Set(alternativesOf(word).map(foldText))].join(" | "));
  return [...new Set(folded)];
}

/** Adds the names of the chosen ids, as the specification's filter has them (§3). */
export async function withNames(body: ReturnType<typeof bodyOf>) {
  // The long list of brands is loaded only once a filter is saved.
  const { brandById } = await import("#catalogue/brand-titles.ts");
  const named = (
    { ids }: { readonly ids: number[] },
    nameOf: (id: number) => string | undefined,
  ): { ids: number[]; names: string[] } => ({ ids, names: ids.map((id) => nameOf(id) ?? String(id)) });
  return {
    ...body,
    types: named(body.types, (id) => categoryById(id)?.label),
    brands: named(body.brands, (id) => brandById(id)?.title),
    sizes: named(body.sizes, (id) => sizeById(id)?.title),
    status: named(body.status, (id) => conditionById(id)?.label),
  };
}

/** A price limit in whole EUR, at most `MAX_LIMIT_EUR`; 0 for a text without a number (specification §5). */
export function limitOf(text: string): number {
  return Math.min(wholeEurosIn(text) ?? 0, MAX_LIMIT_EUR);
}

/** The distinct words between commas; `|` separates a word's alternatives: "tech fleece | techfleece". */
export function wordsOf(text: string): string[] {
  const words = text.split(",").map((member) => alternativesOf(member).join(" | "));
  return [...new Set(words.filter((word) => word !== ""))];
}

/** The distinct alternatives of one word; quotes around a phrase are dropped. */
export function alternativesOf(member: string): readonly string[] {
  const alternatives = member.split("|").map((word) => withoutQuotes(word).replaceAll(/\s+/gu, " "));
  return [...new Set(alternatives.filter((word) => word !== ""))];
}

/** Null for an empty text, NaN for an invalid one. */
function ratingIn(text: string): number | null {
  const written = text.trim().replace(",", ".");
  if (written === "") return null;
  return /^\d+(?:\.\d+)?$/u.test(written) ? Number(written) : NaN;
}

/** Validation messages in French, by field; empty for a valid draft. */
export function problemsOf(draft: FiltreDraft): Partial<Record<DraftField, string>> {
  const words = wordsProblem(draft.wordsText);
  const excluded = wordsProblem(draft.excludedText);
  const maxPurchases = maxPurchasesProblem(draft.maxPurchasesText);
  const countries = countriesProblemOf(draft.sellerCountries);
  const isFloorUnreadable = draft.floorText.trim() !== "" && wholeEurosIn(draft.floorText) === null;
  const isFloorAboveCap = limitOf(draft.floorText) > limitOf(draft.limitText);
  return {
    ...rulesProblemsOf(draft),
    ...(draft.tag.trim().length > MAX_TAG_LENGTH
      ? { tag: `Le tag a ${MAX_TAG_LENGTH} caractères au plus.` }
      : {}),
    ...(draft.info.length > MAX_INFO_LENGTH
      ? { info: `L'info a ${MAX_INFO_LENGTH} caractères au plus.` }
      : {}),
    ...(isFloorAboveCap ? { floorText: "Le prix minimum dépasse la limite de prix." } : {}),
    ...(isFloorUnreadable ? { floorText: "Un montant en EUR, ou rien." } : {}),
    ...(words === undefined ? {} : { wordsText: words }),
    ...(excluded === undefined ? {} : { excludedText: excluded }),
    ...(maxPurchases === undefined ? {} : { maxPurchasesText: maxPurchases }),
    ...(isOutside(ratingIn(draft.sellerRatingText), MIN_SELLER_RATING, MAX_SELLER_RATING)
      ? { sellerRatingText: `Une note de ${MIN_SELLER_RATING} à ${MAX_SELLER_RATING}, ou rien.` }
      : {}),
    ...(countries === undefined ? {} : { sellerCountries: countries }),
    ...(isNoCount(draft.sellerReviewsText, MAX_SELLER_REVIEWS)
      ? { sellerReviewsText: `Un nombre de 1 à ${MAX_SELLER_REVIEWS}, ou rien.` }
      : {}),
    // Without alerts the field is disabled and could not be corrected.
    ...(draft.alerte === "rien" || alertCountIn(draft.alertsText) !== null
      ? {}
      : { alertsText: `Un nombre entier de 1 à ${MAX_FILTER_ALERTS}.` }),
  };
}

/** Null for a text that is no valid number of alerts. */
function alertCountIn(text: string): number | null {
  const count = /^\d{1,2}$/u.test(text.trim()) ? Number(text.trim()) : 0;
  return count >= 1 && count <= MAX_FILTER_ALERTS ? count : null;
}

/** Undefined if the words are within their bounds. */
export function wordsProblem(text: string): string | undefined {
  const words = wordsOf(text);
  if (words.length > MAX_WORDS) return `${MAX_WORDS} mots au plus.`;
  const groups = words.map(alternativesOf);
  if (groups.some(({ length }) => length > MAX_ALTERNATIVES))
    return `${MAX_ALTERNATIVES} façons de dire un mot au plus, entre « | ».`;
  const all = groups.flat();
  if (all.length > MAX_ALL_WORDS)
    return `${MAX_ALL_WORDS} mots au plus, en comptant chaque façon de le dire.`;
  const tooLong = all.find((word) => word.length > MAX_WORD_LENGTH);
  return tooLong === undefined
    ? undefined
    : `${formatQuoted(tooLong)} dépasse ${MAX_WORD_LENGTH} caractères.`;
}

/** Undefined if the countries are within their bound. */
export function countriesProblemOf({ length }: FiltreDraft["sellerCountries"]): string | undefined {
  return length > MAX_SELLER_COUNTRIES ? `${MAX_SELLER_COUNTRIES} pays au plus.` : undefined;
}

function maxPurchasesProblem(text: string): string | undefined {
  return isNoCount(text, MAX_PURCHASES_STOP) ? `Un nombre de 1 à ${MAX_PURCHASES_STOP}, ou rien.` : undefined;
}

function isNoCount(text: string, most: number): boolean {
  const count = countIn(text);
  return isOutside(count, 1, most) || (count !== null && !Number.isInteger(count));
}

function isOutside(value: number | null, least: number, most: number): boolean {
  return value !== null && !(value >= least && value <= most);
}

/** The props of every part of the form. */
export interface FieldsProps {
  readonly draft: FiltreDraft;
  /** Empty until the first attempt to save. */
  readonly problems: ReturnType<typeof problemsOf>;
  readonly onChange: (changes: Partial<FiltreDraft>) => void;
}

export type PickerName = "types" | "brands" | "sizes" | "conditions" | "colour" | "countries";

export interface PickersProps extends FieldsProps {
  /** Only one dropdown is open at a time (specification §2). */
  readonly openPicker: PickerName | null;
  readonly onOpenPicker: (name: PickerName | null) => void;
}

export function openingOf({ openPicker, onOpenPicker }: PickersProps, name: PickerName) {
  const isOpen = openPicker === name;
  return { isOpen, onToggle: () => onOpenPicker(isOpen ? null : name) };
}
