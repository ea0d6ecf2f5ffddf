import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { and, asc, desc, eq, gte, ne, sql as drizzleSql } from "drizzle-orm";
import { z } from "zod";
import { type AlertChannelName, isAlertChannel } from "#catalogue/alert-channels.ts";
import {
  DEFAULT_ALERT_SETTINGS,
  NO_COUNTERS,
  type AlertMessage,
  type AlertSettings,
  type JournaledAlert,
} from "#domain/alert.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import type { Log } from "#domain/log.ts";
import { Secret } from "#domain/secret.ts";
import { levelNow } from "#domain/user.ts";
import { isComplete } from "#domain/settings.ts";
import type {
  AlertReader,
  ChannelStatistics,
  ClaimedAlert,
  OutboxStore,
  PlannedAlert,
  SettledAlert,
} from "../alert-store.ts";
import type { Db, Sql } from "../engines/db.ts";
import {
  alertDestinations,
  alertMarks,
  alertOutbox as outbox,
  alertSettings,
  filters,
  marketplaceAccounts,
  settings,
  users,
} from "../schema/tables.ts";
import { buyingAccounts } from "../schema/purchase-tables.ts";
import { isOneOfNumbers, isOneOfTexts, rowsAsJson, statement, storableJson } from "../sql/values.ts";
import { type Cell, unlessUnreadable } from "../vault/sealing.ts";
import type { Vault } from "../vault/vault.ts";
import { openAddress } from "./settings.ts";
import { type UserRow, userOf } from "./users.ts";

const PLAN = statement("alert-plan");
const CLAIM = statement("alert-claim");
const SETTLE = statement("alert-settle");
const STATISTICS = statement("alert-statistics");

export interface OutboxDeps {
  readonly db: Db;
  readonly sql: Sql;
  readonly vault: Vault;
  readonly log: Log;
}

export function createOutboxStore(deps: OutboxDeps): OutboxStore {
  const { db } = deps;
  let isReported = false;
  const onMissingKey = (): void => {
    // Once: only a start with the key mends it, and until then each of the alerts would say so.
    if (!isReported)
      deps.log.warn(
        { part: "alerts" },
        "this node lacks the master key of some people: their alerts wait (MASTER_KEYS)",
      );
    isReported = true;
  };
  return {
    readers: (userIds) => readersOf(deps, userIds),
    plan: (plan) => writePlan(deps.sql, plan),
    async mark(key) {
      const [row] = await db.select().from(alertMarks).where(eq(alertMarks.key, key));
      return row?.value ?? 0;
    },
    async plannedArticles(sinceMs, limit) {
      return await db
        .selectDistinct({ userId: outbox.userId, subject: outbox.subject, plannedAtMs: outbox.plannedAtMs })
        .from(outbox)
        .where(and(eq(outbox.type, "article"), gte(outbox.plannedAtMs, sinceMs)))
        .orderBy(desc(outbox.plannedAtMs))
        .limit(limit);
    },
    claim: (claim) => claimDue({ ...deps, onMissingKey }, claim),
    settle: (outcomes) => settle(deps.sql, outcomes),
    async freeLeases() {
      await db.update(alertDestinations).set({ leaseUntilMs: 0 });
    },
    async journal(userId, limit) {
      const rows = await db
        .select()
        .from(outbox)
        .where(eq(outbox.userId, userId))
        .orderBy(desc(outbox.id))
        .limit(limit);
      return rows.map(journaledOf);
    },
    async entry(userId, destinationId, subject) {
      const isIt = and(
        eq(outbox.userId, userId),
        eq(outbox.destinationId, destinationId),
        eq(outbox.subject, subject),
      );
      const [row] = await db.select().from(outbox).where(isIt);
      return row === undefined ? null : journaledOf(row);
    },
    statistics: (nowMs) => statisticsOf(deps.sql, nowMs),
  };
}

