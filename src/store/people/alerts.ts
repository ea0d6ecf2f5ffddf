import { and, asc, eq, gt, isNull, lt, ne, sql, type SQL } from "drizzle-orm";
import { z } from "zod";
import type { AlertSettings, AlertSettingsChange, Destination } from "#domain/alert.ts";
import type { SessionId, UserId } from "#domain/ids.ts";
import type {
  AlertLinkStore,
  AlertStore,
  Connected,
  DestinationStore,
  NewDestination,
  TelegramCodeStore,
  VapidKeys,
} from "../alert-store.ts";
import type { Db, Tx } from "../engines/db.ts";
import {
  alertDestinations as table,
  alertLinks,
  alertOutbox,
  alertSettings,
  auditEntries,
  telegramCodes,
  users,
} from "../schema/tables.ts";
import { deleteInChunks, isOneOfTexts, isStorable, storableText } from "../sql/values.ts";
import { unlessUnreadable } from "../vault/sealing.ts";
import type { Vault } from "../vault/vault.ts";
import { createOutboxStore, destinationCell, type OutboxDeps, settingsOf } from "./alert-outbox.ts";
import { ALERT_CHANNELS } from "#catalogue/alert-channels.ts";
import { Secret } from "#domain/secret.ts";

export function createAlertStore(deps: OutboxDeps): AlertStore {
  const { db, vault } = deps;
  return {
    destinations: createDestinationStore(db, vault),
    outbox: createOutboxStore(deps),
    links: createLinkStore(db),
    telegram: createCodeStore(db, vault),
    settings: (userId) => savedSettings(db, userId),
    changeSettings: (userId, change) => changeSettings(db, userId, change),
    async vapidKeys(make) {
      const keys = await vault.ownSecret("vapid_keys", () => JSON.stringify(make()));
      return vapidShape.parse(JSON.parse(keys));
    },
    linkKey: vault.derivedKey("alert links"),
    async prune(nowMs) {
      // Delivery abandons expired alerts only when it claims them; those of a channel without configuration are never claimed.
      await db
        .update(alertOutbox)
        .set({
          result: "abandoned",
          reason: sql`case when ${alertOutbox.type} = 'article' then 'late' else 'away' end`,
        })
        .where(and(eq(alertOutbox.result, "waiting"), lt(alertOutbox.giveUpAtMs, nowMs - CLAIM_ENDED_MS)));
      await deleteInChunks(db, alertOutbox, sql`${alertOutbox.plannedAtMs} < ${nowMs - JOURNAL_KEPT_MS}`);
      await deleteInChunks(
        db,
        alertOutbox,
        sql`id in (select id from (select id, row_number() over (partition by user_id order by id desc) as place
          from alert_outbox where result <> 'waiting') ranked where place > ${JOURNAL_KEPT})`,
      );
      await deleteInChunks(db, alertLinks, sql`${alertLinks.expiresAtMs} < ${nowMs - JOURNAL_KEPT_MS}`);
      await deleteInChunks(db, telegramCodes, sql`${telegramCodes.expiresAtMs} < ${nowMs}`);
    },
  };
}

/** Longer than a lease: an alert that was claimed in time has its outcome. */
const CLAIM_ENDED_MS = 60_000;
const JOURNAL_KEPT_MS = 7 * 24 * 3_600_000;
const JOURNAL_KEPT = 500;

async function changeSettings(db: Db, userId: UserId, change: AlertSettingsChange): Promise<AlertSettings> {
  const { maxPerHour, quiet, buysFromTelegram, pausedUntilMs } = change;
  const values = {
    maxPerHour,
    isQuiet: quiet?.isOn,
    quietFrom: quiet?.from,
    quietTo: quiet?.to,
    buysFromTelegram,
    pausedUntilMs,
  };
  const [owner] = await db.select({ id: users.id }).from(users).where(eq(users.id, userId));
  // Nothing is written for a person who was erased meanwhile.
  if (owner === undefined || Object.values(values).every((value) => value === undefined))
    return await savedSettings(db, userId);
  const [saved] = await db
    .insert(alertSettings)
    .values({ userId, ...values })
    .onConflictDoUpdate({ target: alertSettings.userId, set: values })
    .returning();
  return settingsOf(saved);
}

async function savedSettings(db: Db, userId: UserId): Promise<AlertSettings> {
  const [saved] = await db.select().from(alertSettings).where(eq(alertSettings.userId, userId));
  return settingsOf(saved);
}

const vapidShape: z.ZodType<VapidKeys> = z.object({ publicKey: z.string(), privateKey: z.string() });

function createLinkStore(db: Db): AlertLinkStore {
  const isIt = (userId: UserId, tokenHash: string) =>
    and(eq(alertLinks.tokenHash, tokenHash), eq(alertLinks.userId, userId));
  return {
    async find(userId, tokenHash) {
      const [row] = await db.select().from(alertLinks).where(isIt(userId, tokenHash));
      if (row === undefined) return null;
      const { listingId, totalPriceCents, expiresAtMs, usedAtMs } = row;
      return { listingId, totalPriceCents, expiresAtMs, usedAtMs };
    },
    async spend(userId, tokenHash, nowMs) {
      const spent = await db
        .update(alertLinks)
        .set({ usedAtMs: nowMs })
        .where(and(isIt(userId, tokenHash), isNull(alertLinks.usedAtMs), gt(alertLinks.expiresAtMs, nowMs)))
        .returning({ tokenHash: alertLinks.tokenHash });
      return spent.length > 0;
    },
  };
}

