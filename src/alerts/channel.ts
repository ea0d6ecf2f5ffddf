import type { AlertMessage, AlertType } from "#domain/alert.ts";
import type { Secret } from "#domain/secret.ts";

/**
 * Sends alerts through one service. It depends on neither people nor the store: it receives an address and an
 * alert, and returns the outcome.
 */
export interface Channel extends AsyncDisposable {
  /** Never throws. Settles within 10 s, a mail that waits for a connection within 20 s. */
  send(address: Secret, alert: OutgoingAlert): Promise<Outcome>;
  /** Minimum time between two alerts to the same destination. */
  readonly minIntervalMs?: number;
  /** Maximum alerts per second, over all destinations. */
  readonly maxPerSecond?: number;
  /** Whether the service accepts the product's credentials; absent: it needs none. */
  check?(): Promise<boolean>;
}

export interface OutgoingAlert {
  readonly type: AlertType;
  readonly message: AlertMessage;
  readonly isLoud: boolean;
  /** The subject's hash: where a service can, a second message with it replaces the first. */
  readonly mark: string;
  /** The absolute URL that a click opens. */
  readonly url: string;
  /** Set for an article. */
  readonly listing: OutgoingListing | null;
  /** How long it is useful, in seconds. */
  readonly ttlS: number;
  /** The confirmed sign-in address, for mail. */
  readonly email: string;
}

export interface OutgoingListing {
  /** "Acheter 32,10 €". */
  readonly buyLabel: string;
  /** Its page at the marketplace. */
  readonly marketUrl: string;
  /** The link's secret, which authorises actions. */
  readonly token: string;
  /** The person allows buying from a chat, after a confirmation. */
  readonly mayBuyByReply: boolean;
}

export type Outcome =
  | { readonly kind: "sent" }
  /** Not accepted: to be retried, not before `waitMs` if the service gave it. */
  | { readonly kind: "wait"; readonly waitMs: number | null }
  /** The message is permanently refused. */
  | { readonly kind: "refused" }
  /** The address no longer exists. */
  | { readonly kind: "gone" }
  /** The outcome is unknown: it may have arrived. */
  | { readonly kind: "unknown" };
