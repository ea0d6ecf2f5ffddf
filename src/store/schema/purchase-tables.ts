import { type AnyColumn, sql, type SQL } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  check,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { PaymentMethodId } from "#catalogue/payment-methods.ts";
import type { FilterId, GroupId, ListingId, PurchaseId, UserId } from "#domain/ids.ts";
import type { Listing } from "#domain/market/listing.ts";
import type { Lane } from "#domain/market/match.ts";
import type { FailureReason, PurchaseMode, PurchaseSource, PurchaseState } from "#domain/purchase.ts";
import type { AttemptPhase, Watch } from "../purchase-facts.ts";
import type { Evidence, MoneyMove, StopSwitchName } from "../purchase-store.ts";
import { milliseconds } from "./tables.ts";

/**
 * The tables of buying: purchases, attempts, ledger (docs/purchase.md). No foreign key references the person:
 * the ledger outlives an erased account under the bare id.
 */

const userId = () => text("user_id").$type<UserId>().notNull();
/** bigint: wider than any sum of amounts that a faulty marketplace may return. */
const cents = (name: string) => bigint(name, { mode: "number" });

/** `json`, not `jsonb`: a title may contain what jsonb rejects. */
const listingDocument = () => json("listing").$type<Omit<Listing, "id">>().notNull();

/** `isListingGone()` in SQL. Without parameters, so that the planner finds the index of this condition. */
export function provesListingGone({
  mode,
  state,
  failureReason,
}: Readonly<Record<"mode" | "state" | "failureReason", AnyColumn>>): SQL {
  return sql`${mode} = 'live' and (${state} in ('confirmed', 'cancelling', 'cancel_unknown')
    or ${failureReason} in ('sold', 'withdrawn'))`;
}

export const purchases = pgTable(
  "purchases",
  {
    id: text("id").$type<PurchaseId>().primaryKey(),
    userId: userId(),
    listingId: bigint("listing_id", { mode: "number" }).$type<ListingId>().notNull(),
    /** The listing's seller, for rules about sellers; null in rows that predate these. */
    sellerId: bigint("seller_id", { mode: "number" }),
    /** The seller's login, folded as in block lists. */
    sellerLogin: text("seller_login"),
    epoch: integer("epoch").notNull(),
    source: text("source").$type<PurchaseSource>().notNull(),
    lane: text("lane").$type<Lane>().notNull(),
    filterId: text("filter_id").$type<FilterId>(),
    /** The filter's group at the intent. No foreign key: it outlives the group. */
    groupId: text("group_id").$type<GroupId>(),
    mode: text("mode").$type<PurchaseMode>().notNull(),
    state: text("state").$type<PurchaseState>().notNull(),
    failureReason: text("failure_reason").$type<FailureReason>(),
    priceCapCents: cents("price_cap_cents").notNull(),
    holdCents: cents("hold_cents").notNull(),
    chargedCents: cents("charged_cents"),
    paymentMethodId: smallint("payment_method_id").$type<PaymentMethodId>().notNull(),
    transactionId: bigint("transaction_id", { mode: "number" }),
    confirmUrl: text("confirm_url"),
    decidedAtMs: milliseconds("decided_at_ms").notNull(),
    updatedAtMs: milliseconds("updated_at_ms").notNull(),
    isHidden: boolean("is_hidden").notNull(),
    reachedCheckout: boolean("reached_checkout").notNull(),
    /** False from the commit of a change until it is published, so that it is found after a crash. */
    isPublished: boolean("is_told").notNull().default(true),
    listing: listingDocument(),
    wishedAtMs: milliseconds("wished_at_ms").notNull(),
    dayKey: text("day_key").notNull(),
    monthKey: text("month_key").notNull(),
    leaseOwner: text("lease_owner"),
    dueAtMs: milliseconds("due_at_ms"),
    notBeforeMs: milliseconds("not_before_ms").notNull(),
    attemptCount: integer("attempt_count").notNull(),
    attemptPhase: text("attempt_phase").$type<AttemptPhase>().notNull(),
    attemptTransactionId: bigint("attempt_transaction_id", { mode: "number" }),
    checkoutId: bigint("checkout_id", { mode: "number" }),
    hadUnknownOutcome: boolean("had_doubt").notNull(),
    watch: json("watch").$type<Watch>(),
    /** It failed for a reason that counts towards its filter's `maxFailures`. */
    isSetback: boolean("is_setback").notNull().default(false),
    /** Increases with every change except its publication, by a trigger: optimistic lock of writes. */
    revision: bigint("revision", { mode: "number" }).notNull().default(0),
  },
  (table) => [
    uniqueIndex("purchases_once").on(table.userId, table.listingId, table.epoch, table.mode),
    // People of this product never compete for a listing: one live attempt per listing over all of them.
    uniqueIndex("purchases_one_live_per_listing")
      .on(table.listingId)
      .where(
        sql`${table.mode} = 'live' and ${table.source} <> 'external' and ${table.state} not in ('failed', 'cancelled')`,
      ),
    index("purchases_by_user").on(table.userId, table.decidedAtMs, table.id),
    index("purchases_by_transaction")
      .on(table.userId, table.transactionId)
      .where(sql`${table.transactionId} is not null`),
    index("purchases_due")
      .on(table.dueAtMs)
      .where(sql`${table.dueAtMs} is not null`),
    index("purchases_untold")
      .on(table.updatedAtMs)
      .where(sql`not ${table.isPublished}`),
    index("purchases_by_filter")
      .on(table.filterId, table.mode)
      .where(sql`${table.filterId} is not null and ${table.state} not in ('failed', 'cancelled')`),
    index("purchases_by_group")
      .on(table.groupId, table.mode)
      .where(sql`${table.groupId} is not null and ${table.state} not in ('failed', 'cancelled')`),
    index("purchases_by_seller")
      .on(table.userId, table.sellerId, table.dayKey)
      .where(sql`${table.sellerId} is not null and ${table.state} not in ('failed', 'cancelled')`),
    index("purchases_setbacks")
      .on(table.filterId, table.decidedAtMs)
      .where(sql`${table.isSetback}`),
    index("purchases_of_gone_listings").on(table.listingId).where(provesListingGone(table)),
    // Read at each decision, which must not scan a person's simulations.
    index("purchases_being_paid")
      .on(table.userId)
      .where(sql`${table.mode} = 'live' and ${table.state} in ('intent', 'submitting', 'unknown')`),
    index("purchases_awaiting")
      .on(table.userId)
      .where(sql`${table.mode} = 'live' and ${table.state} = 'awaiting'`),
    index("purchases_simulated")
      .on(table.userId, table.decidedAtMs, table.id)
      .where(sql`${table.mode} = 'simulation'`),
    check("purchases_hold", sql`${table.holdCents} >= 0`),
    // A final purchase holds nothing: its money was captured or released in the same commit.
    check(
      "purchases_final_holds_nothing",
      sql`${table.state} not in ('confirmed', 'cancelled', 'failed') or ${table.holdCents} = 0`,
    ),
  ],
);

