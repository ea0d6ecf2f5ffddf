import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { SellerFacts } from "#domain/market/seller.ts";
import type { Db } from "../engines/db.ts";
import { MAX_SELLER_REQUESTS, type NewSellerClaim, type SellerFactStore } from "../facts-store.ts";
import { sellerFacts, sellerPauses } from "../schema/tables.ts";
import { deleteInChunks, isOneOfNumbers } from "../sql/values.ts";

const DAY_MS = 24 * 3_600_000;
const FIRST_PAUSE_MS = 10 * 60_000;
/** Doubled so often, a pause has reached a day. */
const MAX_DOUBLINGS = 8;
/** The pause's only row. */
const PAUSE_ID = 1;

const facts = {
  rating: sellerFacts.rating,
  reviewCount: sellerFacts.reviewCount,
  countryCode: sellerFacts.countryCode,
};

export function createSellerFactStore({ db }: { readonly db: Db }): SellerFactStore {
  const known: SellerFactStore["known"] = async (sellerIds, nowMs) => {
    if (sellerIds.length === 0) return new Map();
    const rows = await db
      .select({ sellerId: sellerFacts.sellerId, ...facts })
      .from(sellerFacts)
      .where(and(isOneOfNumbers(sellerFacts.sellerId, sellerIds), gt(sellerFacts.knownAtMs, nowMs - DAY_MS)));
    return new Map(rows.map(({ sellerId, ...own }): [number, SellerFacts] => [sellerId, own]));
  };
  const pausedUntil: SellerFactStore["pausedUntil"] = async (nowMs) => {
    const [row] = await db
      .select({ untilMs: sellerPauses.untilMs })
      .from(sellerPauses)
      .where(gt(sellerPauses.untilMs, nowMs));
    return row?.untilMs ?? null;
  };
  return {
    known,
    pausedUntil,
    async claim(sellerId, claim) {
      const pauseEndMs = await pausedUntil(claim.nowMs);
      if (pauseEndMs !== null) return { kind: "paused", untilMs: pauseEndMs };
      if (await claimed(db, sellerId, claim)) return { kind: "claimed" };
      const own = (await known([sellerId], claim.nowMs)).get(sellerId);
      if (own !== undefined) return { kind: "known", facts: own };
      const [row] = await db
        .select({ untilMs: sellerFacts.claimedUntilMs })
        .from(sellerFacts)
        .where(eq(sellerFacts.sellerId, sellerId));
      return { kind: "taken", untilMs: row?.untilMs ?? 0 };
    },
    async save(sellerId, { rating, reviewCount, countryCode }, nowMs) {
      await db.execute(sql`
        with answered as (
          update ${sellerFacts} set rating = ${rating}, review_count = ${reviewCount}, country_code = ${countryCode},
            known_at_ms = ${nowMs}, claimed_until_ms = 0
          where ${sellerFacts.sellerId} = ${sellerId}
        )
        update ${sellerPauses} set refusals = 0
        where ${sellerPauses.refusals} > 0 and ${sellerPauses.untilMs} <= ${nowMs}`);
    },
    async release(sellerId, untilMs) {
      await db
        .update(sellerFacts)
        .set({ claimedUntilMs: 0 })
        .where(and(eq(sellerFacts.sellerId, sellerId), eq(sellerFacts.claimedUntilMs, untilMs)));
    },
    async pause(nowMs, retryAfterMs) {
      const [row] = await db
        .insert(sellerPauses)
        .values({
          id: PAUSE_ID,
          untilMs: nowMs + (retryAfterMs ?? FIRST_PAUSE_MS),
          refusals: retryAfterMs === null ? 1 : 0,
        })
        .onConflictDoUpdate({
          target: sellerPauses.id,
          set: pauseAfter(nowMs, retryAfterMs),
          // Requests that were on their way when the pause began prolong nothing.
          setWhere: sql`${sellerPauses.untilMs} <= ${nowMs}`,
        })
        .returning({ untilMs: sellerPauses.untilMs });
      return row?.untilMs ?? (await pausedUntil(nowMs)) ?? nowMs;
    },
    async prune(beforeMs) {
      await deleteInChunks(db, sellerFacts, sql`${sellerFacts.askedSinceMs} < ${beforeMs}`);
    },
  };
}

function pauseAfter(nowMs: number, retryAfterMs: number | null) {
  if (retryAfterMs !== null) return { untilMs: nowMs + retryAfterMs };
  const doublings = sql`least(${sellerPauses.refusals}, ${MAX_DOUBLINGS})`;
  return {
    untilMs: sql`${nowMs}::bigint + least(${DAY_MS}::bigint, ${FIRST_PAUSE_MS}::bigint * (1 << ${doublings}))`,
    refusals: sql`${doublings} + 1`,
  };
}

async function claimed(
  db: Db,
  sellerId: number,
  { nowMs, untilMs, lapsedUntilMs }: NewSellerClaim,
): Promise<boolean> {
  const dayAgoMs = nowMs - DAY_MS;
  const isNewDay = lte(sellerFacts.askedSinceMs, dayAgoMs);
  const rows = await db
    .insert(sellerFacts)
    .values({ sellerId, requests: 1, askedSinceMs: nowMs, claimedUntilMs: untilMs })
    .onConflictDoUpdate({
      target: sellerFacts.sellerId,
      set: {
        requests: sql`case when ${isNewDay} then 1 else ${sellerFacts.requests} + 1 end`,
        askedSinceMs: sql`case when ${isNewDay} then ${nowMs}::bigint else ${sellerFacts.askedSinceMs} end`,
        claimedUntilMs: untilMs,
      },
      setWhere: sql`(${sellerFacts.knownAtMs} is null or ${sellerFacts.knownAtMs} <= ${dayAgoMs})
        and ${sellerFacts.claimedUntilMs} in (0, ${lapsedUntilMs ?? 0}::bigint)
        and (${isNewDay} or ${sellerFacts.requests} < ${MAX_SELLER_REQUESTS})`,
    })
    .returning({ sellerId: sellerFacts.sellerId });
  return rows.length > 0;
}