async function readersOf(
  { db, vault }: OutboxDeps,
  userIds: readonly UserId[] | null,
): Promise<readonly AlertReader[]> {
  const hasArticles = drizzleSql<boolean>`exists (select 1 from ${alertDestinations} d
    where d.user_id = ${users.id} and d.state = 'active' and d.has_articles)`;
  const { wrappedDataKey } = users;
  const people = await db
    .select({ userId: users.id, hasArticles, saved: alertSettings, wrappedDataKey })
    .from(users)
    .leftJoin(alertSettings, eq(alertSettings.userId, users.id))
    .where(
      userIds === null
        ? drizzleSql`not ${users.isSuspended} and (${hasArticles} or ${alertSettings.userId} is not null)`
        : and(isOneOfTexts(users.id, userIds), drizzleSql`not ${users.isSuspended}`),
    );
  const readingIds = people.flatMap((one) => (one.hasArticles ? [one.userId] : []));
  const byPerson = Map.groupBy(await filtersOfPeople(db, readingIds), ({ userId }) => userId);
  const readers: AlertReader[] = [];
  for (const [index, { userId, hasArticles: isReading, saved, ...person }] of people.entries()) {
    // Opening an address takes about 30 µs: other work comes in between.
    if (index % 64 === 63) await yieldToEventLoop();
    const own = byPerson.get(userId) ?? [];
    const buying = own.find(({ filter }) => filter.isBuying);
    const hasAddress = buying !== undefined && isDeliverable(vault, { ...buying, ...person });
    readers.push({
      userId,
      hasArticles: isReading,
      settings: settingsOf(saved),
      counters: saved?.counters ?? NO_COUNTERS,
      filters: own.flatMap(({ isActive, filter }) => {
        const { isBuying, activatedAtMs } = filter;
        if (!isActive) return [];
        return [{ ...filter, isBuying: isBuying && hasAddress, activatedAtMs: activatedAtMs ?? Infinity }];
      }),
      tags: new Map(own.map(({ filter }) => [filter.id, filter.tag])),
    });
  }
  return readers;
}

/** `isBuying` in these rows: the filter buys if the person's address is complete, which is sealed. */
async function filtersOfPeople(db: Db, userIds: readonly UserId[]) {
  return await db
    .select({
      userId: filters.userId,
      sealedAddress: settings.sealedAddress,
      isActive: filters.isActive,
      filter: {
        id: filters.id,
        tag: filters.tag,
        mode: filters.alertMode,
        maxPerHour: filters.alertMaxPerHour,
        // A stop of buying and its end publish `user_changed`, a change of account or address `settings_changed`: after
        // both the planner reads the filters again.
        isBuying: drizzleSql<boolean>`${filters.isAutobuy} and not ${filters.isSimulation}
          and coalesce(${marketplaceAccounts.state} = 'connected', false)
          and not coalesce(${settings.isStopped} or ${buyingAccounts.isStopped}, false)`,
        activatedAtMs: filters.activatedAtMs,
      },
    })
    .from(filters)
    .leftJoin(settings, eq(settings.userId, filters.userId))
    .leftJoin(buyingAccounts, eq(buyingAccounts.userId, filters.userId))
    .leftJoin(marketplaceAccounts, eq(marketplaceAccounts.userId, filters.userId))
    .where(isOneOfTexts(filters.userId, userIds));
}

/** False for an address that cannot be read: nothing is bought for it either. */
function isDeliverable(
  vault: Vault,
  {
    userId,
    wrappedDataKey,
    sealedAddress,
  }: Pick<UserRow, "wrappedDataKey"> & Parameters<typeof openAddress>[1],
): boolean {
  const address = unlessUnreadable(() =>
    openAddress(vault.dataKey(userId, wrappedDataKey), { userId, sealedAddress }),
  );
  return address !== null && isComplete(address);
}

/** Webhooks were sealed for their former table, `discord_webhooks`, and keep that binding. */
export const destinationCell = (channel: AlertChannelName, id: string, userId: UserId): Cell =>
  channel === "discord"
    ? { table: "discord_webhooks", row: userId, field: "sealed_webhook" }
    : { table: "alert_destinations", row: id, field: "sealed_address" };

