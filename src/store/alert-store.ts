import type { AlertChannelName } from "#catalogue/alert-channels.ts";
import type {
  AlertCounters,
  AlertMessage,
  AlertMode,
  AlertResult,
  AlertSettings,
  AlertSettingsChange,
  AlertType,
  Destination,
  DestinationEvents,
  JournaledAlert,
} from "#domain/alert.ts";
import type { FilterId, ListingId, UserId } from "#domain/ids.ts";
import type { Secret } from "#domain/secret.ts";

/**
 * Alerts outside of the pages: destinations, the outbox and the journal. Planning writes rows and delivery
 * claims them; both survive the end of a process.
 */
export interface AlertStore {
  readonly destinations: DestinationStore;
  readonly outbox: OutboxStore;
  readonly links: AlertLinkStore;
  readonly telegram: TelegramCodeStore;
  /** Returns defaults for a person who changed nothing. */
  settings(userId: UserId): Promise<AlertSettings>;
  changeSettings(userId: UserId, change: AlertSettingsChange): Promise<AlertSettings>;
  /** The VAPID keys of this product: made once, sealed, the same on every node. */
  vapidKeys(make: () => VapidKeys): Promise<VapidKeys>;
  /** Key from which the tokens of links are derived. */
  readonly linkKey: Uint8Array;
  /** Gives up what waited past its time. Deletes expired rows: journals after a week and beyond 500 per person, links and codes at their end. */
  prune(nowMs: number): Promise<void>;
}

export interface VapidKeys {
  /** base64url. */
  readonly publicKey: string;
  readonly privateKey: string;
}

export interface NewDestination extends Omit<Destination, "state" | "notBeforeMs"> {
  readonly address: Secret;
  /** The stable part of the address: a renewed subscription has the same identity and other keys. */
  readonly identity: string;
  /** Of a chat: its pairing code, which is used up. A new pairing does not inherit the permission to buy from Telegram. */
  readonly code?: string;
  readonly nowMs: number;
}

export type Connected =
  /**
   * `isRedirected`: a channel that the person has once got another address. `movedFrom`: another person's
   * destination with this address, which was removed.
   */
  | {
      readonly kind: "connected";
      readonly destination: Destination;
      readonly isNew: boolean;
      readonly isRedirected: boolean;
      readonly movedFrom: Destination | null;
    }
  | { readonly kind: "full" }
  /** There is no such person, or the code is no longer theirs. */
  | { readonly kind: "absent" };

export interface DestinationStore {
  /** Oldest first. */
  ofUser(userId: UserId): Promise<readonly Destination[]>;
  /**
   * Adds the destination or renews a known address; another person's address moves to this one. The audit log gets
   * what is added and removed in the same transaction, except for a mailbox, which is added automatically.
   */
  connect(destination: NewDestination, limit: number): Promise<Connected>;
  /** The address of the person's destination on a channel that allows one per person. */
  addressOf(userId: UserId, channel: AlertChannelName): Promise<Secret | null>;
  byIdentity(channel: AlertChannelName, identity: string): Promise<Destination | null>;
  /** Its waiting alerts become `useless`; the audit log gets it in the same transaction. @returns the removed destination */
  remove(userId: UserId, id: string, nowMs: number): Promise<Destination | null>;
  /** All or none: false when one is unknown or another person's. Absent members keep their value. */
  setEvents(
    userId: UserId,
    changes: readonly { readonly id: string; readonly events: Partial<DestinationEvents> }[],
  ): Promise<boolean>;
}

/** The planner's view of a person who receives listings or has counters. */
export interface AlertReader {
  readonly userId: UserId;
  readonly settings: AlertSettings;
  readonly counters: AlertCounters;
  /** A destination receives listings. */
  readonly hasArticles: boolean;
  /** Active filters only. */
  readonly filters: readonly AlertFilter[];
  /** Names of all their filters: one may be paused after it counted. */
  readonly tags: ReadonlyMap<string, string>;
}

