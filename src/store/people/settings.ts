import { eq } from "drizzle-orm";
import { z } from "zod";
import { countryByName } from "#catalogue/countries.ts";
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import type { UserId } from "#domain/ids.ts";
import type { Secret } from "#domain/secret.ts";
import {
  type Address,
  type Mandate,
  type MarketplaceSettings,
  type MoneyLimits,
  DEFAULT_LIMITS,
  EMPTY_ADDRESS,
} from "#domain/settings.ts";
import { openRefreshToken, saveAccount, type TokenColumns } from "./accounts.ts";
import type { Db, Tx } from "../engines/db.ts";
import { lockPerson } from "../purchases/locks.ts";
import { filters, marketplaceAccounts, settings, users } from "../schema/tables.ts";
import type { Cell, SealingKey } from "../vault/sealing.ts";
import type { SettingsChange, SettingsStore } from "../store.ts";
import type { Vault } from "../vault/vault.ts";

interface SettingsStoreDeps {
  readonly db: Db;
  readonly vault: Vault;
}

export function createSettingsStore(deps: SettingsStoreDeps): SettingsStore {
  return {
    async get(userId) {
      const rows = await rowsOf(deps.db, userId);
      if (rows === null) return UNSAVED_SETTINGS;
      const { saved, account, wrappedDataKey } = rows;
      return settingsOf(deps.vault.dataKey(userId, wrappedDataKey), saved, account);
    },
    async change(userId, change, nowMs) {
      await deps.db.transaction((tx) => changeSettings(deps.vault, tx, { userId, change, nowMs }));
    },
    async refreshToken(userId) {
      const rows = await rowsOf(deps.db, userId);
      return rows === null ? null : savedRefreshToken(deps.vault, rows);
    },
  };
}

export const UNSAVED_SETTINGS: MarketplaceSettings = {
  paymentMethodId: DEFAULT_PAYMENT_METHOD_ID,
  address: EMPTY_ADDRESS,
  pickupPointNames: [],
  account: { state: "absent", tokenTail: "" },
  limits: DEFAULT_LIMITS,
  mandate: null,
};

const TOKEN_TAIL_LENGTH = 4;

const addressCell = (row: UserId): Cell => ({ table: "settings", row, field: "sealed_address" });
const pickupPointsCell = (row: UserId): Cell => ({ table: "settings", row, field: "sealed_pickup_points" });

const addressSchema: z.ZodType<Address> = z.object({
  street: z.string(),
  city: z.string(),
  postalCode: z.number(),
  country: z.string().transform((name) => countryByName(name)?.name ?? EMPTY_ADDRESS.country),
});

const pickupPointsSchema = z.array(z.string());

type SettingsRow = typeof settings.$inferSelect;
type AccountRow = typeof marketplaceAccounts.$inferSelect;
export type SavedColumns = Omit<SettingsRow, "resumedAtMs">;

interface PersonRows {
  readonly wrappedDataKey: Uint8Array;
  readonly saved: SettingsRow;
  readonly account: AccountRow | null;
}

async function rowsOf(db: Db, userId: UserId): Promise<PersonRows | null> {
  const [row] = await db
    .select({ wrappedDataKey: users.wrappedDataKey, saved: settings, account: marketplaceAccounts })
    .from(users)
    .innerJoin(settings, eq(settings.userId, users.id))
    .leftJoin(marketplaceAccounts, eq(marketplaceAccounts.userId, users.id))
    .where(eq(users.id, userId));
  return row ?? null;
}

export function settingsOf(
  key: SealingKey,
  saved: SavedColumns,
  account: TokenColumns | null,
): MarketplaceSettings {
  const token = account === null ? null : openRefreshToken(key, account);
  return {
    paymentMethodId: saved.paymentMethodId,
    address: openAddress(key, saved),
    pickupPointNames: openPickupPoints(key, saved),
    account: {
      state: account?.state ?? "absent",
      tokenTail: token === null ? "" : token.reveal().slice(-TOKEN_TAIL_LENGTH),
    },
    limits: limitsOf(saved),
    mandate: mandateOf(saved),
  };
}

