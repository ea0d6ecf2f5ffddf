import type { AlertMessage, AlertType } from "#domain/alert.ts";
import type { Secret } from "#domain/secret.ts";

/**
 * A way by which alerts leave the product. It knows neither people nor the store: it is given an address and an alert, and
 * says what became of it.
 */
export interface Channel extends AsyncDisposable {
  /** Never throws. Settles within 10 s. */
  send(address: Secret, alert: OutgoingAlert): Promise<Outcome>;
  /** Nothing goes to the same destination sooner after an alert. */
  readonly minIntervalMs?: number;
  /** Alerts a second, over all destinations. */
  readonly maxPerSecond?: number;
  /** Whether the service takes the product's own name and password; absent: it needs none. */
  check?(): Promise<boolean>;
}

export interface OutgoingAlert {
  readonly type: AlertType;
  readonly message: AlertMessage;
  readonly isLoud: boolean;
  /** The subject's hash: a second message with it replaces the first, where a service can. */
  readonly mark: string;
  /** What a click on it opens: absolute. */
  readonly url: string;
  /** Of an article. */
  readonly listing: OutgoingListing | null;
  /** Seconds for which it is of use. */
  readonly ttlS: number;
  /** The confirmed sign-in address, for the channel of mail. */
  readonly email: string;
}

export interface OutgoingListing {
  /** "Acheter 32,10 €". */
  readonly buyLabel: string;
  /** Its page at the marketplace. */
  readonly marketUrl: string;
  /** By which an action on the link is allowed: the link's own secret. */
  readonly token: string;
  /** The person lets a chat buy, which asks once. */
  readonly mayBuyByReply: boolean;
}

export type Outcome =
  | { readonly kind: "sent" }
  /** Not taken: again later, not before `waitMs` where the service said so. */
  | { readonly kind: "wait"; readonly waitMs: number | null }
  /** This message is refused, for good. */
  | { readonly kind: "refused" }
  /** The address exists no more. */
  | { readonly kind: "gone" }
  /** The outcome is unknown: it may have arrived. */
  | { readonly kind: "unknown" };
