import type { Secret } from "./secret.ts";
import type { CountryName } from "#catalogue/countries.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";

export interface Address {
  readonly street: string;
  readonly city: string;
  /** 0 if not given. */
  readonly postalCode: number;
  readonly country: CountryName;
}

/** absent: no token saved; reconnect: the marketplace rejected it, the person must give a new one. */
export type AccountState = "absent" | "connected" | "reconnect";

/** A person's settings, without secrets. */
export interface MarketplaceSettings {
  readonly paymentMethodId: PaymentMethodId;
  readonly address: Address;
  /** As the person wrote them, in order of preference. */
  readonly pickupPointNames: readonly string[];
  readonly account: { readonly state: AccountState; readonly tokenTail: string };
  readonly limits: MoneyLimits;
  /** Null: never given, or withdrawn. */
  readonly mandate: Mandate | null;
}

/** What to change of a person's settings; absent members keep their value. */
export interface SettingsChange {
  readonly paymentMethodId?: PaymentMethodId;
  readonly address?: Address;
  readonly pickupPointNames?: readonly string[];
  readonly limits?: Partial<MoneyLimits>;
  /** A new refresh token, null to disconnect; absent: unchanged. */
  readonly refreshToken?: Secret | null;
  /** The mandate's version; null withdraws it, which switches off autobuy of all filters. */
  readonly mandateVersion?: number | null;
}

/** The person's consent to automatic purchases: the 'mandat d'achat automatique'. */
export interface Mandate {
  /** Version of the text that the person read. */
  readonly version: number;
  readonly givenAtMs: number;
}

/** The current version of the mandate's text; consent to an older one is not valid. */
export const MANDATE_VERSION = 1;

/** Limits of spending without a confirmation; 0 allows nothing. */
export interface MoneyLimits {
  readonly dayEur: number;
  readonly monthEur: number;
  readonly purchasesPerDay: number;
  /** 'Tout arrêter': no automatic purchase while it is on. */
  readonly isStopped: boolean;
  /** Asks the person instead of buying a listing that is too cheap to be true. */
  readonly isPrudent: boolean;
}

export const DEFAULT_LIMITS: MoneyLimits = {
  dayEur: 300,
  monthEur: 2000,
  purchasesPerDay: 20,
  isStopped: false,
  isPrudent: true,
};

export const EMPTY_ADDRESS: Address = { street: "", city: "", postalCode: 0, country: "France" };

/** What is missing for a purchase; empty if nothing is. */
export function missingForPurchase(settings: MarketplaceSettings): readonly ("account" | "address")[] {
  return [
    ...(settings.account.state === "connected" ? [] : ["account" as const]),
    ...(isComplete(settings.address) ? [] : ["address" as const]),
  ];
}

/** Whether something can be delivered there. An address may be saved with empty fields. */
export function isComplete({ street, city, postalCode }: Address): boolean {
  return street !== "" && city !== "" && postalCode > 0;
}
