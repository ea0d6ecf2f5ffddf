/** The state of the settings form, its validation and the request made from it. Pure. */
import { formatPostalCode, type CountryName } from "#catalogue/countries.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import { MAX_POSTAL_CODE, MIN_TOKEN_LENGTH, TOKEN_MASK } from "#contract/bounds.ts";
import type { ParametresInput } from "#contract/parametres-input.ts";
import type { ReadSettings } from "../../api/panel-answers.ts";
import { changedParts } from "../../ui/changed-parts.ts";
import { wholeEurosIn } from "../../ui/format-panel.ts";

const MAX_GUARD = 100_000;

export interface SettingsDraft {
  readonly rue: string;
  readonly ville: string;
  readonly postalText: string;
  readonly pays: CountryName;
  readonly relais: readonly string[];
  /** The relay point that is being typed; null while its field is closed. */
  readonly newRelay: string | null;
  readonly paiement: PaymentMethodId;
  /** The mask until a new token is typed. */
  readonly token: string;
  readonly dayText: string;
  readonly monthText: string;
  readonly dayCountText: string;
  /** Ask before buying a listing that is suspiciously cheap. */
  readonly isPrudent: boolean;
}

type SettingsField = keyof SettingsDraft;

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

export function settingsDraftOf({ adresse, relais, paiement, token, limites }: ReadSettings): SettingsDraft {
  return {
    rue: adresse.rue,
    ville: adresse.ville,
    postalText: formatPostalCode(adresse.code_postal, adresse.pays),
    pays: adresse.pays,
    relais,
    newRelay: null,
    paiement: paiement === 11 ? 11 : 1,
    token,
    // Limits that could not be read are neither shown nor sent.
    dayText: String(limites?.jour ?? 0),
    monthText: String(limites?.mois ?? 0),
    dayCountText: String(limites?.achats_jour ?? 0),
    isPrudent: limites?.prudence ?? true,
  };
}

/**
 * What the draft changes, as `editSettings` sends it beside the rest as it is saved by then: saving an address
 * does not overwrite what was changed elsewhere meanwhile.
 * @param opened the draft before anything was changed
 */
export function settingsChangeOf(draft: SettingsDraft, opened: SettingsDraft): ParametresInput {
  const limites = changedParts(limitesOf(draft), limitesOf(opened));
  return {
    ...(isTokenWritten(draft, opened) ? { token: draft.token.trim() } : {}),
    ...changedParts(accountOf(draft), accountOf(opened)),
    ...(Object.keys(limites).length === 0 ? {} : { limites }),
  };
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

function isTokenWritten(draft: SettingsDraft, opened: SettingsDraft): boolean {
  const token = draft.token.trim();
  return token !== "" && token !== opened.token;
}

export function digitsOf(text: string): string {
  return text.replaceAll(/\D+/gu, "");
}

/** A typed guard, once its field is left: the whole number that will be saved. Other text stays as it is. */
export function guardTextOf(text: string): string {
  return String(wholeEurosIn(text) ?? text);
}

/** Validation messages in French, by field; empty for a valid draft. */
export function settingsProblemsOf(
  draft: SettingsDraft,
  opened: SettingsDraft,
): Partial<Record<SettingsField, string>> {
  const token = isTokenWritten(draft, opened) ? tokenProblem(draft.token.trim()) : undefined;
  const postal = Number(draft.postalText) > MAX_POSTAL_CODE ? "Cinq chiffres au plus." : undefined;
  const isRelayLeft = (draft.newRelay ?? "").trim() !== "";
  const day = guardProblem(draft.dayText);
  const month = guardProblem(draft.monthText);
  const dayCount = guardProblem(draft.dayCountText);
  return {
    ...(token === undefined ? {} : { token }),
    ...(postal === undefined ? {} : { postalText: postal }),
    ...(isRelayLeft ? { newRelay: "Appuyez sur Ajouter, ou annulez ce point relais." } : {}),
    ...(day === undefined ? {} : { dayText: day }),
    ...(month === undefined ? {} : { monthText: month }),
    ...(dayCount === undefined ? {} : { dayCountText: dayCount }),
  };
}

function tokenProblem(token: string): string | undefined {
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
