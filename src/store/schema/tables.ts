import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  customType,
  doublePrecision,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { AlertChannelName } from "#catalogue/alert-channels.ts";
import type { ColourName } from "#catalogue/colours.ts";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import type { PlanKey } from "#catalogue/plans.ts";
import type { AlertCounters, AlertMessage, AlertMode, AlertResult, AlertType } from "#domain/alert.ts";
import type { BargainPercent } from "#domain/market/filter.ts";
import type { BuyingRules, EndReason } from "#domain/buying-rules.ts";
import type { FilterId, GroupId, ListingId, PurchaseId, SessionId, UserId } from "#domain/ids.ts";
import type { Listing, ProvenFacts } from "#domain/market/listing.ts";
import type { SellerCondition } from "#domain/market/seller.ts";
import type { Standing } from "#domain/market/standing.ts";
import type { AccountState } from "#domain/settings.ts";
import type { MissReason } from "#domain/story.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { IdentityProvider } from "#domain/user.ts";
import type { DayCoverage } from "../market-store.ts";

/**
 * All tables but those of purchases (purchase-tables.ts). Timestamps are Unix milliseconds, as in the domain.
 * Ids are plain text: a malformed id in a request is then unknown, not an SQL error.
 * A column whose name begins with `sealed` holds an envelope of sealing.ts.
 */

/** An Uint8Array on both engines (pg's Buffer is one). */
export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => "bytea",
});

export const milliseconds = (name: string) => bigint(name, { mode: "number" });

/** A compact surrogate of the id where many are stored; assigned by the database, not reused or exposed. */
const shortNumber = () => integer("no").notNull().generatedByDefaultAsIdentity();

export const users = pgTable(
  "users",
  {
    id: text("id").$type<UserId>().primaryKey(),
    provider: text("provider").$type<IdentityProvider>().notNull(),
    /** Keyed hash of the provider's id: allows look-ups but does not reveal the id. */
    providerKey: text("provider_key").notNull(),
    /** Keyed hash of the lower-case login, for commands of the operator. */
    loginKey: text("login_key").notNull(),
    /** The person's data key, wrapped by a master key: needed to open any of their sealed values. */
    wrappedDataKey: bytea("wrapped_data_key").notNull(),
    /** The provider's id, login, names, e-mail and picture. */
    sealedProfile: bytea("sealed_profile").notNull(),
    plan: text("plan").$type<PlanKey>().notNull(),
    planEndsAtMs: milliseconds("plan_ends_at_ms"),
    isSuspended: boolean("is_suspended").notNull().default(false),
    createdAtMs: milliseconds("created_at_ms").notNull(),
    no: shortNumber(),
  },
  (table) => [
    uniqueIndex("users_provider_key").on(table.provider, table.providerKey),
    index("users_login_key").on(table.loginKey),
    index("users_by_arrival").on(table.createdAtMs, table.id),
  ],
);

const ofUser = () =>
  text("user_id")
    .$type<UserId>()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

export const sessions = pgTable(
  "sessions",
  {
    id: text("id").$type<SessionId>().primaryKey(),
    userId: ofUser(),
    createdAtMs: milliseconds("created_at_ms").notNull(),
    // Not indexed: it changes every minute, and pruning may scan this small table.
    lastSeenAtMs: milliseconds("last_seen_at_ms").notNull(),
    /** Browser and system at sign-in, in a few words. */
    device: text("device").notNull().default(""),
  },
  (table) => [index("sessions_by_user").on(table.userId, table.createdAtMs)],
);

/**
 * People whose plan, suspension or sessions changed, for processes that cache standings. Written by triggers,
 * deleted after two hours.
 */
export const standingChanges = pgTable(
  "standing_changes",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    /** A hash of the person's id, since an erasure must not leave the id behind. */
    userKey: text("user_key").notNull(),
    /** The transaction that wrote the row: reading by its number misses no transaction that commits late. */
    transaction: bigint("transaction", { mode: "bigint" }).notNull(),
    atMs: milliseconds("at_ms").notNull(),
  },
  (table) => [index("standing_changes_by_transaction").on(table.transaction)],
);