function createCodeStore(db: Db, vault: Vault): TelegramCodeStore {
  return {
    async save(userId, code, expiresAtMs) {
      const values = { codeKey: vault.keyedHash("telegram code", code), expiresAtMs };
      await db
        .insert(telegramCodes)
        .values({ userId, ...values })
        .onConflictDoUpdate({ target: telegramCodes.userId, set: values });
    },
    async ownerOf(code, nowMs) {
      if (!isStorable(code)) return null;
      const [row] = await db
        .select({ userId: telegramCodes.userId })
        .from(telegramCodes)
        .where(isCode(vault, code, nowMs));
      return row?.userId ?? null;
    },
  };
}

function isCode(vault: Vault, code: string, nowMs: number): SQL | undefined {
  const codeKey = vault.keyedHash("telegram code", code);
  return and(eq(telegramCodes.codeKey, codeKey), gt(telegramCodes.expiresAtMs, nowMs));
}

function createDestinationStore(db: Db, vault: Vault): DestinationStore {
  return {
    async ofUser(userId) {
      const rows = await db
        .select()
        .from(table)
        .where(eq(table.userId, userId))
        .orderBy(asc(table.createdAtMs), asc(table.id));
      return rows.map(destinationOf);
    },
    connect: (destination, limit) => connect(db, vault, destination, limit),
    async addressOf(userId, channel) {
      const [row] = await db
        .select({ destination: table, wrappedDataKey: users.wrappedDataKey })
        .from(table)
        .innerJoin(users, eq(users.id, table.userId))
        .where(and(eq(table.userId, userId), eq(table.channel, channel)))
        .limit(1);
      if (row === undefined) return null;
      const { id, sealedAddress } = row.destination;
      const key = vault.dataKey(userId, row.wrappedDataKey);
      return new Secret(key.openText(sealedAddress, destinationCell(channel, id, userId)));
    },
    async byIdentity(channel, identity) {
      const addressKey = vault.keyedHash("alert address", identity);
      const [row] = await db
        .select()
        .from(table)
        .where(and(eq(table.channel, channel), eq(table.addressKey, addressKey)));
      return row === undefined ? null : destinationOf(row);
    },
    async remove(userId, id, nowMs) {
      if (!isStorable(id)) return null;
      const own = and(eq(table.userId, userId), eq(table.id, id));
      return await db.transaction(async (tx) => {
        const [removed] = await removeDestinations(tx, own);
        if (removed === undefined) return null;
        await record(tx, nowMs, "alerts.removed", removed);
        return removed;
      });
    },
    async setEvents(userId, changes) {
      if (!changes.every(({ id }) => isStorable(id))) return false;
      return await db.transaction(async (tx) => {
        const ids = changes.map(({ id }) => id);
        const known = await tx
          .select({ id: table.id })
          .from(table)
          .where(and(eq(table.userId, userId), isOneOfTexts(table.id, ids)));
        if (known.length < new Set(ids).size) return false;
        for (const { id, events } of changes)
          if (Object.keys(events).length > 0)
            await tx
              .update(table)
              .set({
                hasArticles: events.articles,
                hasPurchases: events.purchases,
                hasAccount: events.account,
                hasSummary: events.summary,
              })
              .where(eq(table.id, id));
        return true;
      });
    },
  };
}

