import type { AlertChannelName } from "#catalogue/alert-channels.ts";
import type {
  AlertCounters,
  AlertMessage,
  AlertMode,
  AlertResult,
  AlertSettings,
  AlertSettingsChange,
  AlertType,
  JournaledAlert,
} from "#domain/alert.ts";
import type { FilterId, ListingId, SessionId, UserId } from "#domain/ids.ts";
import type { Secret } from "#domain/secret.ts";

/**
 * Alerts outside of the pages: where people receive them, what waits to be sent, and what was. Planning writes rows,
 * delivery claims them; both survive the end of a process.
 */
export interface AlertStore {
  readonly destinations: DestinationStore;
  readonly outbox: OutboxStore;
  readonly links: AlertLinkStore;
  readonly telegram: TelegramCodeStore;
  /** Defaults for a person who changed nothing. */
  settings(userId: UserId): Promise<AlertSettings>;
  changeSettings(userId: UserId, change: AlertSettingsChange): Promise<AlertSettings>;
  /** The keys that name this product to push services: made once, sealed, the same on every node. */
  vapidKeys(make: () => VapidKeys): Promise<VapidKeys>;
  /** Bytes from which the tokens of links are derived. */
  readonly linkKey: Uint8Array;
  /** Drops expired rows: journals after a week and beyond 500 a person, links and codes after their end. */
  prune(nowMs: number): Promise<void>;
}