/** Filters that share a maximum of purchases and a budget. A group is deleted with its last filter. */
export const groups = pgTable(
  "groups",
  {
    id: text("id").$type<GroupId>().primaryKey(),
    userId: ofUser(),
    name: text("name").notNull(),
    maxPurchases: integer("max_purchases").notNull(),
    budgetEur: integer("budget_eur"),
    createdAtMs: milliseconds("created_at_ms").notNull(),
  },
  (table) => [index("groups_by_user").on(table.userId, table.createdAtMs, table.id)],
);

export const filters = pgTable(
  "filters",
  {
    id: text("id").$type<FilterId>().primaryKey(),
    userId: ofUser(),
    tag: text("tag").notNull(),
    /** The tag in its folded form, for searches. */
    foldedTag: text("folded_tag").notNull(),
    info: text("info").notNull(),
    categoryIds: integer("category_ids").array().notNull(),
    brandIds: integer("brand_ids").array().notNull(),
    sizeIds: integer("size_ids").array().notNull(),
    conditionIds: integer("condition_ids").array().notNull(),
    colourName: text("colour_name").$type<ColourName>(),
    priceCapEur: integer("price_cap_eur").notNull(),
    priceFloorEur: integer("price_floor_eur").notNull().default(0),
    /** Only the cheapest listings of their kind, up to this percentage; null: any price. */
    bargainPercent: smallint("bargain_percent").$type<BargainPercent>(),
    /** Groups of alternatives, each one text: "tech fleece | techfleece". */
    includeWords: text("include_words").array().notNull(),
    excludeWords: text("exclude_words").array().notNull(),
    isActive: boolean("is_active").notNull(),
    isAutobuy: boolean("is_autobuy").notNull(),
    isPrivate: boolean("is_private").notNull(),
    isSimulation: boolean("is_simulation").notNull(),
    paymentMethodId: smallint("payment_method_id").$type<PaymentMethodId>().notNull(),
    maxPurchases: integer("max_purchases"),
    sellerMinRating: doublePrecision("seller_min_rating"),
    sellerMinReviews: integer("seller_min_reviews"),
    sellerCountryCodes: text("seller_country_codes")
      .array()
      .notNull()
      .default(sql`'{}'`),
    sellerIfUnknown: text("seller_if_unknown")
      .$type<SellerCondition["ifUnknown"]>()
      .notNull()
      .default("hold"),
    ignoresRelists: boolean("ignores_relists").notNull().default(false),
    createdAtMs: milliseconds("created_at_ms").notNull(),
    activatedAtMs: milliseconds("activated_at_ms"),
    /** When its criteria besides the price last changed; null: never, or by a node of the version before. */
    criteriaSinceMs: milliseconds("criteria_since_ms"),
    alertMode: text("alert_mode").$type<AlertMode>().notNull().default("loud"),
    alertMaxPerHour: integer("alert_max_per_hour").notNull().default(6),
    copies: integer("copies").notNull().default(0),
    no: shortNumber(),
    /** Absent members mean no rule: nodes of an earlier version write none. */
    rules: json("rules").$type<Partial<BuyingRules>>().notNull().default({}),
    groupId: text("group_id")
      .$type<GroupId>()
      .references(() => groups.id, { onDelete: "set null" }),
    /** When auto-buy was last switched on, or its simulation ended later; kept when it is switched off. */
    autobuySinceMs: milliseconds("autobuy_since_ms"),
    /** Why and when the product switched auto-buy off, until it is switched on again. */
    endReason: text("end_reason").$type<EndReason>(),
    endedAtMs: milliseconds("ended_at_ms"),
  },
  (table) => [
    index("filters_by_user").on(table.userId, table.createdAtMs, table.id),
    index("filters_by_group")
      .on(table.groupId)
      .where(sql`${table.groupId} is not null`),
    index("filters_active")
      .on(table.id)
      .where(sql`${table.isActive}`),
    index("filters_public")
      .on(table.copies, table.createdAtMs, table.id)
      .where(sql`not ${table.isPrivate}`),
  ],
);

