import { brandById, brandIdForTitle } from "#catalogue/brand-titles.ts";
import { categoryById, isLeaf } from "#catalogue/categories.ts";
import { conditionIdForLabel } from "#catalogue/conditions.ts";
import { type Clock, DAY_MS } from "#domain/clock.ts";
import { eur } from "#domain/money.ts";
import { z } from "zod";
import { describeIssue } from "../faults/faults.ts";
import { itemTotalCents } from "../market/checkout.ts";
import type { Market } from "../market/market.ts";
import { priceDistributionOf } from "../world/price-distribution.ts";
import { ControlError, readNewListings } from "./read-new-listings.ts";

const MAX_DAYS = 30;
const MAX_GIVEN = 5_000;

const drawnBody = z.strictObject({
  days: z.number().int().min(1).max(MAX_DAYS),
  listings: z.number().int().min(1).max(200_000),
});
const momentBody = z.object({ at: z.number().int() });

/** POST /control/history: adds past listings, either generated or given in the body. */
export function addHistory(market: Market, body: unknown, clock: Pick<Clock, "nowMs">): object {
  const { history, database } = market;
  if (!history.isOpen) throw new ControlError(409, "a listing was published: the past is over");
  if (!Array.isArray(body)) {
    const parsed = drawnBody.safeParse(body);
    if (!parsed.success) throw new ControlError(400, describeIssue(parsed.error));
    history.draw(parsed.data.days, parsed.data.listings);
    return { given: history.given };
  }
  if (body.length > MAX_GIVEN) throw new ControlError(400, `at most ${MAX_GIVEN} listings at a time`);
  const moments = body.map((one: unknown, index) => momentOf(one, index, clock.nowMs()));
  const newListings = readNewListings(body, database.sellers, MAX_GIVEN);
  const listings = newListings.map(({ facts }, index) => ({ facts, atMs: moments[index] ?? 0 }));
  const given = history.give(listings);
  if (given === null) throw new ControlError(400, "at: each call's listings are later than those before");
  database.write(() => {
    for (const { facts, sellerProfile } of newListings) database.sellers.note(facts.seller, sellerProfile);
  });
  return {
    given: history.given,
    items: given.map(({ id, publishedAtMs, priceCents }) => ({
      id,
      at: publishedAtMs,
      total_item_price: eur(itemTotalCents(priceCents)),
    })),
  };
}

function momentOf(one: unknown, index: number, nowMs: number): number {
  const parsed = momentBody.safeParse(one);
  if (!parsed.success) throw new ControlError(400, `listing ${index}: ${describeIssue(parsed.error)}`);
  const { at } = parsed.data;
  if (at > nowMs || at < nowMs - MAX_DAYS * DAY_MS)
    throw new ControlError(400, `listing ${index}: at: a moment of the last ${MAX_DAYS} days`);
  return at;
}

/** GET /control/law: the price distribution of generated listings of one category, condition and brand. */
export function priceQuartiles(query: URLSearchParams): object {
  const leafId = Number(query.get("catalog_id") ?? "221");
  const category = categoryById(leafId);
  if (category === undefined || !isLeaf(category))
    throw new ControlError(400, `catalog_id: no leaf has the id ${leafId}`);
  const conditionId = conditionIdForLabel(query.get("status") ?? "Très bon état");
  if (conditionId === null) throw new ControlError(400, "status: no such condition");
  const title = query.get("brand_title") ?? "";
  const brandId = brandIdForTitle(title);
  if (title !== "" && brandId === null) throw new ControlError(400, `brand_title: no brand is "${title}"`);
  const brand = brandId === null ? null : (brandById(brandId) ?? null);
  const price = Number(query.get("price") ?? "0");
  if (!Number.isFinite(price) || price < 0) throw new ControlError(400, "price: an amount in EUR");
  const distribution = priceDistributionOf({ leafId, brand, conditionId });
  const total = (share: number): number => itemTotalCents(distribution.quantile(share)) / 100;
  return {
    bas: total(0.25),
    median: total(0.5),
    haut: total(0.75),
    dearer: distribution.shareAbove(Math.round(price * 100)),
  };
}
