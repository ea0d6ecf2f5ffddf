import { eq, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import type { Tx } from "./engines/db.ts";
import { marketplaceAccounts } from "./schema.ts";
import type { Cell, SealingKey } from "./sealing.ts";

/** Sealing and opening of the tokens in a marketplace account's row, shared by the settings and account stores. */

export type AccountRow = typeof marketplaceAccounts.$inferSelect;

const refreshTokenCell = (row: UserId): Cell => ({
  table: "marketplace_accounts",
  row,
  field: "sealed_refresh_token",
});

const givenTokenCell = (row: UserId): Cell => ({
  table: "marketplace_accounts",
  row,
  field: "sealed_given_token",
});

const accessTokenCell = (row: UserId): Cell => ({
  table: "marketplace_accounts",
  row,
  field: "sealed_access_token",
});

export function openRefreshToken(key: SealingKey, row: AccountRow): Secret | null {
  if (row.state === "absent" || row.sealedRefreshToken === null) return null;
  return new Secret(key.openText(row.sealedRefreshToken, refreshTokenCell(row.userId)));
}

export function openAccessToken(key: SealingKey, row: AccountRow): Secret | null {
  if (row.sealedAccessToken === null) return null;
  return new Secret(key.openText(row.sealedAccessToken, accessTokenCell(row.userId)));
}

export function sealRefreshToken(key: SealingKey, userId: UserId, token: Secret): Uint8Array {
  return key.sealText(token.reveal(), refreshTokenCell(userId));
}

export function sealAccessToken(key: SealingKey, userId: UserId, token: Secret): Uint8Array {
  return key.sealText(token.reveal(), accessTokenCell(userId));
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
  if (refreshToken !== null && (await stands(tx, key, { userId, refreshToken }))) return;
  const columns = {
    state: refreshToken === null ? ("absent" as const) : ("connected" as const),
    sealedRefreshToken: refreshToken === null ? null : sealRefreshToken(key, userId, refreshToken),
    sealedGivenToken:
      refreshToken === null ? null : key.sealText(refreshToken.reveal(), givenTokenCell(userId)),
    sealedAccessToken: null,
    accessExpiresAtMs: 0,
    connectedAtMs: nowMs,
    refreshOwner: null,
    refreshUntilMs: 0,
  };
  const [row] = await tx
    .update(marketplaceAccounts)
    .set({ ...columns, generation: sql`${marketplaceAccounts.generation} + 1` })
    .where(eq(marketplaceAccounts.userId, userId))
    .returning({ userId: marketplaceAccounts.userId });
  if (row === undefined && refreshToken !== null) {
    await tx.insert(marketplaceAccounts).values({ userId, generation: 1, ...columns });
  }
}

/** Whether the account is already connected by this token, rotated since or not. */
async function stands(
  tx: Tx,
  key: SealingKey,
  { userId, refreshToken }: { readonly userId: UserId; readonly refreshToken: Secret },
): Promise<boolean> {
  const [row] = await tx.select().from(marketplaceAccounts).where(eq(marketplaceAccounts.userId, userId));
  if (row?.state !== "connected") return false;
  const given =
    row.sealedGivenToken === null ? null : key.openText(row.sealedGivenToken, givenTokenCell(userId));
  const token = refreshToken.reveal();
  return token === given || token === openRefreshToken(key, row)?.reveal();
}
