import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import { z } from "zod";
import { countryByName } from "#catalogue/countries.ts";
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import type { UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import {
  type Address,
  DEFAULT_LIMITS,
  EMPTY_ADDRESS,
  type Mandate,
  type MarketplaceSettings,
  type MoneyLimits,
  type SettingsChange,
} from "#domain/settings.ts";
import type { Db, Tx } from "../engines/db.ts";
import { isLockedPerson, lockPerson, makeStopTheirOwn } from "../purchases/buying-accounts.ts";
import { auditEntries, filters, marketplaceAccounts as accounts, settings, users } from "../schema/tables.ts";
import type { AccountTokens } from "../purchase-facts.ts";
import type { AccountStore, RefreshClaimOutcome, SettingsStore } from "../store.ts";
import type { Cell, SealingKey } from "../vault/sealing.ts";
import type { Vault } from "../vault/vault.ts";

/** Settings for buying, which include the state of the person's marketplace account. */
export function createSettingsStore(db: Db, vault: Vault): SettingsStore {
  return {
    async get(userId) {
      const person = await personOf(db, vault, userId);
      return person === null ? UNSAVED_SETTINGS : settingsOf(person.key, person.saved, person.account);
    },
    async change(userId, change, nowMs) {
      await db.transaction((tx) => changeSettings(vault, tx, { userId, change, nowMs }));
    },
    refreshToken: async (userId) => (await tokensOf(db, vault, userId))?.refreshToken ?? null,
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

export type SavedColumns = Omit<typeof settings.$inferSelect, "resumedAtMs">;

/** The person's key and rows; null after an erasure. A data key never changes, only its wrapping does. */
async function personOf(db: Db, vault: Vault, userId: UserId) {
  const [row] = await db
    .select({ wrappedDataKey: users.wrappedDataKey, saved: settings, account: accounts })
    .from(users)
    .innerJoin(settings, eq(settings.userId, users.id))
    .leftJoin(accounts, eq(accounts.userId, users.id))
    .where(eq(users.id, userId));
  return row === undefined ? null : { ...row, key: vault.dataKey(userId, row.wrappedDataKey) };
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
      tokenTail: token === null ? "" : tailOf(token),
    },
    limits: limitsOf(saved),
    mandate: mandateOf(saved),
  };
}

/** By whole characters: half of one would be no valid text, and could not be sent back. */
function tailOf(token: Secret): string {
  return Array.from(token.reveal()).slice(-TOKEN_TAIL_LENGTH).join("");
}

export function limitsOf(saved: Pick<SavedColumns, keyof MoneyLimits>): MoneyLimits {
  const { dayEur, monthEur, purchasesPerDay, isStopped, isPrudent } = saved;
  return { dayEur, monthEur, purchasesPerDay, isStopped, isPrudent };
}

function mandateOf({ mandateVersion, mandatedAtMs }: SavedColumns): Mandate | null {
  if (mandateVersion === null || mandatedAtMs === null) return null;
  return { version: mandateVersion, givenAtMs: mandatedAtMs };
}

export function openAddress(
  key: SealingKey,
  { userId, sealedAddress }: Pick<SavedColumns, "userId" | "sealedAddress">,
): Address {
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

/** Within the caller's transaction. Throws for a person who does not exist. */
export async function changeSettings(vault: Vault, tx: Tx, { userId, change, nowMs }: Change): Promise<void> {
  // Purchase decisions about this person commit before, or are made again after this change.
  await lockPerson(tx, userId);
  const person = await personOf(tx, vault, userId);
  if (person === null) throw new Error("settings of a person who does not exist");
  const isResumed = person.saved.isStopped && change.limits?.isStopped === false;
  const columns = {
    ...changedColumns(person.key, userId, change),
    resumedAtMs: isResumed ? nowMs : undefined,
    ...mandateColumns(change, nowMs),
  };
  if (Object.values(columns).some((value) => value !== undefined)) {
    await tx.update(settings).set(columns).where(eq(settings.userId, userId));
  }
  // In the same transaction: no filter may buy automatically without the mandate that it requires.
  if (change.mandateVersion === null)
    await tx.update(filters).set({ isAutobuy: false }).where(eq(filters.userId, userId));
  if (change.limits?.isStopped === true) await makeStopTheirOwn(tx, userId);
  if (change.refreshToken !== undefined)
    await saveAccount(tx, person, { userId, refreshToken: change.refreshToken, nowMs });
}

function mandateColumns({ mandateVersion }: SettingsChange, nowMs: number) {
  if (mandateVersion === undefined) return {};
  return { mandateVersion, mandatedAtMs: mandateVersion === null ? null : nowMs };
}

/** Undefined fields are not changed. */
function changedColumns(key: SealingKey, userId: UserId, change: SettingsChange) {
  const { paymentMethodId, address, pickupPointNames, limits } = change;
  const sealed = (value: unknown, cell: Cell) =>
    value === undefined ? undefined : key.sealText(JSON.stringify(value), cell);
  return {
    paymentMethodId,
    sealedAddress: sealed(address, addressCell(userId)),
    sealedPickupPoints: sealed(pickupPointNames, pickupPointsCell(userId)),
    ...limits,
  };
}

export function createAccountStore(db: Db, vault: Vault): AccountStore {
  return {
    tokens: (userId) => tokensOf(db, vault, userId),
    claimRefresh: (userId, claim) => claimRefresh(db, userId, claim),
    async saveRotation(userId, rotation) {
      const person = await personOf(db, vault, userId);
      if (person === null) return false;
      const sealed = (token: Secret, field: TokenField) =>
        person.key.sealText(token.reveal(), cellOf(userId, field));
      const saved = await db
        .update(accounts)
        .set({
          state: "connected",
          generation: sql`${accounts.generation} + 1`,
          sealedRefreshToken: sealed(rotation.refreshToken, "sealed_refresh_token"),
          sealedAccessToken: sealed(rotation.accessToken, "sealed_access_token"),
          accessExpiresAtMs: rotation.accessExpiresAtMs,
          ...unclaimed,
        })
        .where(and(isGeneration(userId, rotation.generation), isLockedPerson(userId)))
        .returning({ userId: accounts.userId });
      return saved.length > 0;
    },
    async releaseRefresh(userId, owner) {
      await db
        .update(accounts)
        .set(unclaimed)
        .where(and(eq(accounts.userId, userId), eq(accounts.refreshOwner, owner)));
    },
    async markRefused(userId, generation, nowMs) {
      await db.transaction(async (tx) => {
        const marked = await tx
          .update(accounts)
          .set({ state: "reconnect", sealedAccessToken: null, accessExpiresAtMs: 0, ...unclaimed })
          .where(
            and(isGeneration(userId, generation), eq(accounts.state, "connected"), isLockedPerson(userId)),
          )
          .returning({ userId: accounts.userId });
        if (marked.length > 0)
          await tx.insert(auditEntries).values({ atMs: nowMs, kind: "account.refused", userId, details: {} });
      });
    },
    async askToWait(userId, untilMs) {
      // "greatest" ignores null.
      await db
        .update(accounts)
        .set({ askedToWaitUntilMs: sql`greatest(${accounts.askedToWaitUntilMs}, ${untilMs}::bigint)` })
        .where(eq(accounts.userId, userId));
    },
    async connectedUserIds() {
      const rows = await db
        .select({ userId: accounts.userId })
        .from(accounts)
        .where(sql`${accounts.state} = 'connected'`)
        .orderBy(asc(accounts.userId));
      return rows.map(({ userId }) => userId);
    },
  };
}

async function claimRefresh(
  db: Db,
  userId: UserId,
  { generation, owner, untilMs, abandoned }: Parameters<AccountStore["claimRefresh"]>[1],
): Promise<RefreshClaimOutcome> {
  const isConnected = and(isGeneration(userId, generation), eq(accounts.state, "connected"));
  const isFree = or(
    isNull(accounts.refreshOwner),
    abandoned === null
      ? sql`false`
      : and(eq(accounts.refreshOwner, abandoned.owner), eq(accounts.refreshUntilMs, abandoned.untilMs)),
  );
  const claimed = await db
    .update(accounts)
    .set({ refreshOwner: owner, refreshUntilMs: untilMs })
    .where(and(isConnected, isFree))
    .returning({ userId: accounts.userId });
  if (claimed.length > 0) return { kind: "claimed" };
  const [held] = await db
    .select({ owner: accounts.refreshOwner, untilMs: accounts.refreshUntilMs })
    .from(accounts)
    .where(isConnected);
  if (held === undefined) return { kind: "moved_on" };
  // Released between the two statements: free for the next attempt.
  return { kind: "held", by: { owner: held.owner ?? "", untilMs: held.untilMs } };
}

const unclaimed = { refreshOwner: null, refreshUntilMs: 0 };

const isGeneration = (userId: UserId, generation: number) =>
  and(eq(accounts.userId, userId), eq(accounts.generation, generation));

async function tokensOf(db: Db, vault: Vault, userId: UserId): Promise<AccountTokens | null> {
  const person = await personOf(db, vault, userId);
  return person === null || person.account === null ? null : accountTokens(person.key, person.account);
}

/** Null while no account is connected. */
export function accountTokens(key: SealingKey, account: TokenColumns): AccountTokens | null {
  const refreshToken = openRefreshToken(key, account);
  if (refreshToken === null) return null;
  const { accessExpiresAtMs, generation, state, connectedAtMs, ordersSinceMs, askedToWaitUntilMs } = account;
  return {
    refreshToken,
    accessToken: opened(key, account.sealedAccessToken, cellOf(account.userId, "sealed_access_token")),
    accessExpiresAtMs,
    generation,
    state,
    connectedAtMs,
    ordersSinceMs: ordersSinceMs ?? connectedAtMs,
    askedToWaitUntilMs: askedToWaitUntilMs ?? 0,
  };
}

type AccountRow = typeof accounts.$inferSelect;

/** The columns of a marketplace session. */
export type TokenColumns = Pick<
  AccountRow,
  | "userId"
  | "state"
  | "generation"
  | "sealedRefreshToken"
  | "sealedAccessToken"
  | "accessExpiresAtMs"
  | "connectedAtMs"
  | "ordersSinceMs"
  | "askedToWaitUntilMs"
>;

type TokenField = "sealed_refresh_token" | "sealed_given_token" | "sealed_access_token";

const cellOf = (row: UserId, field: TokenField): Cell => ({ table: "marketplace_accounts", row, field });

function opened(key: SealingKey, sealed: Uint8Array | null, cell: Cell): Secret | null {
  return sealed === null ? null : new Secret(key.openText(sealed, cell));
}

function openRefreshToken(
  key: SealingKey,
  { state, userId, sealedRefreshToken }: TokenColumns,
): Secret | null {
  return state === "absent" ? null : opened(key, sealedRefreshToken, cellOf(userId, "sealed_refresh_token"));
}

/**
 * Saves the person's refresh token, or disconnects the account (null). Either way a new generation begins, so
 * that a refresh of the previous token that is still in flight can no longer be saved or marked as refused.
 * Saving the token that already connects the account changes nothing: its first rotation used it up, and
 * storing it again would end the session.
 */
async function saveAccount(
  tx: Tx,
  { key, account }: { readonly key: SealingKey; readonly account: AccountRow | null },
  saved: { readonly userId: UserId; readonly refreshToken: Secret | null; readonly nowMs: number },
): Promise<void> {
  const { userId, refreshToken, nowMs } = saved;
  if (refreshToken !== null && account !== null && isSameToken(key, account, refreshToken)) return;
  const sealed = (field: TokenField) =>
    refreshToken === null ? null : key.sealText(refreshToken.reveal(), cellOf(userId, field));
  const columns = {
    state: refreshToken === null ? ("absent" as const) : ("connected" as const),
    sealedRefreshToken: sealed("sealed_refresh_token"),
    sealedGivenToken: sealed("sealed_given_token"),
    sealedAccessToken: null,
    accessExpiresAtMs: 0,
    connectedAtMs: nowMs,
    ordersSinceMs: account?.state === "reconnect" ? (account.ordersSinceMs ?? account.connectedAtMs) : nowMs,
    generation: (account?.generation ?? 0) + 1,
    ...unclaimed,
  };
  if (account !== null) await tx.update(accounts).set(columns).where(eq(accounts.userId, userId));
  else if (refreshToken !== null) await tx.insert(accounts).values({ userId, ...columns });
}

/** Whether this token, rotated since or not, already connects the account. */
function isSameToken(key: SealingKey, account: AccountRow, refreshToken: Secret): boolean {
  if (account.state !== "connected") return false;
  const given = opened(key, account.sealedGivenToken, cellOf(account.userId, "sealed_given_token"));
  return [given, openRefreshToken(key, account)].some((one) => one?.reveal() === refreshToken.reveal());
}
