import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import { bytea, milliseconds, users } from "./schema.ts";

const ofUser = () =>
  text("user_id")
    .$type<UserId>()
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });

/** People's Discord webhooks. Anyone who knows the address can post to it, so it is sealed. */
export const discordWebhooks = pgTable("discord_webhooks", {
  userId: ofUser().primaryKey(),
  sealedWebhook: bytea("sealed_webhook").notNull(),
});

/** Alerts that were sent or claimed for sending: inserted before an alert is sent, so that two nodes never send the same one. */
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
