import { createDiscordCalls } from "#alerts/discord-calls.ts";
import type { PurchaseAlerts } from "#alerts/purchase-alerts.ts";
import { createPurchaseAlerts } from "#alerts/purchase-alerts.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import type { Foundation } from "./foundation.ts";

/** Fixed: people's webhooks are on this host only. */
const DISCORD_URL = "https://discord.com";

/** Purchase alerts in people's own Discord channels. */
export function buildAlerts(
  { store, config, discordUrl = DISCORD_URL, events, clock, log }: Foundation,
  purchasing: Pick<Purchasing, "byId">,
): PurchaseAlerts {
  return createPurchaseAlerts({
    store,
    publicUrl: config.publicUrl,
    purchaseById: (userId, id) => purchasing.byId(userId, id),
    discord: createDiscordCalls(discordUrl),
    events,
    clock,
    log,
  });
}
