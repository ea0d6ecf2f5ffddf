import { eq, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { batchLookups } from "#domain/concurrency.ts";
import { discordWebhooks, sentAlerts, users } from "../schema/tables.ts";
import type { Db } from "../engines/db.ts";
import { isOneOfTexts } from "../sql/rows.ts";
import type { Cell } from "../vault/sealing.ts";
import type { AlertStore } from "../store.ts";
import type { Vault } from "../vault/vault.ts";

const MAX_BATCH = 200;

const webhookCell = (row: UserId): Cell => ({ table: "discord_webhooks", row, field: "sealed_webhook" });

export function createAlertStore({ db, vault }: { readonly db: Db; readonly vault: Vault }): AlertStore {
  /** Read at each change of a purchase; one page of listings can cause many. */
  const sealedOf = batchLookups(
    async (userIds: readonly UserId[]) =>
      await db
        .select({
          userId: users.id,
          wrappedDataKey: users.wrappedDataKey,
          sealedWebhook: discordWebhooks.sealedWebhook,
        })
        .from(discordWebhooks)
        .innerJoin(users, eq(users.id, discordWebhooks.userId))
        .where(isOneOfTexts(discordWebhooks.userId, userIds)),
    ({ userId }) => userId,
    MAX_BATCH,
  );

  return {
    async webhook(userId) {
      const sealed = await sealedOf(userId);
      if (sealed === null) return null;
      // Opened per caller: one person's unreadable value must not fail the others of the batch.
      const key = vault.dataKey(userId, sealed.wrappedDataKey);
      return new Secret(key.openText(sealed.sealedWebhook, webhookCell(userId)));
    },
    async setWebhook(userId, webhook) {
      if (webhook === null) {
        await db.delete(discordWebhooks).where(eq(discordWebhooks.userId, userId));
        return;
      }
      const [owner] = await db
        .select({ wrappedDataKey: users.wrappedDataKey })
        .from(users)
        .where(eq(users.id, userId));
      // Nothing is written for a person who was erased in the meantime.
      if (owner === undefined) return;
      const key = vault.dataKey(userId, owner.wrappedDataKey);
      const sealedWebhook = key.sealText(webhook.reveal(), webhookCell(userId));
      await db
        .insert(discordWebhooks)
        .values({ userId, sealedWebhook })
        .onConflictDoUpdate({ target: discordWebhooks.userId, set: { sealedWebhook } });
    },
    async claim({ purchaseId, userId, state, nowMs }) {
      const claimed = await db
        .insert(sentAlerts)
        .select(
          db
            .select({
              purchaseId: sql<typeof purchaseId>`${purchaseId}::text`.as("purchase_id"),
              state: sql<typeof state>`${state}::text`.as("state"),
              userId: users.id,
              sentAtMs: sql<number>`${nowMs}::bigint`.as("told_at_ms"),
            })
            .from(users)
            .where(eq(users.id, userId)),
        )
        .onConflictDoNothing()
        .returning({ purchaseId: sentAlerts.purchaseId });
      return claimed.length > 0;
    },
  };
}