/** One row per person, created with the person: without it decisions treat the person as erased. */
export const settings = pgTable("settings", {
  userId: ofUser().primaryKey(),
  paymentMethodId: smallint("payment_method_id").$type<PaymentMethodId>().notNull(),
  sealedAddress: bytea("sealed_address"),
  sealedPickupPoints: bytea("sealed_pickup_points"),
  dayEur: integer("day_eur").notNull(),
  monthEur: integer("month_eur").notNull(),
  purchasesPerDay: integer("purchases_per_day").notNull(),
  /** 'Tout arrêter', switched on by the person or by a breaker. */
  isStopped: boolean("is_stopped").notNull(),
  /** Listings that are too cheap to be true are not bought automatically. */
  isPrudent: boolean("is_prudent").notNull().default(true),
  /** When the stop was last lifted: unknown outcomes are counted from here. */
  resumedAtMs: milliseconds("resumed_at_ms").notNull().default(0),
  /** The version of the mandate to buy automatically that the person gave; null: none. */
  mandateVersion: integer("mandate_version"),
  mandatedAtMs: milliseconds("mandated_at_ms"),
});

/** One row per person who ever connected an account; it outlives a disconnection so that generations only grow. */
export const marketplaceAccounts = pgTable(
  "marketplace_accounts",
  {
    userId: ofUser().primaryKey(),
    state: text("state").$type<AccountState>().notNull(),
    generation: integer("generation").notNull(),
    sealedRefreshToken: bytea("sealed_refresh_token"),
    /** As the person entered it, before any rotation. */
    sealedGivenToken: bytea("sealed_given_token"),
    sealedAccessToken: bytea("sealed_access_token"),
    accessExpiresAtMs: milliseconds("access_expires_at_ms").notNull().default(0),
    connectedAtMs: milliseconds("connected_at_ms").notNull(),
    /** Null: since `connected_at_ms`. */
    ordersSinceMs: milliseconds("orders_since_ms"),
    /** Until when the marketplace asked to send nothing for this account; null: it never asked. */
    askedToWaitUntilMs: milliseconds("asked_to_wait_until_ms"),
    /** The claim to refresh this generation, and its end. */
    refreshOwner: text("refresh_owner"),
    refreshUntilMs: milliseconds("refresh_until_ms").notNull().default(0),
  },
  (table) => [
    index("marketplace_accounts_connected")
      .on(table.userId)
      .where(sql`${table.state} = 'connected'`),
  ],
);

export interface ListingDocument {
  readonly listing: Omit<Listing, "id">;
  readonly facts: ProvenFacts;
  readonly cheaperSinceMs?: number;
  readonly standing?: Standing | null;
  readonly isRelist?: boolean;
}

/**
 * The newest version of each listing seen. The document is `json`, not `jsonb`: a title may contain what
 * jsonb rejects (U+0000, half a surrogate pair), and one such title must not fail a whole batch.
 */
export const seenListings = pgTable(
  "seen_listings",
  {
    id: bigint("id", { mode: "number" }).$type<ListingId>().primaryKey(),
    document: json("document").$type<ListingDocument>().notNull(),
    firstSeenAtMs: milliseconds("first_seen_at_ms").notNull(),
    seenAtMs: milliseconds("seen_at_ms").notNull(),
  },
  (table) => [index("seen_listings_by_moment").on(table.seenAtMs, table.id)],
);

/**
 * A listing's match: the numbers of the people who received it and of their filters. One row for all of them:
 * separate rows took ten times the space. No foreign keys: an erasure must not fail a concurrent batch, and
 * the number of an erased person identifies no one. Deleted after a day.
 */
