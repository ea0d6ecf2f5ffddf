import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Db, Tx } from "../engines/db.ts";
import { isLockedPerson } from "../purchases/locks.ts";
import { auditEntries, marketplaceAccounts as accounts, users } from "../schema/tables.ts";
import type { SealingKey, Cell } from "../vault/sealing.ts";
import type { AccountStore, AccountTokens, RefreshClaimOutcome } from "../store.ts";
import type { Vault } from "../vault/vault.ts";
import { Secret } from "#domain/secret.ts";

interface AccountStoreDeps {
  readonly db: Db;
  readonly vault: Vault;
}

export function createAccountStore(deps: AccountStoreDeps): AccountStore {
  const { db } = deps;
  return {
    tokens: (userId) => tokensOf(deps, userId),
    claimRefresh: (userId, claim) => claimRefresh(db, userId, claim),
    async saveRotation(userId, rotation) {
      const key = await dataKeyOf(deps, userId);
      if (key === null) return false;
      const sealed = (token: Secret, field: TokenField) =>
        key.sealText(token.reveal(), cellOf(userId, field));
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

async function tokensOf({ db, vault }: AccountStoreDeps, userId: UserId): Promise<AccountTokens | null> {
  const [row] = await db
    .select({ account: accounts, wrappedDataKey: users.wrappedDataKey })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.userId))
    .where(eq(accounts.userId, userId));
  return row === undefined ? null : accountTokens(vault.dataKey(userId, row.wrappedDataKey), row.account);
}

/** Null while no account is connected. */
export function accountTokens(key: SealingKey, account: TokenColumns): AccountTokens | null {
  const refreshToken = openRefreshToken(key, account);
  if (refreshToken === null) return null;
  const { accessExpiresAtMs, generation, state, connectedAtMs } = account;
  return {
    refreshToken,
    accessToken: opened(key, account.sealedAccessToken, cellOf(account.userId, "sealed_access_token")),
    accessExpiresAtMs,
    generation,
    state,
    connectedAtMs,
  };
}

/** Null once the person is erased. A person's data key never changes, only its wrapping does. */
async function dataKeyOf({ db, vault }: AccountStoreDeps, userId: UserId): Promise<SealingKey | null> {
  const [row] = await db
    .select({ wrappedDataKey: users.wrappedDataKey })
    .from(users)
    .where(eq(users.id, userId));
  return row === undefined ? null : vault.dataKey(userId, row.wrappedDataKey);
}

type AccountRow = typeof accounts.$inferSelect;

/** What a session consists of. */
export type TokenColumns = Pick<
  AccountRow,
  | "userId"
  | "state"
  | "generation"
  | "sealedRefreshToken"
  | "sealedAccessToken"
  | "accessExpiresAtMs"
  | "connectedAtMs"
>;

type TokenField = "sealed_refresh_token" | "sealed_given_token" | "sealed_access_token";

const cellOf = (row: UserId, field: TokenField): Cell => ({ table: "marketplace_accounts", row, field });

function opened(key: SealingKey, sealed: Uint8Array | null, cell: Cell): Secret | null {
  return sealed === null ? null : new Secret(key.openText(sealed, cell));
}

export function openRefreshToken(
  key: SealingKey,
  { state, userId, sealedRefreshToken }: TokenColumns,
): Secret | null {
  return state === "absent" ? null : opened(key, sealedRefreshToken, cellOf(userId, "sealed_refresh_token"));
}

/**
 * Saves the person's refresh token, or disconnects the account (null). Either way a new generation begins, so that a
 * refresh of the previous token that is still in flight can no longer be saved or marked as refused. Saving the token
 * that already connects the account changes nothing: it was used up by its first rotation, and storing it again would
 * end the session.
 */
export async function saveAccount(
  tx: Tx,
  key: SealingKey,
  saved: { readonly userId: UserId; readonly refreshToken: Secret | null; readonly nowMs: number },
): Promise<void> {
  const { userId, refreshToken, nowMs } = saved;
  if (refreshToken !== null && (await isSameToken(tx, key, { userId, refreshToken }))) return;
  const sealed = (field: TokenField) =>
    refreshToken === null ? null : key.sealText(refreshToken.reveal(), cellOf(userId, field));
  const columns = {
    state: refreshToken === null ? ("absent" as const) : ("connected" as const),
    sealedRefreshToken: sealed("sealed_refresh_token"),
    sealedGivenToken: sealed("sealed_given_token"),
    sealedAccessToken: null,
    accessExpiresAtMs: 0,
    connectedAtMs: nowMs,
    ...unclaimed,
  };
  const [row] = await tx
    .update(accounts)
    .set({ ...columns, generation: sql`${accounts.generation} + 1` })
    .where(eq(accounts.userId, userId))
    .returning({ userId: accounts.userId });
  if (row === undefined && refreshToken !== null) {
    await tx.insert(accounts).values({ userId, generation: 1, ...columns });
  }
}

/** Whether the account is already connected by this token, rotated since or not. */
async function isSameToken(
  tx: Tx,
  key: SealingKey,
  { userId, refreshToken }: { readonly userId: UserId; readonly refreshToken: Secret },
): Promise<boolean> {
  const [row] = await tx.select().from(accounts).where(eq(accounts.userId, userId));
  if (row?.state !== "connected") return false;
  const given = opened(key, row.sealedGivenToken, cellOf(userId, "sealed_given_token"));
  return [given, openRefreshToken(key, row)].some((one) => one?.reveal() === refreshToken.reveal());
}
