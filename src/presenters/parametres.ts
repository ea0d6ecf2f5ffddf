import { MAX_TOKEN_LENGTH, MIN_TOKEN_LENGTH, TOKEN_MASK } from "#contract/bounds.ts";
import type { ParametresInput } from "#contract/parametres-input.ts";
import type { Parametres } from "#contract/parametres.ts";
import { Secret } from "#domain/secret.ts";
import {
  type AccountState,
  isComplete,
  MANDATE_VERSION,
  type MarketplaceSettings,
  type MoneyLimits,
  type SettingsChange,
} from "#domain/settings.ts";

const WIRE_STATES: Readonly<Record<AccountState, Parametres["etat"]>> = {
  absent: "absent",
  connected: "connecte",
  reconnect: "a_reconnecter",
};

/** A person's settings, with the saved token masked. @param isMandateRequired automatic purchases need one */
export function presentParametres(settings: MarketplaceSettings, isMandateRequired: boolean): Parametres {
  const { address, limits, mandate } = settings;
  return {
    token: maskOf(settings.account),
    paiement: settings.paymentMethodId,
    adresse: {
      rue: address.street,
      ville: address.city,
      code_postal: address.postalCode,
      pays: address.country,
    },
    relais: [...settings.pickupPointNames],
    etat: WIRE_STATES[settings.account.state],
    adresse_complete: isComplete(address),
    limites: {
      jour: limits.dayEur,
      mois: limits.monthEur,
      achats_jour: limits.purchasesPerDay,
      arret: limits.isStopped,
      prudence: limits.isPrudent,
    },
    mandat: { requis: isMandateRequired, version: MANDATE_VERSION, accepte: mandate?.version ?? null },
  };
}

/** Eight dots and the token's last four characters; "" while none is saved. */
export function maskOf(account: MarketplaceSettings["account"]): string {
  return account.state === "absent" ? "" : TOKEN_MASK + account.tokenTail;
}

export function readParametres(input: ParametresInput): Omit<SettingsChange, "refreshToken"> {
  const { paiement, adresse, relais, limites } = input;
  const mandat = chosenMandate(input);
  return {
    ...(paiement === undefined ? {} : { paymentMethodId: paiement }),
    ...(adresse === undefined
      ? {}
      : {
          address: {
            street: adresse.rue,
            city: adresse.ville,
            postalCode: adresse.code_postal,
            country: adresse.pays,
          },
        }),
    ...(relais === undefined ? {} : { pickupPointNames: [...new Set(relais)] }),
    ...(limites === undefined ? {} : { limits: readLimites(limites) }),
    ...(mandat === undefined ? {} : { mandateVersion: mandat }),
  };
}

/** The version that is agreed to; null: withdrawn; undefined: unchanged. */
export function chosenMandate({ mandat }: ParametresInput): number | null | undefined {
  return typeof mandat === "object" && mandat !== null ? undefined : mandat;
}

function readLimites(limites: NonNullable<ParametresInput["limites"]>): Partial<MoneyLimits> {
  const { jour, mois, achats_jour: achatsJour, arret, prudence } = limites;
  return {
    ...(jour === undefined ? {} : { dayEur: jour }),
    ...(mois === undefined ? {} : { monthEur: mois }),
    ...(achatsJour === undefined ? {} : { purchasesPerDay: achatsJour }),
    ...(arret === undefined ? {} : { isStopped: arret }),
    ...(prudence === undefined ? {} : { isPrudent: prudence }),
  };
}

export type ReadToken =
  | { readonly kind: "keep" }
  | { readonly kind: "disconnect" }
  | { readonly kind: "replace"; readonly token: Secret }
  /** It looks like a mask, but not of the saved token: saving it would lose the account. */
  | { readonly kind: "foreign_mask" }
  | { readonly kind: "wrong_length" };

/**
 * Interprets a sent token: the mask, "" or undefined keeps the saved one, null disconnects the account.
 * Spaces around a pasted token are trimmed.
 * @param savedMask `maskOf` the current account
 */
export function readToken(sent: string | null | undefined, savedMask: string): ReadToken {
  if (sent === null) return { kind: "disconnect" };
  const token = (sent ?? "").trim();
  if (token === "" || token === savedMask) return { kind: "keep" };
  if (token.startsWith("•")) return { kind: "foreign_mask" };
  if (token.length < MIN_TOKEN_LENGTH || token.length > MAX_TOKEN_LENGTH) return { kind: "wrong_length" };
  return { kind: "replace", token: new Secret(token) };
}