export const matchEvents = pgTable(
  "match_events",
  {
    /** The position in the streams of all these people. */
    cursor: bigint("cursor", { mode: "bigint" }).notNull(),
    listingId: bigint("listing_id", { mode: "number" }).$type<ListingId>().notNull(),
    matchedAtMs: milliseconds("matched_at_ms").notNull(),
    userNos: integer("user_nos").array().notNull(),
    filterNos: integer("filter_nos").array().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.cursor, table.listingId] }),
    index("match_events_by_user").using("gin", table.userNos),
    index("match_events_by_moment").on(table.matchedAtMs),
  ],
);

export const sliceMarks = pgTable("slice_marks", {
  key: text("key").primaryKey(),
  lastReadAtMs: milliseconds("last_read_at_ms").notNull(),
  highestListingId: bigint("highest_listing_id", { mode: "number" }).notNull(),
});

/**
 * Matches that wait for facts about the seller or earlier listings. No foreign keys, as for `match_events`.
 * `due_at_ms` is the end of a lease that the holding node renews; afterwards any node takes the row up.
 */
export const heldMatches = pgTable(
  "held_matches",
  {
    listingId: bigint("listing_id", { mode: "number" }).$type<ListingId>().notNull(),
    filterId: text("filter_id").$type<FilterId>().notNull(),
    userId: text("user_id").$type<UserId>().notNull(),
    appearedAfterMs: milliseconds("appeared_after_ms"),
    mayBuy: boolean("may_buy").notNull(),
    heldAtMs: milliseconds("held_at_ms").notNull(),
    untilMs: milliseconds("until_ms").notNull(),
    dueAtMs: milliseconds("due_at_ms").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.listingId, table.filterId] }),
    index("held_matches_by_due").on(table.dueAtMs),
    index("held_matches_by_user").on(table.userId),
  ],
);

/** The marketplace's facts about sellers of the last 24 hours, and claims to request them. */
export const sellerFacts = pgTable(
  "seller_facts",
  {
    sellerId: bigint("seller_id", { mode: "number" }).primaryKey(),
    /** 0 to 5. */
    rating: doublePrecision("rating"),
    reviewCount: integer("review_count"),
    countryCode: text("country_code"),
    /** Null: no answer yet. */
    knownAtMs: milliseconds("known_at_ms"),
    /** Requests since `asked_since_ms`, answered or not. */
    requests: smallint("requests").notNull(),
    askedSinceMs: milliseconds("asked_since_ms").notNull(),
    /** End of the claim of the node that requests. */
    claimedUntilMs: milliseconds("claimed_until_ms").notNull(),
  },
  (table) => [index("seller_facts_by_moment").on(table.askedSinceMs)],
);

/** At most one row: no seller is looked up before `until_ms`, since the marketplace refused a look-up. */
export const sellerPauses = pgTable("seller_pauses", {
  id: smallint("id").primaryKey(),
  untilMs: milliseconds("until_ms").notNull(),
  /** Consecutive refusals. */
  refusals: smallint("refusals").notNull(),
});

/**
 * Listings that matched a filter, by a key of seller, title, size and brand. A row tells only of the last
 * listing whether it is a relist.
 */
export const relists = pgTable(
  "relists",
  {
    key: bigint("key", { mode: "bigint" }).primaryKey(),
    /** Number of the article's listings, without those posted together with another one. */
    count: integer("count").notNull(),
    firstPriceCents: integer("first_price_cents").notNull(),
    /** Over all its listings. */
    lowestPriceCents: integer("lowest_price_cents").notNull(),
    /** Over the listings before the last one; null: none. */
    earlierLowestCents: integer("earlier_lowest_cents"),
    firstSeenAtMs: milliseconds("first_seen_at_ms").notNull(),
    lastSeenAtMs: milliseconds("last_seen_at_ms").notNull(),
    lastListingId: bigint("last_listing_id", { mode: "number" }).$type<ListingId>().notNull(),
  },
  (table) => [
    index("relists_by_listing").on(table.lastListingId),
    index("relists_by_moment").on(table.lastSeenAtMs),
  ],
);

