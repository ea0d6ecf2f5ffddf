import type { AlertChannelName } from "#catalogue/alert-channels.ts";
import type { FilterId, ListingId, SessionId, UserId } from "./ids.ts";

/**
 * article: a listing. group: how many more within an hour. purchase: an outcome. bank: 3-D Secure is waiting.
 * account: sign-ins, channels, the marketplace account, autobuy. digest: after quiet hours or a pause.
 */
export type AlertType = "article" | "group" | "purchase" | "bank" | "account" | "digest" | "test";

/** How a filter announces what it finds. */
export type AlertMode = "none" | "silent" | "loud";

/**
 * waiting: not sent yet. refused: the service rejects such a message. abandoned: not accepted in time.
 * useless: obsolete, or its destination is lost. uncertain: three attempts with an unknown outcome.
 */
export type AlertResult = "waiting" | "sent" | "refused" | "abandoned" | "useless" | "uncertain";

/** The content of an alert; each channel formats it. */
export interface AlertMessage {
  readonly title: string;
  readonly body: string;
  /** The page that it opens: "/synapse/achats". Ignored for an article, which opens its own link. */
  readonly path: string;
  /** The listing of an article, to which the link is bound. */
  readonly article?: AlertArticle;
  /** Set for a purchase, for channels that show more than text. */
  readonly details?: AlertDetails;
}

interface AlertArticle {
  readonly listingId: ListingId;
  readonly totalPriceCents: number;
  /** Path on the marketplace; begins with "/". */
  readonly path: string;
  readonly photoUrl: string | null;
  readonly seller: { readonly id: number; readonly login: string };
  /** The filters that announce it: obsolete once none of them does. Absent in alerts of earlier versions. */
  readonly filterIds?: readonly FilterId[];
}

interface AlertDetails {
  /** 24-bit RGB. */
  readonly colour: number;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly photoUrl: string | null;
}

/** The planner's state of a person between two alerts. */
export interface AlertCounters {
  readonly hour: AlertHour | null;
  readonly away: AlertAway | null;
  /** Absent before the first digest. */
  readonly lastDigest?: LastDigest;
  /** The end of the last hour that exceeded the limits; absent before the first. */
  readonly lastGroupEndMs?: number;
  /** The latest match that was counted; absent before the first. */
  readonly countedUntilMs?: number;
}

/** What may belong to it can arrive later, or again after a restart. */
export interface LastDigest {
  /** The moment at which its absence was found to be over. */
  readonly endedAtMs: number;
  /** Audit entries of the purchases in it. */
  readonly entries: readonly number[];
}

/** The hour over which the limits count; starts with an alert about a listing. */
export interface AlertHour {
  readonly beganAtMs: number;
  readonly sentCount: number;
  readonly sentBy: Readonly<Record<FilterId, number>>;
  /** Articles beyond the limits, by the filter that they count against. */
  readonly countedBy: Readonly<Record<FilterId, number>>;
}

/** Quiet hours, or a pause: what was counted for the digest. */
export interface AlertAway {
  readonly kind: "quiet" | "pause";
  /** Identifies the quiet hours or the pause, so that each ends in one digest. */
  readonly key: string;
  /** The start of the quiet hours. Absent for a pause. */
  readonly startMs?: number;
  readonly articles: number;
  readonly confirmed: number;
  readonly confirmedCents: number;
  readonly cancelled: number;
  readonly undecided: number;
  /** Audit entries of the counted purchases: one that is read again is not counted twice. */
  readonly entries: readonly number[];
}

/** Which alerts a destination receives. Alerts about a pending bank confirmation cannot be switched off. */
export interface DestinationEvents {
  readonly articles: boolean;
  readonly purchases: boolean;
  readonly account: boolean;
  readonly summary: boolean;
}

/** One device, chat, webhook or mailbox of a person. */
export interface Destination {
  readonly id: string;
  readonly userId: UserId;
  readonly channel: AlertChannelName;
  readonly name: string;
  readonly events: DestinationEvents;
  /** lost: the service reported that the destination is gone. */
  readonly state: "active" | "lost";
  readonly sessionId: SessionId | null;
  /** The service asked for no alert before this moment. */
  readonly notBeforeMs: number;
}

/** An alert in the person's journal. */
export interface JournaledAlert {
  readonly id: number;
  readonly destinationId: string;
  readonly channel: AlertChannelName;
  readonly name: string;
  readonly type: AlertType;
  readonly title: string;
  readonly body: string;
  readonly isLoud: boolean;
  readonly result: AlertResult;
  readonly reason: string | null;
  readonly attempts: number;
  readonly plannedAtMs: number;
  /** When it is or was due. */
  readonly dueAtMs: number;
  readonly sentAtMs: number | null;
}

/** A person's alert settings. */
export interface AlertSettings {
  /** Maximum articles per hour, over all filters. */
  readonly maxPerHour: number;
  /** Minutes of the day in Europe/Paris. */
  readonly quiet: { readonly isOn: boolean; readonly from: number; readonly to: number };
  readonly buysFromTelegram: boolean;
  /** Until then articles are only counted; 0: no pause. */
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

/** The defaults of a filter; copies get them too. */
export const DEFAULT_ALERT_TERMS = { alertMode: "loud", alertMaxPerHour: 6 } as const satisfies {
  readonly alertMode: AlertMode;
  readonly alertMaxPerHour: number;
};