/** Written before the first request of an attempt is sent. */
export const purchaseAttempts = pgTable(
  "purchase_attempts",
  {
    purchaseId: text("purchase_id").$type<PurchaseId>().notNull(),
    n: integer("n").notNull(),
    userId: userId(),
    startedAtMs: milliseconds("started_at_ms").notNull(),
    digest: text("digest"),
    /** When sending the paying request was allowed. */
    sentAtMs: milliseconds("sent_at_ms"),
    deadlineMs: milliseconds("deadline_ms"),
    endedAtMs: milliseconds("ended_at_ms"),
    outcome: text("outcome"),
    evidence: json("evidence").$type<Evidence>(),
  },
  (table) => [
    primaryKey({ columns: [table.purchaseId, table.n] }),
    index("purchase_attempts_in_doubt")
      .on(table.userId, table.endedAtMs)
      .where(sql`${table.outcome} = 'unknown'`),
  ],
);

/** One row per person and day ("2026-03-29") or month ("2026-03") of Europe/Paris. */
export const budgets = pgTable(
  "budgets",
  {
    userId: userId(),
    period: text("period").notNull(),
    /** The person's limit at the last decision, never below the held and captured amounts. */
    capCents: cents("cap_cents").notNull(),
    heldCents: cents("held_cents").notNull(),
    capturedCents: cents("captured_cents").notNull(),
    /** Spent outside of decisions: bookable beyond the cap, counted in decisions. */
    extraCents: cents("extra_cents").notNull(),
    purchases: integer("purchases").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.period] }),
    check("budgets_amounts", sql`${table.heldCents} >= 0 and ${table.capturedCents} >= 0`),
    check("budgets_cap", sql`${table.heldCents} + ${table.capturedCents} <= ${table.capCents}`),
  ],
);

/** Append-only: the budgets are sums of it. */
export const ledger = pgTable(
  "ledger",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    atMs: milliseconds("at_ms").notNull(),
    userId: userId(),
    purchaseId: text("purchase_id").$type<PurchaseId>().notNull(),
    kind: text("kind").$type<MoneyMove["kind"]>().notNull(),
    amountCents: cents("amount_cents").notNull(),
    heldDeltaCents: cents("held_delta_cents").notNull(),
    capturedDeltaCents: cents("captured_delta_cents").notNull(),
    extraDeltaCents: cents("extra_delta_cents").notNull(),
    purchasesDelta: integer("purchases_delta").notNull(),
    dayKey: text("day_key").notNull(),
    monthKey: text("month_key").notNull(),
  },
  (table) => [
    index("ledger_by_user").on(table.userId, table.id),
    index("ledger_by_purchase").on(table.purchaseId),
  ],
);

/** Stops of all buying. A missing row means off. */
export const stopSwitches = pgTable("stop_switches", {
  name: text("name").$type<StopSwitchName>().primaryKey(),
  isOn: boolean("is_on").notNull(),
  reason: text("reason").notNull(),
  changedAtMs: milliseconds("changed_at_ms").notNull(),
});

/**
 * A single row, whose version increases with every change of a switch, by a trigger. Every decision locks it
 * (shared) until its commit: changing a switch waits for decisions in progress, and all later ones see it.
 */
export const switchState = pgTable("switch_state", {
  id: boolean("id").primaryKey(),
  version: bigint("version", { mode: "number" }).notNull(),
});

/**
 * One row per person, created and erased with them: its lock serialises writes about their money. Holds
 * stops, pauses and sweeps of their marketplace account.
 */
export const buyingAccounts = pgTable("buying_accounts", {
  userId: userId().primaryKey(),
  isStopped: boolean("is_stopped").notNull().default(false),
  /** End of a temporary pause; 0: none yet. */
  pausedUntilMs: milliseconds("paused_until_ms").notNull().default(0),
  stopReason: text("stop_reason").notNull().default(""),
  /** Number of consecutive pauses, each longer than the one before. */
  pauseCount: integer("pause_count").notNull().default(0),
  /** When a breaker last turned on the person's own stop switch; 0: never, or the person has stopped since. */
  stopThrownAtMs: milliseconds("stop_thrown_at_ms").notNull().default(0),
  sweptAtMs: milliseconds("swept_at_ms").notNull().default(0),
  /**
   * Increases with every purchase transition, and by triggers with every change of the person, their
   * settings, filters, account or stops: a decision based on an older version is not written.
   */
  version: bigint("version", { mode: "number" }).notNull().default(0),
});
