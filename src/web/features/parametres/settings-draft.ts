/** The state of the settings form, its validation and the request made from it. Pure. */
import { formatPostalCode, type CountryName } from "#catalogue/countries.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import { MAX_POSTAL_CODE, MIN_TOKEN_LENGTH, TOKEN_MASK } from "#contract/bounds.ts";
import type { ParametresInput } from "#contract/parametres-input.ts";
import type { ReadSettings } from "../../api/panel-answers.ts";
import { changedParts } from "../../ui/changed-parts.ts";
import { wholeEurosIn } from "../../ui/format-panel.ts";

const MAX_GUARD = 100_000;

interface TextFields {
  readonly rue: string;
  readonly ville: string;
  readonly postalText: string;
  readonly dayText: string;
  readonly monthText: string;
  readonly dayCountText: string;
}

export interface SettingsDraft extends TextFields {
  readonly pays: CountryName;
  readonly relais: readonly string[];
  /** The relay point that is being typed; null while its field is closed. */
  readonly newRelay: string | null;
  readonly paiement: PaymentMethodId;
  /** Null until a new one is typed. */
  readonly token: string | null;
  /** Ask before buying a listing that is suspiciously cheap. */
  readonly isPrudent: boolean;
}

type SettingsField = keyof SettingsDraft;

interface RelayEdit {
  readonly name: string;
  readonly isAdded: boolean;
}

/** What was changed in the form; everything else follows what is saved, which other tabs and devices change too. */
export interface TypedSettings extends Partial<Omit<SettingsDraft, "relais">> {
  /** In their order, since the order of relay points is that of preference. */
  readonly relayEdits: readonly RelayEdit[];
}

export const NOTHING_TYPED: TypedSettings = { relayEdits: [] };

const FIELDS_BY_WIRE_NAME: Readonly<Record<string, SettingsField>> = {
  token: "token",
  "adresse.rue": "rue",
  "adresse.ville": "ville",
  "adresse.code_postal": "postalText",
  "limites.jour": "dayText",
  "limites.mois": "monthText",
  "limites.achats_jour": "dayCountText",
};

/** The form field of a request field; undefined if no field can show its error. */
export function settingsFieldOfWire(name: string | undefined): SettingsField | undefined {
  return name === undefined ? undefined : FIELDS_BY_WIRE_NAME[name];
}

export function settingsDraftOf(
  { adresse, relais, paiement, limites }: ReadSettings,
  { relayEdits, ...typed }: TypedSettings = NOTHING_TYPED,
): SettingsDraft {
  return {
    rue: adresse.rue,
    ville: adresse.ville,
    postalText: formatPostalCode(adresse.code_postal, adresse.pays),
    pays: adresse.pays,
    relais: relayEdits.reduce(withRelayEdit, relais),
    newRelay: null,
    paiement: paiement === 11 ? 11 : 1,
    token: null,
    // Limits that could not be read are neither shown nor sent.
    dayText: String(limites?.jour ?? 0),
    monthText: String(limites?.mois ?? 0),
    dayCountText: String(limites?.achats_jour ?? 0),
    isPrudent: limites?.prudence ?? true,
    ...typed,
  };
}

function withRelayEdit(relays: readonly string[], { name, isAdded }: RelayEdit): readonly string[] {
  if (!isAdded) return relays.filter((each) => each !== name);
  return relays.includes(name) ? relays : [...relays, name];
}

/** @param shown the draft in which the changes were made; what they leave as it is was not typed */
export function withTyped(
  typed: TypedSettings,
  changes: Partial<SettingsDraft>,
  shown: SettingsDraft,
): TypedSettings {
  const { relais = shown.relais, ...fields } = changedParts(changes, shown);
  const removed = shown.relais.filter((name) => !relais.includes(name));
  const added = relais.filter((name) => !shown.relais.includes(name));
  return {
    ...typed,
    ...fields,
    relayEdits: [
      ...typed.relayEdits,
      ...removed.map((name) => ({ name, isAdded: false })),
      ...added.map((name) => ({ name, isAdded: true })),
    ],
  };
}

const TEXT_FIELDS = ["rue", "ville", "postalText", "dayText", "monthText", "dayCountText"] as const;

/** The text field of that name as it is shown; empty for another. */
export function textFieldOf(draft: SettingsDraft, name: string): Partial<TextFields> {
  const field = TEXT_FIELDS.find((each) => each === name);
  return field === undefined ? {} : { [field]: draft[field] };
}