export interface VapidKeys {
  /** base64url. */
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Which alerts a destination receives; those about a waiting bank cannot be switched off. */
export interface DestinationEvents {
  readonly articles: boolean;
  readonly purchases: boolean;
  readonly account: boolean;
  readonly summary: boolean;
}

export interface Destination {
  readonly id: string;
  readonly userId: UserId;
  readonly channel: AlertChannelName;
  readonly name: string;
  readonly events: DestinationEvents;
  /** lost: the service said that it is gone. */
  readonly state: "active" | "lost";
  readonly sessionId: SessionId | null;
}

export interface NewDestination extends Omit<Destination, "state"> {
  readonly address: Secret;
  /** The part of the address by which it is known again: a renewed one has other keys. */
  readonly identity: string;
  readonly nowMs: number;
}

export type Connected =
  /** `movedFrom`: the address belonged to another person. */
  | {
      readonly kind: "connected";
      readonly destination: Destination;
      readonly isNew: boolean;
      readonly movedFrom: UserId | null;
    }
  | { readonly kind: "full" }
  /** There is no such person. */
  | { readonly kind: "absent" };

export interface DestinationStore {
  /** The oldest first. */
  ofUser(userId: UserId): Promise<readonly Destination[]>;
  /** A known address is renewed and active again; one of another person's moves to this one. */
  connect(destination: NewDestination, limit: number): Promise<Connected>;
  /** The address of the person's destination on a channel of which each has one. */
  addressOf(userId: UserId, channel: AlertChannelName): Promise<Secret | null>;
  byIdentity(channel: AlertChannelName, identity: string): Promise<Destination | null>;
  /** What waits for it becomes useless. @returns the removed one */
  remove(userId: UserId, id: string): Promise<Destination | null>;
  /** All or none: false when one is unknown or another person's. Absent members keep their value. */
  setEvents(
    userId: UserId,
    changes: readonly { readonly id: string; readonly events: Partial<DestinationEvents> }[],
  ): Promise<boolean>;
}

/** What the planner knows of a person who receives listings, or for whom something is counted. */
export interface AlertReader {
  readonly userId: UserId;
  readonly settings: AlertSettings;
  readonly counters: AlertCounters;
  /** A destination receives listings. */
  readonly hasArticles: boolean;
  /** The active ones. */
  readonly filters: readonly AlertFilter[];
}

export interface AlertFilter {
  readonly id: FilterId;
  readonly tag: string;
  readonly mode: AlertMode;
  readonly maxPerHour: number;
  /** It buys what it finds: its purchases are announced instead. */
  readonly isBuying: boolean;
  readonly activatedAtMs: number;
}

/** An alert for every destination of the person that wants its kind. */
export interface PlannedAlert {
  readonly userId: UserId;
  readonly type: AlertType;
  /** Unique for a destination. */
  readonly subject: string;
  readonly message: AlertMessage;
  readonly isLoud: boolean;
  readonly plannedAtMs: number;
  readonly dueAtMs: number;
  readonly giveUpAtMs: number;
  /** Only this one, whatever it wants; absent: all that want it. */
  readonly destinationId?: string;
  /** Not this one. */
  readonly exceptDestinationId?: string;
  /** The link of an article. */
  readonly link?: Omit<AlertLink, "usedAtMs"> & { readonly tokenHash: string };
}

export type AlertMark = "matches" | "audit";

export interface OutboxStore {
  /** People whose listings the planner must decide about; `userIds` null: everybody. */
  readers(userIds: readonly UserId[] | null): Promise<readonly AlertReader[]>;
  /**
   * One statement: the alerts for all destinations that want them, the counters, the mark. An alert that a destination has
   * already is not repeated, and suspended people get none.
   */
  plan(plan: {
    readonly alerts: readonly PlannedAlert[];
    readonly counters: readonly { readonly userId: UserId; readonly counters: AlertCounters }[];
    readonly marks?: Partial<Record<AlertMark, number>>;
  }): Promise<void>;
  mark(mark: AlertMark): Promise<number>;
  /** The listings that were planned since then, by person: the newest `limit`. */
  plannedArticles(
    sinceMs: number,
    limit: number,
  ): Promise<readonly { readonly userId: UserId; readonly subject: string }[]>;
  /**
   * Takes due alerts, one per destination, banks first. Each is this caller's for `leaseMs` by the database's clock; an
   * attempt counts as unknown until it is settled.
   * @param room how many of each channel may be taken; a channel without an entry has none
   */
  claim(claim: {
    readonly room: Readonly<Partial<Record<AlertChannelName, number>>>;
    readonly limit: number;
    readonly leaseMs: number;
    readonly nowMs: number;
  }): Promise<readonly ClaimedAlert[]>;
  /** Writes outcomes and frees their destinations. */
  settle(outcomes: readonly SettledAlert[]): Promise<void>;
  /** At the start of the only process: ends the leases of earlier ones. */
  freeLeases(): Promise<void>;
  /** Newest first. */
  journal(userId: UserId, limit: number): Promise<readonly JournaledAlert[]>;
  entry(userId: UserId, destinationId: string, subject: string): Promise<JournaledAlert | null>;
  statistics(nowMs: number): Promise<readonly ChannelStatistics[]>;
}

export interface ClaimedAlert
  extends
    Pick<PlannedAlert, "userId" | "type" | "subject" | "message" | "isLoud" | "plannedAtMs" | "giveUpAtMs">,
    Pick<JournaledAlert, "id" | "destinationId" | "channel" | "attempts"> {
  readonly unknownAttempts: number;
  readonly isSuspended: boolean;
  /** The service said that the destination is gone. */
  readonly isLost: boolean;
  /** False for a listing that no active filter of the person announces any more. */
  readonly isWanted: boolean;
  readonly settings: AlertSettings;
  readonly address: Secret;
  /** The confirmed sign-in address; "" where there is none. */
  readonly email: string;
}

export interface SettledAlert {
  readonly id: number;
  readonly destinationId: string;
  readonly result: AlertResult;
  /** A code; null where there is nothing to say. */
  readonly reason: string | null;
  /** When it is tried again, for one that still waits. */
  readonly dueAtMs: number;
  /** The attempt certainly did not arrive. */
  readonly wasNotTaken: boolean;
  readonly sentAtMs: number | null;
  /** Nothing goes to the destination before. */
  readonly notBeforeMs: number;
  readonly isDestinationLost: boolean;
}

export interface ChannelStatistics {
  readonly channel: AlertChannelName;
  readonly waiting: number;
  /** Since the oldest waiting alert was due; 0 while none is. */
  readonly oldestMs: number;
  /** Of the journal's week. */
  readonly sent: number;
  readonly failed: number;
  /** Destinations. */
  readonly lost: number;
}

export interface AlertLink {
  readonly listingId: ListingId;
  readonly totalPriceCents: number;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
}

export interface AlertLinkStore {
  /** Null for another person's, too. */
  find(userId: UserId, tokenHash: string): Promise<AlertLink | null>;
  /** One conditional update: true for the first caller before the link's end, once over all nodes. */
  spend(userId: UserId, tokenHash: string, nowMs: number): Promise<boolean>;
}

export interface TelegramCodeStore {
  /** Replaces the person's last code. */
  save(userId: UserId, code: string, expiresAtMs: number): Promise<void>;
  /** Whose code it is: it is used up. */
  take(code: string, nowMs: number): Promise<UserId | null>;
}