export interface AlertFilter {
  readonly id: FilterId;
  readonly tag: string;
  readonly mode: AlertMode;
  readonly maxPerHour: number;
  /** The filter buys automatically and can: its purchases are announced instead of its listings. */
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
  /** The only destination, regardless of its events; absent: all that want the type. */
  readonly destinationId?: string;
  /** A destination to leave out. */
  readonly exceptDestinationId?: string;
  /** Of a digest: destinations for purchases get it too, since the night's outcomes are only in it. */
  readonly hasPurchases?: boolean;
  /** The link of an article. */
  readonly link?: Omit<AlertLink, "usedAtMs"> & { readonly tokenHash: string };
}

type AlertMark = "matches" | "audit";

export interface OutboxStore {
  /** People whose listings the planner must decide about; `userIds` null: everyone. */
  readers(userIds: readonly UserId[] | null): Promise<readonly AlertReader[]>;
  /**
   * Writes the alerts for all destinations that want them, the counters and the mark in one statement.
   * Idempotent per destination and subject; suspended people get no alerts.
   */
  plan(plan: {
    readonly alerts: readonly PlannedAlert[];
    readonly counters: readonly { readonly userId: UserId; readonly counters: AlertCounters }[];
    readonly marks?: Partial<Record<AlertMark, number>>;
  }): Promise<void>;
  mark(mark: AlertMark): Promise<number>;
  /** The newest `limit` listings planned since then, by person. */
  plannedArticles(
    sinceMs: number,
    limit: number,
  ): Promise<readonly { readonly userId: UserId; readonly subject: string }[]>;
  /**
   * Takes due alerts, one per destination, pending bank confirmations first. Each is leased to this caller
   * for `leaseMs` by the database's clock; an attempt counts as unknown until it is settled.
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
  /** At the start of a sole process: ends the leases of earlier ones. */
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
  /** The service reported that the destination is gone. */
  readonly isLost: boolean;
  /** False for a listing that no active filter of the person announces any more. */
  readonly isWanted: boolean;
  /** Whether the destination gets articles. */
  readonly hasArticles: boolean;
  /** The person's level is above 0. */
  readonly isSubscriber: boolean;
  readonly settings: AlertSettings;
  readonly address: Secret;
  /** The confirmed sign-in address; "" where there is none. */
  readonly email: string;
}

export interface SettledAlert {
  readonly id: number;
  readonly destinationId: string;
  readonly result: AlertResult;
  /** A code; null: none. */
  readonly reason: string | null;
  /** The next try of an alert that still waits. */
  readonly dueAtMs: number;
  /** Whether the attempt certainly arrived, or certainly did not: it then does not count as an unknown one. */
  readonly isOutcomeKnown: boolean;
  readonly sentAtMs: number | null;
  /** Nothing is sent to the destination before this time. */
  readonly notBeforeMs: number;
  readonly isDestinationLost: boolean;
}

export interface ChannelStatistics {
  readonly channel: AlertChannelName;
  readonly waiting: number;
  /** Since the oldest waiting alert was due; 0 while none is. */
  readonly oldestMs: number;
  /** During the week that the journal covers. */
  readonly sent: number;
  readonly failed: number;
  /** Number of destinations. */
  readonly lost: number;
}

export interface AlertLink {
  readonly listingId: ListingId;
  readonly totalPriceCents: number;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | null;
}

export interface AlertLinkStore {
  /** Null also for another person's link. */
  find(userId: UserId, tokenHash: string): Promise<AlertLink | null>;
  /** One conditional update over all nodes: true for the first caller, if the link has not expired. */
  spend(userId: UserId, tokenHash: string, nowMs: number): Promise<boolean>;
}

export interface TelegramCodeStore {
  /** Replaces the person's last code. */
  save(userId: UserId, code: string, expiresAtMs: number): Promise<void>;
  /** Null if the code is unknown or expired. */
  ownerOf(code: string, nowMs: number): Promise<UserId | null>;
}