/**
 * What was typed, as a change of the latest settings. Limits that could not be read again are taken from `saved`,
 * which the form shows.
 */
export function typedChangeOf(typed: TypedSettings, saved: ReadSettings, latest = saved): ParametresInput {
  const current = { ...latest, limites: latest.limites ?? saved.limites };
  return settingsChangeOf(settingsDraftOf(current, typed), settingsDraftOf(current));
}

/** @param saved the draft without what was typed */
export function settingsChangeOf(draft: SettingsDraft, saved: SettingsDraft): ParametresInput {
  const limites = changedParts(limitesOf(draft), limitesOf(saved));
  const token = newTokenOf(draft);
  return {
    ...(token === "" ? {} : { token }),
    ...changedParts(accountOf(draft), accountOf(saved)),
    ...(Object.keys(limites).length === 0 ? {} : { limites }),
  };
}

/** Whether something would be lost if the form were closed, also a relay point that was not added yet. */
export function hasUnsaved(draft: SettingsDraft, saved: SettingsDraft): boolean {
  return isRelayLeft(draft) || Object.keys(settingsChangeOf(draft, saved)).length > 0;
}

function isRelayLeft({ newRelay }: SettingsDraft): boolean {
  return (newRelay ?? "").trim() !== "";
}

function accountOf(draft: SettingsDraft) {
  return {
    paiement: draft.paiement,
    adresse: {
      rue: draft.rue.trim(),
      ville: draft.ville.trim(),
      code_postal: Number(draft.postalText),
      pays: draft.pays,
    },
    relais: [...draft.relais],
  };
}

function limitesOf(draft: SettingsDraft) {
  return {
    jour: wholeEurosIn(draft.dayText) ?? 0,
    mois: wholeEurosIn(draft.monthText) ?? 0,
    achats_jour: wholeEurosIn(draft.dayCountText) ?? 0,
    prudence: draft.isPrudent,
  };
}

/** The new token; empty to keep the saved one. */
function newTokenOf({ token }: SettingsDraft): string {
  return token?.trim() ?? "";
}

/**
 * The token that was typed; null for one that the field showed by itself, the mask or a saved token that was
 * revealed: the product may have exchanged that since, and sent back it would disconnect the account.
 */
export function typedTokenOf(text: string, shown: readonly string[]): string | null {
  return shown.includes(text.trim()) ? null : text;
}

export function digitsOf(text: string): string {
  return text.replaceAll(/\D+/gu, "");
}

/** A typed guard, once its field is left: the whole number that will be saved. Other text stays as it is. */
export function guardTextOf(text: string): string {
  return String(wholeEurosIn(text) ?? text);
}

/** Validation messages in French, by field; empty for a valid draft. */
export function settingsProblemsOf(draft: SettingsDraft): Partial<Record<SettingsField, string>> {
  const token = tokenProblem(newTokenOf(draft));
  const postal = Number(draft.postalText) > MAX_POSTAL_CODE ? "Cinq chiffres au plus." : undefined;
  const day = guardProblem(draft.dayText);
  const month = guardProblem(draft.monthText);
  const dayCount = guardProblem(draft.dayCountText);
  return {
    ...(token === undefined ? {} : { token }),
    ...(postal === undefined ? {} : { postalText: postal }),
    ...(isRelayLeft(draft) ? { newRelay: "Appuyez sur Ajouter, ou annulez ce point relais." } : {}),
    ...(day === undefined ? {} : { dayText: day }),
    ...(month === undefined ? {} : { monthText: month }),
    ...(dayCount === undefined ? {} : { dayCountText: dayCount }),
  };
}

function tokenProblem(token: string): string | undefined {
  if (token === "") return undefined;
  if (token.startsWith(TOKEN_MASK.slice(0, 1))) return "Effacez les points avant d'écrire un nouveau token.";
  if (token.length < MIN_TOKEN_LENGTH) return `Un token a au moins ${MIN_TOKEN_LENGTH} caractères.`;
  return undefined;
}

function guardProblem(text: string): string | undefined {
  const value = wholeEurosIn(text);
  return value !== null && value <= MAX_GUARD ? undefined : "Un nombre entier de 0 à 100\u202F000.";
}

/** The props of every part of the form. */
export interface SettingsPartProps {
  readonly draft: SettingsDraft;
  /** Empty until the first attempt to save. */
  readonly problems: ReturnType<typeof settingsProblemsOf>;
  readonly onChange: (changes: Partial<SettingsDraft>) => void;
}
