import { sql } from "drizzle-orm";
import type { HeldMatch } from "#domain/market/match.ts";
import type { Db } from "../engines/db.ts";
import type { HeldKey, HeldMatchStore } from "../facts-store.ts";
import { heldMatches, seenListings } from "../schema/tables.ts";
import { batchOf, deleteInChunks, isOneOfNumbers } from "../sql/values.ts";
import { seenListingOf } from "./listings.ts";

export function createHeldMatchStore({ db }: { readonly db: Db }): HeldMatchStore {
  return {
    async hold(held, dueAtMs) {
      // A statement may touch a row only once; sorted by key, so that two concurrent batches cannot deadlock.
      const latest = new Map(held.map((match) => [keyOf(match), match]));
      const rows = [...latest].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, match]) => match);
      if (rows.length > 0) await db.execute(holdStatement(rows, dueAtMs));
    },
    async takeDue({ nowMs, dueAtMs, limit }) {
      const due = sql`select listing_id, filter_id from ${heldMatches} where ${heldMatches.dueAtMs} <= ${nowMs}
        order by ${heldMatches.dueAtMs} limit ${limit} for update skip locked`;
      const taken = await db
        .update(heldMatches)
        .set({ dueAtMs })
        .where(sql`(${heldMatches.listingId}, ${heldMatches.filterId}) in (${due})`)
        .returning();
      if (taken.length === 0) return [];
      const ids = [...new Set(taken.map(({ listingId }) => listingId))];
      const listings = await db.select().from(seenListings).where(isOneOfNumbers(seenListings.id, ids));
      const byId = new Map(listings.map((row) => [row.id, seenListingOf(row)]));
      return taken.flatMap(({ listingId, ...row }): readonly HeldMatch[] => {
        const listing = byId.get(listingId);
        const { userId, filterId, appearedAfterMs, mayBuy, heldAtMs, untilMs } = row;
        if (listing === undefined) return [];
        return [{ userId, filterId, listing, appearedAfterMs, mayBuy, heldAtMs, untilMs }];
      });
    },
    async renew(keys, dueAtMs) {
      if (keys.length === 0) return;
      await db.update(heldMatches).set({ dueAtMs }).where(isOneOf(keys));
    },
    async end(keys) {
      if (keys.length > 0) await db.delete(heldMatches).where(isOneOf(keys));
    },
    prune: (beforeMs) => deleteInChunks(db, heldMatches, sql`${heldMatches.untilMs} < ${beforeMs}`),
  };
}

function holdStatement(rows: readonly HeldMatch[], dueAtMs: number) {
  const batch = batchOf({
    listing_id: ["bigint", rows.map(({ listing }) => listing.listing.id)],
    filter_id: ["text", rows.map(({ filterId }) => filterId)],
    user_id: ["text", rows.map(({ userId }) => userId)],
    appeared_after_ms: ["bigint", rows.map(({ appearedAfterMs }) => appearedAfterMs)],
    may_buy: ["boolean", rows.map(({ mayBuy }) => mayBuy)],
    held_at_ms: ["bigint", rows.map(({ heldAtMs }) => heldAtMs)],
    until_ms: ["bigint", rows.map(({ untilMs }) => untilMs)],
  });
  return sql`
    insert into ${heldMatches}
      (listing_id, filter_id, user_id, appeared_after_ms, may_buy, held_at_ms, until_ms, due_at_ms)
    select *, ${dueAtMs}::bigint from ${batch}
    on conflict (listing_id, filter_id) do update set
      appeared_after_ms = excluded.appeared_after_ms, may_buy = excluded.may_buy,
      held_at_ms = excluded.held_at_ms, until_ms = excluded.until_ms, due_at_ms = excluded.due_at_ms`;
}

function isOneOf(keys: readonly HeldKey[]) {
  const batch = batchOf({
    listing_id: ["bigint", keys.map(({ listingId }) => listingId)],
    filter_id: ["text", keys.map(({ filterId }) => filterId)],
  });
  return sql`(${heldMatches.listingId}, ${heldMatches.filterId}) in (select * from ${batch})`;
}

function keyOf({ listing, filterId }: HeldMatch): string {
  return `${listing.listing.id} ${filterId}`;
}
