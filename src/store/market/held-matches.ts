import { sql } from "drizzle-orm";
import type { HeldMatch } from "#domain/market/match.ts";
import type { Db } from "../engines/db.ts";
import type { HeldKey, HeldMatchStore } from "../facts-store.ts";
import { heldMatches, seenListings } from "../schema/tables.ts";
import { deleteInChunks } from "../sql/rows.ts";
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
      const listings = await db
        .select()
        .from(seenListings)
        .where(sql`${seenListings.id} = any(${sql.param(ids)}::bigint[])`);
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
  return sql`
    insert into ${heldMatches}
      (listing_id, filter_id, user_id, appeared_after_ms, may_buy, held_at_ms, until_ms, due_at_ms)
    select listing_id, filter_id, user_id, appeared_after_ms, may_buy, held_at_ms, until_ms, ${dueAtMs}::bigint
    from unnest(
      ${sql.param(rows.map(({ listing }) => listing.listing.id))}::bigint[],
      ${sql.param(rows.map(({ filterId }) => filterId))}::text[],
      ${sql.param(rows.map(({ userId }) => userId))}::text[],
      ${sql.param(rows.map(({ appearedAfterMs }) => appearedAfterMs))}::bigint[],
      ${sql.param(rows.map(({ mayBuy }) => mayBuy))}::boolean[],
      ${sql.param(rows.map(({ heldAtMs }) => heldAtMs))}::bigint[],
      ${sql.param(rows.map(({ untilMs }) => untilMs))}::bigint[]
    ) as batch (listing_id, filter_id, user_id, appeared_after_ms, may_buy, held_at_ms, until_ms)
    on conflict (listing_id, filter_id) do update set
      appeared_after_ms = excluded.appeared_after_ms, may_buy = excluded.may_buy,
      held_at_ms = excluded.held_at_ms, until_ms = excluded.until_ms, due_at_ms = excluded.due_at_ms`;
}

function isOneOf(keys: readonly HeldKey[]) {
  return sql`(${heldMatches.listingId}, ${heldMatches.filterId}) in (select * from unnest(
    ${sql.param(keys.map(({ listingId }) => listingId))}::bigint[],
    ${sql.param(keys.map(({ filterId }) => filterId))}::text[]))`;
}

function keyOf({ listing, filterId }: HeldMatch): string {
  return `${listing.listing.id} ${filterId}`;
}