/** Versions of listings as they were read, in small pieces, later packed into blocks (market/archive). */
export const archiveTail = pgTable("archive_tail", {
  seq: bigserial("seq", { mode: "number" }).primaryKey(),
  versions: integer("versions").notNull(),
  data: bytea("data").notNull(),
});

/** Packed versions of one day in Paris. */
export const archiveBlocks = pgTable(
  "archive_blocks",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    /** "2026-03-29" */
    day: text("day").notNull(),
    /** In the sandbox's history: the highest listing covered; 0 for listings that were read. */
    example: bigint("example", { mode: "number" }).notNull(),
    /** Sorted by type; blocks of the current day are in order of arrival. */
    isSorted: boolean("sorted").notNull(),
    versions: integer("versions").notNull(),
    firstMs: milliseconds("first_ms").notNull(),
    lastMs: milliseconds("last_ms").notNull(),
    /** The leaf categories of its listings; contains 0 if some are unknown. */
    leafIds: integer("leaf_ids").array().notNull(),
    data: bytea("data").notNull(),
  },
  (table) => [index("archive_blocks_by_day").on(table.day, table.id)],
);

/** Coverage: which leaf categories were read on a day in Paris. */
export const archiveDays = pgTable("archive_days", {
  day: text("day").primaryKey(),
  coverage: json("coverage").$type<DayCoverage>().notNull(),
});

/** The origin of purchases, shown to their owner only. Orders made elsewhere have none. */
export const purchaseOrigins = pgTable("purchase_origins", {
  purchaseId: text("purchase_id").$type<PurchaseId>().primaryKey(),
  userId: ofUser(),
  firstSeenAtMs: milliseconds("first_seen_at_ms").notNull(),
  leafIds: json("leaf_ids").$type<readonly number[]>().notNull(),
  /** The median price of similar listings at the match; null: unknown. */
  usualCents: integer("usual_cents"),
  usualSample: integer("usual_sample"),
});

/** Listings that automatic filters wanted but for which no purchase was begun, with the latest reason. */
export const missedWishes = pgTable(
  "missed_wishes",
  {
    userId: ofUser(),
    listingId: bigint("listing_id", { mode: "number" }).$type<ListingId>().notNull(),
    filterId: text("filter_id").$type<FilterId>().notNull(),
    reason: text("reason").$type<MissReason>().notNull(),
    listing: json("listing").$type<Omit<Listing, "id">>().notNull(),
    firstSeenAtMs: milliseconds("first_seen_at_ms").notNull(),
    matchedAtMs: milliseconds("matched_at_ms").notNull(),
    missedAtMs: milliseconds("missed_at_ms").notNull(),
    /** The usual price that the reason depends on. */
    standing: json("standing").$type<Standing>(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.listingId] }),
    index("missed_wishes_by_moment").on(table.missedAtMs),
  ],
);

/** Rows are never changed, are deleted only after a year, and outlive the person under the bare id. */
export const auditEntries = pgTable(
  "audit_entries",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    atMs: milliseconds("at_ms").notNull(),
    kind: text("kind").notNull(),
    userId: text("user_id").$type<UserId>(),
    details: json("details").$type<Readonly<Record<string, string | number | boolean | null>>>().notNull(),
  },
  (table) => [index("audit_entries_by_user").on(table.userId, table.id)],
);

/**
 * The hash chain over the audit log, in the order in which committed entries were read. Written separately
 * from the entries, so that no transaction waits for another one's link.
 */