function savedRefreshToken(vault: Vault, { saved, wrappedDataKey, account }: PersonRows): Secret | null {
  return account === null ? null : openRefreshToken(vault.dataKey(saved.userId, wrappedDataKey), account);
}

export function limitsOf(saved: Pick<SavedColumns, keyof MoneyLimits>): MoneyLimits {
  const { dayEur, monthEur, purchasesPerDay, isStopped, isPrudent } = saved;
  return { dayEur, monthEur, purchasesPerDay, isStopped, isPrudent };
}

function mandateOf({ mandateVersion, mandatedAtMs }: SavedColumns): Mandate | null {
  if (mandateVersion === null || mandatedAtMs === null) return null;
  return { version: mandateVersion, givenAtMs: mandatedAtMs };
}

function openAddress(key: SealingKey, { userId, sealedAddress }: SavedColumns): Address {
  if (sealedAddress === null) return EMPTY_ADDRESS;
  return addressSchema.parse(JSON.parse(key.openText(sealedAddress, addressCell(userId))));
}

function openPickupPoints(key: SealingKey, { userId, sealedPickupPoints }: SavedColumns): readonly string[] {
  if (sealedPickupPoints === null) return [];
  return pickupPointsSchema.parse(JSON.parse(key.openText(sealedPickupPoints, pickupPointsCell(userId))));
}

interface Change {
  readonly userId: UserId;
  readonly change: SettingsChange;
  readonly nowMs: number;
}

async function changeSettings(vault: Vault, tx: Tx, { userId, change, nowMs }: Change): Promise<void> {
  // Decisions about this person's money commit before, or are made again after this change.
  await lockPerson(tx, userId);
  const [owner] = await tx
    .select({ wrappedDataKey: users.wrappedDataKey, isStopped: settings.isStopped })
    .from(settings)
    .innerJoin(users, eq(users.id, settings.userId))
    .where(eq(settings.userId, userId));
  if (owner === undefined) throw new Error("settings of a person who does not exist");
  const key = vault.dataKey(userId, owner.wrappedDataKey);
  const isResumed = owner.isStopped && change.limits?.isStopped === false;
  const columns = {
    ...changedColumns(key, userId, change),
    resumedAtMs: isResumed ? nowMs : undefined,
    ...mandateColumns(change, nowMs),
  };
  if (Object.values(columns).some((value) => value !== undefined)) {
    await tx.update(settings).set(columns).where(eq(settings.userId, userId));
  }
  // In the same transaction: no autobuy flag may outlive the mandate that it requires.
  if (change.mandateVersion === null)
    await tx.update(filters).set({ isAutobuy: false }).where(eq(filters.userId, userId));
  if (change.refreshToken !== undefined) {
    await saveAccount(tx, key, { userId, refreshToken: change.refreshToken, nowMs });
  }
}

function mandateColumns({ mandateVersion }: SettingsChange, nowMs: number) {
  if (mandateVersion === undefined) return {};
  return { mandateVersion, mandatedAtMs: mandateVersion === null ? null : nowMs };
}

/** Undefined: unchanged. */
function changedColumns(key: SealingKey, userId: UserId, change: SettingsChange) {
  const { paymentMethodId, address, pickupPointNames, limits } = change;
  const sealed = (value: unknown, cell: Cell) =>
    value === undefined ? undefined : key.sealText(JSON.stringify(value), cell);
  return {
    paymentMethodId,
    sealedAddress: sealed(address, addressCell(userId)),
    sealedPickupPoints: sealed(pickupPointNames, pickupPointsCell(userId)),
    dayEur: limits?.dayEur,
    monthEur: limits?.monthEur,
    purchasesPerDay: limits?.purchasesPerDay,
    isStopped: limits?.isStopped,
    isPrudent: limits?.isPrudent,
  };
}