export function settingsOf(saved: typeof alertSettings.$inferSelect | null | undefined): AlertSettings {
  if (saved === null || saved === undefined) return DEFAULT_ALERT_SETTINGS;
  return {
    maxPerHour: saved.maxPerHour,
    quiet: { isOn: saved.isQuiet, from: saved.quietFrom, to: saved.quietTo },
    buysFromTelegram: saved.buysFromTelegram,
    pausedUntilMs: saved.pausedUntilMs,
  };
}

/** Lower is sent first. */
const PRIORITIES: Readonly<Record<PlannedAlert["type"], number>> = {
  bank: 0,
  test: 1,
  purchase: 2,
  account: 2,
  article: 3,
  group: 4,
  digest: 4,
};

async function writePlan(
  sql: Sql,
  { alerts, counters, marks = {} }: Parameters<OutboxStore["plan"]>[0],
): Promise<void> {
  const planned = alerts.map((alert) => ({
    ...alert,
    link: undefined,
    message: storableJson(alert.message),
    priority: PRIORITIES[alert.type],
  }));
  const links = alerts.flatMap(({ userId, link }) => (link === undefined ? [] : [{ ...link, userId }]));
  const counted = counters.map(({ userId, counters: kept }) => ({ userId, counters: JSON.stringify(kept) }));
  const marked = Object.entries(marks).map(([key, value]) => ({ key, value }));
  const rows: readonly (readonly object[])[] = [planned, links, counted, marked];
  if (rows.some(({ length }) => length > 0)) await sql.query(PLAN, rows.map(rowsAsJson));
}

const idRow = z.object({ id: z.coerce.number() });

interface ClaimDeps extends OutboxDeps {
  readonly onMissingKey: () => void;
}

async function claimDue(
  deps: ClaimDeps,
  { room, limit, leaseMs, nowMs }: Parameters<OutboxStore["claim"]>[0],
): Promise<readonly ClaimedAlert[]> {
  const rooms = Object.entries(room).flatMap(([channel, count]) =>
    count > 0 ? [{ channel, room: count }] : [],
  );
  if (rooms.length === 0) return [];
  const rows = await deps.sql.query(CLAIM, [JSON.stringify(rooms), limit, leaseMs, nowMs]);
  const ids = rows.map((row) => idRow.parse(row).id);
  return ids.length === 0 ? [] : await claimedOf(deps, ids, nowMs);
}

async function claimedOf(
  { db, sql, vault, onMissingKey }: ClaimDeps,
  ids: readonly number[],
  nowMs: number,
): Promise<readonly ClaimedAlert[]> {
  const rows = await db
    .select({ alert: outbox, destination: alertDestinations, user: users, saved: alertSettings })
    .from(outbox)
    .innerJoin(alertDestinations, eq(alertDestinations.id, outbox.destinationId))
    .innerJoin(users, eq(users.id, outbox.userId))
    .leftJoin(alertSettings, eq(alertSettings.userId, outbox.userId))
    .where(isOneOfNumbers(outbox.id, ids))
    .orderBy(asc(outbox.priority), asc(outbox.id));
  const owners = await announcingOwners(
    db,
    rows.flatMap(({ alert }) => filtersOf(alert.message)),
  );
  const unreadable: SettledAlert[] = [];
  const claimed = rows.flatMap(({ alert, destination, user, saved }): readonly ClaimedAlert[] => {
    const address = addressOf(vault, destination, user);
    if (address === "lost" || address === "key_missing") {
      if (address === "key_missing") onMissingKey();
      unreadable.push(address === "lost" ? lostWith(alert) : withoutKey(alert, nowMs));
      return [];
    }
    const announcing = filtersOf(alert.message);
    const { userId } = destination;
    return [
      {
        ...alert,
        isSuspended: user.isSuspended,
        isLost: destination.state === "lost",
        isWanted: announcing.length === 0 || announcing.some((filterId) => owners.get(filterId) === userId),
        hasArticles: destination.hasArticles,
        isSubscriber: levelNow(user, nowMs) > 0,
        settings: settingsOf(saved),
        ...address,
      },
    ];
  });
  await settle(sql, unreadable);
  return claimed;
}