export const auditLinks = pgTable("audit_links", {
  position: bigint("position", { mode: "number" }).primaryKey(),
  entryId: bigint("entry_id", { mode: "number" })
    .notNull()
    .unique()
    .references(() => auditEntries.id),
  hash: text("hash").notNull(),
});

/** Named values about the store itself. */
export const systemMeta = pgTable("system_meta", {
  key: text("key").primaryKey(),
  sealedValue: bytea("sealed_value").notNull(),
});

/**
 * Sellers that people block. Logins are public names of the marketplace, so they are not sealed. A row has an
 * id, or only a login: each is unique per person.
 */
export const blockedSellers = pgTable(
  "blocked_sellers",
  {
    userId: ofUser(),
    sellerId: bigint("seller_id", { mode: "number" }),
    login: text("login").notNull(),
    /** The login as it is compared: case ignored. */
    foldedLogin: text("folded_login").notNull(),
    sinceMs: milliseconds("since_ms").notNull(),
  },
  (table) => [
    uniqueIndex("blocked_sellers_by_id")
      .on(table.userId, table.sellerId)
      .where(sql`${table.sellerId} is not null`),
    uniqueIndex("blocked_sellers_by_login")
      .on(table.userId, table.foldedLogin)
      .where(sql`${table.sellerId} is null`),
  ],
);

/** Read by nodes of the previous version during an upgrade; its rows were moved to `alert_destinations`. */
export const discordWebhooks = pgTable("discord_webhooks", {
  userId: ofUser().primaryKey(),
  sealedWebhook: bytea("sealed_webhook").notNull(),
});

