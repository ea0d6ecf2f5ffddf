import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { AccountRow } from "./account-rows.ts";
import { openAccessToken, openRefreshToken, sealAccessToken, sealRefreshToken } from "./account-rows.ts";
import type { Db } from "./engines/db.ts";
import { preparedRead, type Slot } from "./prepared-read.ts";
import { marketplaceAccounts as accounts, users } from "./schema.ts";
import type { SealingKey } from "./sealing.ts";
import type { AccountStore, AccountTokens, RefreshClaimOutcome } from "./store.ts";
import type { Vault } from "./vault.ts";

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

const accountOf = preparedRead((db, slot: Slot<"userId">) =>
  db
    .select({ account: accounts, wrappedDataKey: users.wrappedDataKey })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.userId))
    .where(eq(accounts.userId, slot("userId"))),
);

async function tokensOf({ db, vault }: AccountStoreDeps, userId: UserId): Promise<AccountTokens | null> {
  const [row] = await accountOf(db, { userId });
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
