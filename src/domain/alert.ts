import type { AlertChannelName } from "#catalogue/alert-channels.ts";
import type { FilterId, ListingId } from "./ids.ts";

/**
 * article: a listing. group: how many more there were in an hour. purchase: a purchase's outcome. bank: 3-D Secure waits.
 * account: sign-ins, channels, the marketplace account, automatic buying. digest: after quiet hours or a pause.
 */
export type AlertType = "article" | "group" | "purchase" | "bank" | "account" | "digest" | "test";

/** How a filter announces what it finds. */
export type AlertMode = "none" | "silent" | "loud";

/**
 * waiting: not sent yet. refused: the service takes no such message. abandoned: not taken in time. useless: overtaken by
 * events, or its destination is gone. uncertain: three attempts whose outcome is unknown.
 */
export type AlertResult = "waiting" | "sent" | "refused" | "abandoned" | "useless" | "uncertain";

/** What an alert says; how it looks is each channel's matter. */
export interface AlertMessage {
  readonly title: string;
  readonly body: string;
  /** The panel's page that it opens: "/synapse/achats". Ignored for an article, which opens its own link. */
  readonly path: string;
  /** The listing of an article: what the link is bound to. */
  readonly article?: AlertArticle;
  /** Of a purchase, for channels that show more than text. */
  readonly details?: AlertDetails;
}

export interface AlertArticle {
  readonly listingId: ListingId;
  readonly totalPriceCents: number;
  /** Begins with "/", on the marketplace. */
  readonly path: string;
  readonly photoUrl: string | null;
  readonly seller: { readonly id: number; readonly login: string };
  /** Those that announce it: it is of no use once none of them does. Absent in alerts of earlier versions. */
  readonly filterIds?: readonly FilterId[];
}

export interface AlertDetails {
  /** 24-bit RGB. */
  readonly colour: number;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly photoUrl: string | null;
}

/** What the planner remembers of a person between two alerts. */
export interface AlertCounters {
  readonly hour: AlertHour | null;
  readonly away: AlertAway | null;
}

/** A person's hour starts with an alert about a listing. */
export interface AlertHour {
  readonly beganAtMs: number;
  readonly sentCount: number;
  readonly sentBy: Readonly<Record<FilterId, number>>;
  /** Beyond the limits, by the filter that they count against. */
  readonly countedBy: Readonly<Record<FilterId, number>>;
}

/** Quiet hours, or a pause: what was counted for the digest. */
export interface AlertAway {
  readonly kind: "quiet" | "pause";
  /** Names the quiet hours, so that each ends in one digest. */
  readonly key: string;
  readonly articles: number;
  readonly confirmed: number;
  readonly confirmedCents: number;
  readonly cancelled: number;
  readonly undecided: number;
  /** The audit entries of its purchases: one that is read again is not counted again. */
  readonly entries: readonly number[];
}

/** An alert as its person reads of it afterwards. */
export interface JournaledAlert {
  readonly id: number;
  readonly destinationId: string;
  readonly channel: AlertChannelName;
  readonly name: string;
  readonly type: AlertType;
  readonly title: string;
  readonly isLoud: boolean;
  readonly result: AlertResult;
  readonly reason: string | null;
  readonly attempts: number;
  readonly plannedAtMs: number;
  /** When it is or would be tried again. */
  readonly dueAtMs: number;
  readonly sentAtMs: number | null;
}

/** How a person wants their alerts. */
export interface AlertSettings {
  /** Articles, over all filters. */
  readonly maxPerHour: number;
  /** Minutes of the day in Europe/Paris. */
  readonly quiet: { readonly isOn: boolean; readonly from: number; readonly to: number };
  readonly buysFromTelegram: boolean;
  /** Articles are counted until then; 0: no pause. */
  readonly pausedUntilMs: number;
}

/** Absent members keep their value. */
export type AlertSettingsChange = Partial<Omit<AlertSettings, "quiet">> & {
  readonly quiet?: Partial<AlertSettings["quiet"]>;
};

export const DEFAULT_ALERT_SETTINGS: AlertSettings = {
  maxPerHour: 20,
  quiet: { isOn: false, from: 23 * 60, to: 7 * 60 },
  buysFromTelegram: false,
  pausedUntilMs: 0,
};

export const NO_COUNTERS: AlertCounters = { hour: null, away: null };

/** The defaults of a filter, which copies take too. */
export const DEFAULT_ALERT_TERMS = { alertMode: "loud", alertMaxPerHour: 6 } as const satisfies {
  readonly alertMode: AlertMode;
  readonly alertMaxPerHour: number;
};