/** Likewise: the alerts that the previous version sent. */
export const sentAlerts = pgTable(
  "told_alerts",
  {
    purchaseId: text("purchase_id").$type<PurchaseId>().notNull(),
    state: text("state").$type<PurchaseState>().notNull(),
    userId: ofUser(),
    sentAtMs: milliseconds("told_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.purchaseId, table.state] })],
);

/** Destinations of alerts. Knowing an address may allow writing to it, so it is sealed. */
export const alertDestinations = pgTable(
  "alert_destinations",
  {
    id: text("id").primaryKey(),
    userId: ofUser(),
    channel: text("channel").$type<AlertChannelName>().notNull(),
    /** The device, chat or account as its owner recognises it. */
    name: text("name").notNull(),
    sealedAddress: bytea("sealed_address").notNull(),
    /** Keyed hash of the address, or the person on a channel with one destination per person. */
    addressKey: text("address_key").notNull(),
    hasArticles: boolean("has_articles").notNull(),
    hasPurchases: boolean("has_purchases").notNull(),
    hasAccount: boolean("has_account").notNull(),
    hasSummary: boolean("has_summary").notNull(),
    /** lost: the service reported that the address is gone; nothing is sent to it any more. */
    state: text("state").$type<"active" | "lost">().notNull().default("active"),
    /** The session that added this device: signing it out removes the device. */
    sessionId: text("session_id").$type<SessionId>(),
    createdAtMs: milliseconds("created_at_ms").notNull(),
    /** Nothing is sent before this time, because the service asked to wait. */
    notBeforeMs: milliseconds("not_before_ms").notNull().default(0),
    /** Lease while an alert is being sent, one at a time; by the database's clock. */
    leaseUntilMs: milliseconds("lease_until_ms").notNull().default(0),
  },
  (table) => [
    uniqueIndex("alert_destinations_by_address").on(table.channel, table.addressKey),
    index("alert_destinations_by_user").on(table.userId),
    index("alert_destinations_by_session")
      .on(table.sessionId)
      .where(sql`${table.sessionId} is not null`),
  ],
);

/** Only for people who changed a setting or whose alerts are being counted. */
export const alertSettings = pgTable("alert_settings", {
  userId: ofUser().primaryKey(),
  maxPerHour: integer("max_per_hour").notNull().default(20),
  isQuiet: boolean("is_quiet").notNull().default(false),
  /** Minutes of the day in Europe/Paris. */
  quietFrom: integer("quiet_from").notNull().default(1_380),
  quietTo: integer("quiet_to").notNull().default(420),
  buysFromTelegram: boolean("buys_from_telegram").notNull().default(false),
  pausedUntilMs: milliseconds("paused_until_ms").notNull().default(0),
  /** The counters of the current hour and the current absence, kept by the planner (domain/alert.ts). */
  counters: json("counters").$type<AlertCounters>().notNull().default({ hour: null, away: null }),
});

/** Every alert, once per destination: first waiting, then kept for a week as the journal. */
export const alertOutbox = pgTable(
  "alert_outbox",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    userId: ofUser(),
    destinationId: text("destination_id").notNull(),
    channel: text("channel").$type<AlertChannelName>().notNull(),
    /** A copy, since the destination may be removed before its journal. */
    destinationName: text("destination_name").notNull(),
    type: text("type").$type<AlertType>().notNull(),
    /** Planned once per destination, however often its cause is read again. */
    subject: text("subject").notNull(),
    message: json("message").$type<AlertMessage>().notNull(),
    isLoud: boolean("is_loud").notNull(),
    /** Lower is sent first. */
    priority: smallint("priority").notNull(),
    plannedAtMs: milliseconds("planned_at_ms").notNull(),
    dueAtMs: milliseconds("due_at_ms").notNull(),
    giveUpAtMs: milliseconds("give_up_at_ms").notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** Attempts whose arrival is unknown, the current one included. */
    unknownAttempts: integer("unknown_attempts").notNull().default(0),
    result: text("result").$type<AlertResult>().notNull().default("waiting"),
    reason: text("reason"),
    sentAtMs: milliseconds("sent_at_ms"),
  },
  (table) => [
    uniqueIndex("alert_outbox_once").on(table.destinationId, table.subject),
    index("alert_outbox_by_user").on(table.userId, table.id),
    index("alert_outbox_due")
      .on(table.dueAtMs)
      .where(sql`${table.result} = 'waiting'`),
  ],
);

/** Links from alerts to the page that buys: the hash of the token, and what it is bound to. */
export const alertLinks = pgTable(
  "alert_links",
  {
    tokenHash: text("token_hash").primaryKey(),
    userId: ofUser(),
    listingId: bigint("listing_id", { mode: "number" }).$type<ListingId>().notNull(),
    totalPriceCents: integer("total_price_cents").notNull(),
    expiresAtMs: milliseconds("expires_at_ms").notNull(),
    usedAtMs: milliseconds("used_at_ms"),
  },
  (table) => [index("alert_links_by_end").on(table.expiresAtMs)],
);

/** How far recorded matches (Unix ms) and the audit log (ids) have been planned. */
export const alertMarks = pgTable("alert_marks", {
  key: text("key").primaryKey(),
  value: bigint("value", { mode: "number" }).notNull(),
});

/** Codes that pair a Telegram chat with a person, by their keyed hash; one per person. */
export const telegramCodes = pgTable("telegram_codes", {
  userId: ofUser().primaryKey(),
  codeKey: text("code_key").notNull().unique(),
  expiresAtMs: milliseconds("expires_at_ms").notNull(),
});

/**
 * The processes that share this database. Timestamps are by the database's clock, so that nodes agree about
 * which are alive without a common clock. The embedded store has a single process and no rows here.
 */
export const nodes = pgTable(
  "nodes",
  {
    id: text("id").primaryKey(),
    aliveUntilMs: milliseconds("alive_until_ms").notNull(),
  },
  (table) => [index("nodes_by_end").on(table.aliveUntilMs)],
);

/** Roles that one node holds at a time, and the ends of their leases. */
export const nodeRoles = pgTable("node_roles", {
  role: text("role").primaryKey(),
  nodeId: text("node_id").notNull(),
  untilMs: milliseconds("until_ms").notNull(),
});
