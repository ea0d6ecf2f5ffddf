import { eq, sql } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import { discordWebhooks, toldAlerts } from "./alert-schema.ts";
import type { Db } from "./engines/db.ts";
import { users } from "./schema.ts";
import type { Cell } from "./sealing.ts";
import type { AlertStore } from "./store.ts";
import type { Vault } from "./vault.ts";

const webhookCell = (row: UserId): Cell => ({ table: "discord_webhooks", row, field: "sealed_webhook" });

export function createAlertStore({ db, vault }: { readonly db: Db; readonly vault: Vault }): AlertStore {
  return {
    async webhook(userId) {
      const [row] = await db
        .select({ wrappedDataKey: users.wrappedDataKey, sealedWebhook: discordWebhooks.sealedWebhook })
        .from(discordWebhooks)
        .innerJoin(users, eq(users.id, discordWebhooks.userId))
        .where(eq(discordWebhooks.userId, userId));
      if (row === undefined) return null;
      const key = vault.dataKey(userId, row.wrappedDataKey);
      return new Secret(key.openText(row.sealedWebhook, webhookCell(userId)));
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
      // A person who was erased meanwhile leaves nothing behind.
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
        .insert(toldAlerts)
        .select(
          db
            .select({
              purchaseId: sql<typeof purchaseId>`${purchaseId}::text`.as("purchase_id"),
              state: sql<typeof state>`${state}::text`.as("state"),
              userId: users.id,
              toldAtMs: sql<number>`${nowMs}::bigint`.as("told_at_ms"),
            })
            .from(users)
            .where(eq(users.id, userId)),
        )
        .onConflictDoNothing()
        .returning({ purchaseId: toldAlerts.purchaseId });
      return claimed.length > 0;
    },
  };
}
