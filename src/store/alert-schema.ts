import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import { bytea, milliseconds, users } from "./schema.ts";

const ofUser = () =>
  text("user_id")
    .$type<UserId>()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** Where people want to be told of their purchases; whoever has the address can write there, so it is sealed. */
export const discordWebhooks = pgTable("discord_webhooks", {
  userId: ofUser().primaryKey(),
  sealedWebhook: bytea("sealed_webhook").notNull(),
});

/** What was told already, or was about to be: written before an alert leaves, so that no two nodes tell the same. */
export const toldAlerts = pgTable(
  "told_alerts",
  {
    purchaseId: text("purchase_id").$type<PurchaseId>().notNull(),
    state: text("state").$type<PurchaseState>().notNull(),
    userId: ofUser(),
    toldAtMs: milliseconds("told_at_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.purchaseId, table.state] })],
);
