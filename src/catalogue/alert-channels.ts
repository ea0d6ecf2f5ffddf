/**
 * The channels of alerts. A new one needs a name and a line here, a line in alerts/channels.ts and its
 * folder.
 */

export interface AlertChannel {
  /** Shown to people. */
  readonly label: string;
  /** What a new destination receives. */
  readonly events: {
    readonly articles: boolean;
    readonly purchases: boolean;
    readonly account: boolean;
    readonly summary: boolean;
  };
  /** Whether it may carry listings, which would flood a mailbox. */
  readonly mayHaveArticles: boolean;
  /** Each person has at most one; its address may be shared with other people. */
  readonly isOnePerPerson: boolean;
}

const ALL = { articles: true, purchases: true, account: true, summary: true };
const PURCHASES = { articles: false, purchases: true, account: true, summary: false };
const ACCOUNT = { articles: false, purchases: false, account: true, summary: false };

export const ALERT_CHANNEL_NAMES = ["push", "telegram", "discord", "courriel"] as const;
export type AlertChannelName = (typeof ALERT_CHANNEL_NAMES)[number];

export const ALERT_CHANNELS = {
  push: { label: "Appareil", events: ALL, mayHaveArticles: true, isOnePerPerson: false },
  telegram: { label: "Telegram", events: ALL, mayHaveArticles: true, isOnePerPerson: false },
  discord: { label: "Discord", events: PURCHASES, mayHaveArticles: true, isOnePerPerson: true },
  courriel: { label: "E-mail", events: ACCOUNT, mayHaveArticles: false, isOnePerPerson: true },
} as const satisfies Readonly<Record<AlertChannelName, AlertChannel>>;

export function isAlertChannel(name: string): name is AlertChannelName {
  return Object.hasOwn(ALERT_CHANNELS, name);
}
