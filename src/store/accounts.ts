import { and, asc, eq, isNull, lte, or, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { AccountRow } from "./account-rows.ts";
import { openAccessToken, openRefreshToken, sealAccessToken, sealRefreshToken } from "./account-rows.ts";
import type { Db } from "./engines/db.ts";
import { marketplaceAccounts as accounts, users } from "./schema.ts";
import type { SealingKey } from "./sealing.ts";
import type { AccountStore, AccountTokens } from "./store.ts";
import type { Vault } from "./vault.ts";

interface AccountStoreDeps {
  readonly db: Db;
  readonly vault: Vault;
}

export function createAccountStore(deps: AccountStoreDeps): AccountStore {
  const { db } = deps;
  return {
    tokens: (userId) => tokensOf(deps, userId),
    async claimRefresh(userId, { generation, owner, untilMs, nowMs }) {
      const isFree = or(isNull(accounts.refreshOwner), lte(accounts.refreshUntilMs, nowMs));
      const claimed = await db
        .update(accounts)
        .set({ refreshOwner: owner, refreshUntilMs: untilMs })
        .where(and(isGeneration(userId, generation), eq(accounts.state, "connected"), isFree))
        .returning({ userId: accounts.userId });
      return claimed.length > 0;
    },
    async saveRotation(userId, rotation) {
      const key = await dataKeyOf(deps, userId);
      if (key === null) return false;
      const saved = await db
        .update(accounts)
        .set({
          state: "connected",
          generation: sql`${accounts.generation} + 1`,
          sealedRefreshToken: sealRefreshToken(key, userId, rotation.refreshToken),
          sealedAccessToken: sealAccessToken(key, userId, rotation.accessToken),
          accessExpiresAtMs: rotation.accessExpiresAtMs,
          ...unclaimed,
        })
        .where(isGeneration(userId, rotation.generation))
        .returning({ userId: accounts.userId });
      return saved.length > 0;
    },
    async releaseRefresh(userId, owner) {
      await db
        .update(accounts)
        .set(unclaimed)
        .where(and(eq(accounts.userId, userId), eq(accounts.refreshOwner, owner)));
    },
    async markRefused(userId, generation) {
      await db
        .update(accounts)
        .set({ state: "reconnect", sealedAccessToken: null, accessExpiresAtMs: 0, ...unclaimed })
        .where(and(isGeneration(userId, generation), eq(accounts.state, "connected")));
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

function accountTokens(key: SealingKey, account: AccountRow): AccountTokens | null {
  const refreshToken = openRefreshToken(key, account);
  if (refreshToken === null) return null;
  const { accessExpiresAtMs, generation, state, connectedAtMs } = account;
  return {
    refreshToken,
    accessToken: openAccessToken(key, account),
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