/** As long as the last retry of delivery: another node may have the key, or this one after its next start. */
const KEY_MISSING_MS = 600_000;

/** Never throws for an unreadable value: one person's must not delay everybody claimed with it. */
function addressOf(
  vault: Vault,
  { id, channel, userId, sealedAddress }: typeof alertDestinations.$inferSelect,
  user: UserRow,
): Pick<ClaimedAlert, "address" | "email"> | "lost" | "key_missing" {
  const key = unlessUnreadable(() => vault.dataKey(userId, user.wrappedDataKey));
  if (key === null) return "key_missing";
  const opened = unlessUnreadable(() => ({
    address: new Secret(key.openText(sealedAddress, destinationCell(channel, id, userId))),
    email: channel === "courriel" ? userOf(vault, user).email : "",
  }));
  return opened ?? "lost";
}

function lostWith(alert: typeof outbox.$inferSelect): SettledAlert {
  return { ...waitingFor(alert, alert.dueAtMs), result: "refused", reason: "lost", isDestinationLost: true };
}

/** Waits for the key. Once its time is over it is given up: if it stayed due, it would take the room of fresh alerts. */
function withoutKey(alert: typeof outbox.$inferSelect, nowMs: number): SettledAlert {
  const waiting = waitingFor(alert, nowMs + KEY_MISSING_MS);
  if (nowMs < alert.giveUpAtMs) return waiting;
  return { ...waiting, result: "abandoned", reason: alert.type === "article" ? "late" : "away" };
}

function waitingFor(
  { id, destinationId, giveUpAtMs }: typeof outbox.$inferSelect,
  untilMs: number,
): SettledAlert {
  return {
    id,
    destinationId,
    result: "waiting",
    reason: null,
    dueAtMs: Math.min(untilMs, giveUpAtMs),
    isOutcomeKnown: true,
    sentAtMs: null,
    notBeforeMs: 0,
    isDestinationLost: false,
  };
}

/** The filters that announce the listing of the message; empty for other alerts. */
function filtersOf({ article }: AlertMessage): readonly FilterId[] {
  return article?.filterIds ?? [];
}

/** Those of the filters that still announce what they find, with their owners. */
async function announcingOwners(
  db: Db,
  filterIds: readonly FilterId[],
): Promise<ReadonlyMap<FilterId, UserId>> {
  if (filterIds.length === 0) return new Map();
  const rows = await db
    .select({ id: filters.id, userId: filters.userId })
    .from(filters)
    .where(and(isOneOfTexts(filters.id, filterIds), filters.isActive, ne(filters.alertMode, "none")));
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}

async function settle(sql: Sql, outcomes: readonly SettledAlert[]): Promise<void> {
  if (outcomes.length > 0) await sql.query(SETTLE, [rowsAsJson(outcomes)]);
}

function journaledOf({ message, destinationName, ...alert }: typeof outbox.$inferSelect): JournaledAlert {
  return { ...alert, name: destinationName, title: message.title, body: message.body };
}

const statisticsRow = z.object({
  channel: z.string(),
  waiting: z.number(),
  oldest_due_ms: z.coerce.number().nullable(),
  sent: z.number(),
  failed: z.number(),
  lost: z.number(),
});

async function statisticsOf(sql: Sql, nowMs: number): Promise<readonly ChannelStatistics[]> {
  const rows = await sql.query(STATISTICS, []);
  return rows.flatMap((row) => {
    const { channel, oldest_due_ms: dueMs, ...counts } = statisticsRow.parse(row);
    if (!isAlertChannel(channel)) return [];
    return [{ channel, ...counts, oldestMs: dueMs === null ? 0 : Math.max(0, nowMs - dueMs) }];
  });
}
