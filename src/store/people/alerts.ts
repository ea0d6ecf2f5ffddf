import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { AlertSettings, AlertSettingsChange } from "#domain/alert.ts";
import type { UserId } from "#domain/ids.ts";
import type { AlertLinkStore, AlertStore, TelegramCodeStore, VapidKeys } from "../alert-store.ts";
import type { Db, Sql } from "../engines/db.ts";
import { alertLinks, alertOutbox, alertSettings, telegramCodes, users } from "../schema/tables.ts";
import { deleteInChunks, isStorable } from "../sql/values.ts";
import type { Vault } from "../vault/vault.ts";
import { createDestinationStore } from "./alert-destinations.ts";
import { createOutboxStore, settingsOf } from "./alert-outbox.ts";

interface Deps {
  readonly db: Db;
  readonly sql: Sql;
  readonly vault: Vault;
}

export function createAlertStore(deps: Deps): AlertStore {
  const { db, vault } = deps;
  return {
    destinations: createDestinationStore(deps),
    outbox: createOutboxStore(deps),
    links: createLinkStore(db),
    telegram: createCodeStore(deps),
    settings: (userId) => savedSettings(db, userId),
    changeSettings: (userId, change) => changeSettings(db, userId, change),
    async vapidKeys(make) {
      const keys = await vault.ownSecret("vapid_keys", () => JSON.stringify(make()));
      return vapidShape.parse(JSON.parse(keys));
    },
    linkKey: vault.derivedKey("alert links"),
    async prune(nowMs) {
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
  // Nothing is written for a person who was erased in the meantime.
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

function createCodeStore({ db, vault }: Pick<Deps, "db" | "vault">): TelegramCodeStore {
  return {
    async save(userId, code, expiresAtMs) {
      const values = { codeKey: vault.keyedHash("telegram code", code), expiresAtMs };
      await db
        .insert(telegramCodes)
        .values({ userId, ...values })
        .onConflictDoUpdate({ target: telegramCodes.userId, set: values });
    },
    async take(code, nowMs) {
      if (!isStorable(code)) return null;
      const codeKey = vault.keyedHash("telegram code", code);
      const [taken] = await db
        .delete(telegramCodes)
        .where(and(eq(telegramCodes.codeKey, codeKey), gt(telegramCodes.expiresAtMs, nowMs)))
        .returning({ userId: telegramCodes.userId });
      return taken?.userId ?? null;
    },
  };
}