async function connect(
  db: Db,
  vault: Vault,
  { id, userId, channel, name, address, identity, events, sessionId, code, nowMs }: NewDestination,
  limit: number,
): Promise<Connected> {
  const isOnePerPerson = ALERT_CHANNELS[channel].isOnePerPerson;
  const addressKey = isOnePerPerson ? userId : vault.keyedHash("alert address", identity);
  return await db.transaction(async (tx): Promise<Connected> => {
    // Locked, so that concurrent additions cannot exceed the limit.
    const [owner] = await tx
      .select({ wrappedDataKey: users.wrappedDataKey })
      .from(users)
      .where(eq(users.id, userId))
      .for("no key update");
    if (owner === undefined) return { kind: "absent" };
    const [known] = await tx
      .select()
      .from(table)
      .where(and(eq(table.channel, channel), eq(table.addressKey, addressKey)))
      .for("update");
    const isOwn = known?.userId === userId;
    const own = await tx
      .select({ id: table.id, state: table.state, sessionId: table.sessionId })
      .from(table)
      .where(and(eq(table.userId, userId), eq(table.channel, channel)));
    // A browser that lost its subscription gets another address with the next one.
    const replacedIds = (sessionId === null ? [] : own)
      .filter((one) => one.state === "lost" && one.sessionId === sessionId && one.id !== known?.id)
      .map((one) => one.id);
    if (!isOwn && own.length - replacedIds.length >= limit) return { kind: "full" };
    if (code !== undefined && !(await useCode(tx, vault, { userId, code, nowMs }))) return { kind: "absent" };
    if (replacedIds.length > 0) await removeDestinations(tx, isOneOfTexts(table.id, replacedIds));
    const key = vault.dataKey(userId, owner.wrappedDataKey);
    const sealFor = (row: string): Uint8Array =>
      key.sealText(address.reveal(), destinationCell(channel, row, userId));
    const fresh = { name: storableText(name), sessionId, state: "active" as const };
    if (known !== undefined && isOwn) {
      // One that cannot be read may have been another one.
      const before = unlessUnreadable(() =>
        key.openText(known.sealedAddress, destinationCell(channel, known.id, userId)),
      );
      const isRedirected = isOnePerPerson && before !== address.reveal();
      const renewed = { ...fresh, sealedAddress: sealFor(known.id), notBeforeMs: 0 };
      return await renew(tx, { ...known, ...renewed }, { isRedirected, nowMs });
    }
    // Sealed with another person's key: the row is deleted, and its waiting alerts are not sent.
    const [movedFrom = null] =
      known === undefined ? [] : await removeDestinations(tx, eq(table.id, known.id));
    if (movedFrom !== null) await record(tx, nowMs, "alerts.removed", movedFrom);
    const values = { id, userId, channel, addressKey, sealedAddress: sealFor(id), createdAtMs: nowMs };
    const [row] = await tx
      .insert(table)
      .values({
        ...values,
        ...fresh,
        hasArticles: events.articles,
        hasPurchases: events.purchases,
        hasAccount: events.account,
        hasSummary: events.summary,
      })
      .returning();
    if (row === undefined) return { kind: "absent" };
    const destination = destinationOf(row);
    if (channel !== "courriel") await record(tx, nowMs, "alerts.added", destination);
    return { kind: "connected", destination, isNew: true, isRedirected: false, movedFrom };
  });
}

async function renew(
  tx: Tx,
  renewed: typeof table.$inferSelect,
  { isRedirected, nowMs }: { readonly isRedirected: boolean; readonly nowMs: number },
): Promise<Connected> {
  await tx.update(table).set(renewed).where(eq(table.id, renewed.id));
  const destination = destinationOf(renewed);
  if (isRedirected) {
    await record(tx, nowMs, "alerts.removed", destination);
    await record(tx, nowMs, "alerts.added", destination);
  }
  return { kind: "connected", destination, isNew: false, isRedirected, movedFrom: null };
}

/** @returns false: it is not the person's code any more */
async function useCode(
  tx: Tx,
  vault: Vault,
  { userId, code, nowMs }: Pick<NewDestination, "userId" | "nowMs"> & { readonly code: string },
): Promise<boolean> {
  const used = await tx
    .delete(telegramCodes)
    .where(and(eq(telegramCodes.userId, userId), isCode(vault, code, nowMs)))
    .returning({ userId: telegramCodes.userId });
  if (used.length > 0) await changeSettings(tx, userId, { buysFromTelegram: false });
  return used.length > 0;
}

/** In the transaction of the change: alerts are planned from the entry. */
async function record(
  tx: Tx,
  atMs: number,
  kind: "alerts.added" | "alerts.removed",
  { id: destinationId, userId, channel }: Destination,
): Promise<void> {
  // Without its name, which names a person: the log outlives an erasure.
  await tx.insert(auditEntries).values({ atMs, kind, userId, details: { destinationId, channel } });
}

/** @param at.keptFor the devices of this person are kept @returns the owners of the removed ones */
export async function removeDevicesOf(
  tx: Tx,
  sessionIds: readonly SessionId[],
  { nowMs, keptFor }: { readonly nowMs: number; readonly keptFor?: UserId | undefined },
): Promise<readonly UserId[]> {
  if (sessionIds.length === 0) return [];
  const isOfOthers = keptFor === undefined ? undefined : ne(table.userId, keptFor);
  const removed = await removeDestinations(tx, and(isOneOfTexts(table.sessionId, sessionIds), isOfOthers));
  for (const one of removed) await record(tx, nowMs, "alerts.removed", one);
  return [...new Set(removed.map(({ userId }) => userId))];
}

async function removeDestinations(tx: Tx, which: SQL | undefined): Promise<readonly Destination[]> {
  const removed = await tx.delete(table).where(which).returning();
  const ids = removed.map(({ id }) => id);
  if (ids.length > 0)
    await tx
      .update(alertOutbox)
      .set({ result: "useless", reason: "removed" })
      .where(and(isOneOfTexts(alertOutbox.destinationId, ids), eq(alertOutbox.result, "waiting")));
  return removed.map(destinationOf);
}

function destinationOf(row: typeof table.$inferSelect): Destination {
  const { id, userId, channel, name, state, sessionId, notBeforeMs } = row;
  const events = {
    articles: row.hasArticles,
    purchases: row.hasPurchases,
    account: row.hasAccount,
    summary: row.hasSummary,
  };
  return { id, userId, channel, name, events, state, sessionId, notBeforeMs };
}
