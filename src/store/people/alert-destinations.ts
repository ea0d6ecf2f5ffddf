import { and, asc, eq, type SQL } from "drizzle-orm";
import { ALERT_CHANNELS, type AlertChannelName } from "#catalogue/alert-channels.ts";
import type { SessionId, UserId } from "#domain/ids.ts";
import { Secret } from "#domain/secret.ts";
import type { Connected, Destination, DestinationStore, NewDestination } from "../alert-store.ts";
import type { Db, Tx } from "../engines/db.ts";
import { alertDestinations as table, alertOutbox, users } from "../schema/tables.ts";
import { isOneOfTexts, isStorable, storableText } from "../sql/values.ts";
import type { Cell } from "../vault/sealing.ts";
import type { Vault } from "../vault/vault.ts";

interface Deps {
  readonly db: Db;
  readonly vault: Vault;
}

/** Webhooks were sealed for a table of their own before they moved, and stay sealed for it. */
export const destinationCell = (channel: AlertChannelName, id: string, userId: UserId): Cell =>
  channel === "discord"
    ? { table: "discord_webhooks", row: userId, field: "sealed_webhook" }
    : { table: "alert_destinations", row: id, field: "sealed_address" };

export function createDestinationStore(deps: Deps): DestinationStore {
  const { db, vault } = deps;
  return {
    async ofUser(userId) {
      const rows = await db
        .select()
        .from(table)
        .where(eq(table.userId, userId))
        .orderBy(asc(table.createdAtMs), asc(table.id));
      return rows.map(destinationOf);
    },
    connect: (destination, limit) => connect(deps, destination, limit),
    async addressOf(userId, channel) {
      const [row] = await db
        .select({ destination: table, wrappedDataKey: users.wrappedDataKey })
        .from(table)
        .innerJoin(users, eq(users.id, table.userId))
        .where(and(eq(table.userId, userId), eq(table.channel, channel)))
        .limit(1);
      if (row === undefined) return null;
      const { id, sealedAddress } = row.destination;
      const key = vault.dataKey(userId, row.wrappedDataKey);
      return new Secret(key.openText(sealedAddress, destinationCell(channel, id, userId)));
    },
    async byIdentity(channel, identity) {
      const addressKey = vault.keyedHash("alert address", identity);
      const [row] = await db
        .select()
        .from(table)
        .where(and(eq(table.channel, channel), eq(table.addressKey, addressKey)));
      return row === undefined ? null : destinationOf(row);
    },
    async remove(userId, id) {
      if (!isStorable(id)) return null;
      const own = and(eq(table.userId, userId), eq(table.id, id));
      const [removed] = await db.transaction((tx) => removeDestinations(tx, own));
      return removed ?? null;
    },
    async setEvents(userId, changes) {
      if (!changes.every(({ id }) => isStorable(id))) return false;
      return await db.transaction(async (tx) => {
        const ids = changes.map(({ id }) => id);
        const known = await tx
          .select({ id: table.id })
          .from(table)
          .where(and(eq(table.userId, userId), isOneOfTexts(table.id, ids)));
        if (known.length < new Set(ids).size) return false;
        for (const { id, events } of changes) {
          const { articles, purchases, account, summary } = events;
          if (Object.keys(events).length > 0)
            await tx
              .update(table)
              .set({
                hasArticles: articles,
                hasPurchases: purchases,
                hasAccount: account,
                hasSummary: summary,
              })
              .where(eq(table.id, id));
        }
        return true;
      });
    },
  };
}

async function connect(
  { db, vault }: Deps,
  { id, userId, channel, name, address, identity, events, sessionId, nowMs }: NewDestination,
  limit: number,
): Promise<Connected> {
  const isOnePerPerson = ALERT_CHANNELS[channel].isOnePerPerson;
  const addressKey = isOnePerPerson ? userId : vault.keyedHash("alert address", identity);
  return await db.transaction(async (tx): Promise<Connected> => {
    // Locked, so that concurrent additions cannot exceed the limit.
    const [owner] = await tx
      .select({ wrappedDataKey: users.wrappedDataKey })
      .from(users)
      .where(eq(users.id, userId))
      .for("no key update");
    if (owner === undefined) return { kind: "absent" };
    const [known] = await tx
      .select()
      .from(table)
      .where(and(eq(table.channel, channel), eq(table.addressKey, addressKey)))
      .for("update");
    const isOwn = known?.userId === userId;
    const own = await tx
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.userId, userId), eq(table.channel, channel)));
    if (!isOwn && own.length >= limit) return { kind: "full" };
    const key = vault.dataKey(userId, owner.wrappedDataKey);
    const sealFor = (row: string): Uint8Array =>
      key.sealText(address.reveal(), destinationCell(channel, row, userId));
    const fresh = { name: storableText(name), sessionId, state: "active" as const };
    if (known !== undefined && isOwn) {
      const renewed = { ...fresh, sealedAddress: sealFor(known.id), notBeforeMs: 0 };
      const [row] = await tx.update(table).set(renewed).where(eq(table.id, known.id)).returning();
      return connectedTo(row, { isNew: false, movedFrom: null });
    }
    // Sealed under another person's key: the row ends, and what waits for it is not sent.
    if (known !== undefined) await removeDestinations(tx, eq(table.id, known.id));
    const values = { id, userId, channel, addressKey, sealedAddress: sealFor(id), createdAtMs: nowMs };
    const [row] = await tx
      .insert(table)
      .values({
        ...values,
        ...fresh,
        hasArticles: events.articles,
        hasPurchases: events.purchases,
        hasAccount: events.account,
        hasSummary: events.summary,
      })
      .returning();
    return connectedTo(row, { isNew: true, movedFrom: known?.userId ?? null });
  });
}

function connectedTo(
  row: typeof table.$inferSelect | undefined,
  rest: { readonly isNew: boolean; readonly movedFrom: UserId | null },
): Connected {
  return row === undefined
    ? { kind: "absent" }
    : { kind: "connected", destination: destinationOf(row), ...rest };
}

/** Removes the devices of sessions that end. */
export async function removeDevicesOf(tx: Tx, sessionIds: readonly SessionId[]): Promise<void> {
  if (sessionIds.length > 0) await removeDestinations(tx, isOneOfTexts(table.sessionId, sessionIds));
}

async function removeDestinations(tx: Tx, which: SQL | undefined): Promise<readonly Destination[]> {
  const removed = await tx.delete(table).where(which).returning();
  const ids = removed.map(({ id }) => id);
  if (ids.length > 0)
    await tx
      .update(alertOutbox)
      .set({ result: "useless", reason: "removed" })
      .where(and(isOneOfTexts(alertOutbox.destinationId, ids), eq(alertOutbox.result, "waiting")));
  return removed.map(destinationOf);
}

function destinationOf(row: typeof table.$inferSelect): Destination {
  const { id, userId, channel, name, state, sessionId } = row;
  const events = {
    articles: row.hasArticles,
    purchases: row.hasPurchases,
    account: row.hasAccount,
    summary: row.hasSummary,
  };
  return { id, userId, channel, name, events, state, sessionId };
}
