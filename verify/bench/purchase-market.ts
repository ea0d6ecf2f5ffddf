/** People and listings of a sandbox in a separate process, for the purchase benchmark. */
import { asFilterId, asGroupId, type FilterId, type ListingId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { Secret } from "#domain/secret.ts";
import type { User } from "#domain/user.ts";
import type { Marketplace } from "#marketplace/marketplace.ts";
import { systemClock } from "#server/clock.ts";
import type { OpenStore } from "#store/open-store.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import type { SandboxClient } from "#verify/testing/sandbox-client.ts";
import { pause } from "./figures.ts";

export interface Buyer {
  readonly user: User;
  readonly filterId: FilterId;
}

const PER_PAGE = 96;
const PUBLISHED_AT_ONCE = 500;
const FACTS = { leafIds: [221], marketplaceColourIds: [] };
const ANY_LIMIT = { dayEur: 100_000, monthEur: 100_000, purchasesPerDay: 100_000 };
const MAX_FILTERS = 200;
const MANY = 100_000;
/** All rules, with limits that are never reached: each is read and checked. */
const WIDE_RULES = {
  maxPurchases: MANY,
  rules: {
    dayBudgetEur: MANY,
    totalBudgetEur: MANY,
    hours: { fromMinute: 0, toMinute: 24 * 60 },
    days: [1, 2, 3, 4, 5, 6, 7],
    pauseMinutes: 0,
    perSellerAndDay: MANY,
    maxFailures: MANY,
  },
};
const ADDRESS = {
  street: "12 rue de la Roquette",
  city: "Paris",
  postalCode: 75_011,
  country: "France",
} as const;

/** Subscribers with a connected account and one filter that buys everything. */
export async function enterBuyers(
  store: OpenStore,
  plan: "thunder" | "acquire",
  count: number,
  { hasRules = false } = {},
): Promise<readonly Buyer[]> {
  const buyers: Buyer[] = [];
  for (let n = 0; n < count; n += 1) {
    const name = `${plan}-${hasRules ? "ruled-" : ""}${n}`;
    const nowMs = systemClock.nowMs();
    const identity = { provider: "sandbox" as const, providerId: name, login: name, displayName: name };
    const { user } = await store.users.signIn(
      { ...identity, email: `${name}@example.org`, pictureUrl: null },
      nowMs,
    );
    await store.users.setPlan(user.id, plan, null);
    const refreshToken = new Secret(`sandbox-${name}`);
    await store.settings.change(user.id, { refreshToken, address: ADDRESS, limits: ANY_LIMIT }, nowMs);
    const filterId = asFilterId(`filter-${name}`);
    const filter = aFilter({ id: filterId, userId: user.id, isAutobuy: true, activatedAtMs: nowMs });
    await store.filters.add(hasRules ? { ...filter, ...WIDE_RULES } : filter, MAX_FILTERS);
    if (hasRules) {
      const group = {
        id: asGroupId(`group-${name}`),
        userId: user.id,
        name,
        maxPurchases: MANY,
        budgetEur: MANY,
      };
      await store.groups.add({ ...group, filterIds: [filterId] }, { nowMs, limit: 1 });
    }
    buyers.push({ user, filterId });
  }
  return buyers;
}

/** The n-th wish, alternating between the buyers. */
export function wishOf(buyers: readonly Buyer[], listing: SeenListing, n: number): AutobuyWish {
  const buyer = buyers[n % buyers.length];
  if (buyer === undefined) throw new Error("nobody buys");
  const lane = buyer.user.login.startsWith("thunder") ? "thunder" : "acquire";
  const { user, filterId } = buyer;
  const listingId = listing.listing.id;
  return { userId: user.id, filterId, listingId, lane, listing, matchedAtMs: systemClock.nowMs() };
}

/** Publishes in batches, because the marketplace shows only its newest thousand. */
export async function publish(
  sandbox: SandboxClient,
  marketplace: Pick<Marketplace, "searchNewest">,
  count: number,
): Promise<SeenListing[]> {
  const seen = new Map<ListingId, SeenListing>();
  while (seen.size < count) {
    const batch = Math.min(count - seen.size, PUBLISHED_AT_ONCE);
    const wantedSize = seen.size + batch;
    await sandbox.publish(Array.from({ length: batch }, () => ({ title: "Robe", price: 5 })));
    for (let page = 1; seen.size < wantedSize; page += 1) await readPage(marketplace, page, seen);
  }
  return [...seen.values()];
}

async function readPage(
  marketplace: Pick<Marketplace, "searchNewest">,
  page: number,
  seen: Map<ListingId, SeenListing>,
): Promise<void> {
  const query = { leafIds: [], marketplaceColourIds: [], page, perPage: PER_PAGE };
  const { listings } = await marketplace.searchNewest(query);
  if (listings.length === 0) throw new Error("the sandbox shows fewer listings than were published");
  const nowMs = systemClock.nowMs();
  for (const listing of listings)
    seen.set(listing.id, { listing, facts: FACTS, firstSeenAtMs: nowMs, seenAtMs: nowMs });
}

/** Settles once every account has been read and has its access token. */
export async function settled(sandbox: SandboxClient): Promise<void> {
  let before = -1;
  for (;;) {
    const { total } = await sandbox.requests();
    if (total === before) return;
    before = total;
    await pause(1_000);
  }
}
