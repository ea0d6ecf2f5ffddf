import { calls } from "#contract/calls.ts";
import type { FiltrePret } from "#contract/filtres/filtre.ts";
import { sleep } from "#domain/clock.ts";
import { BlockedSellers } from "#domain/market/blocked-sellers.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import { newestFirst } from "#domain/market/match.ts";
import { withBackgrounds } from "#feed/facts/backgrounds.ts";
import { presentFrequentPret, presentPublicPret } from "#presenters/filtre.ts";
import { presentProduitDuFlux, presentProduitVu } from "#presenters/produit.ts";
import { compressAnswer } from "../encodings.ts";
import type { HttpDeps } from "../http-deps.ts";
import { inTime, TEXTS } from "../refusal.ts";
import { type App, routeOf, visitorOf } from "../route-rule.ts";

/** Older listings say nothing about the current market. */
const MARKET_AGE_MS = 15 * 60_000;
const MAX_MARKET_ITEMS = 12;
/**
 * While no filter is active, the market is read only for people with an open stream. A page asks for the market at the
 * same time as it opens its stream, so the first reading is awaited this long.
 */
const FIRST_READING_MS = 2_000;
const POLL_MS = 200;
/** Upper bound of what is read when listings of blocked sellers are omitted. */
const MAX_RECENT = 200;
const MAX_READY_FILTERS = 3;
/** The number of most copied public filters that are considered. */
const MAX_PUBLIC_TRIED = 10;

export function addArticleRoutes(app: App, deps: HttpDeps): void {
  addRecentRoute(app, deps);
  addMarketRoute(app, deps);
}

function addRecentRoute(app: App, { config, store, clock }: HttpDeps): void {
  app.route({
    ...routeOf(calls.recentArticles, { access: "subscriber", origin: "read", rate: "read", isInTurn: true }),
    // Sixty listings are 34 kB, which would delay a phone's first photos. They contain only public facts.
    onSend: compressAnswer,
    handler: async (request) => {
      const { user } = visitorOf(request);
      const { limit } = request.query;
      const blocked = await store.sellers.blockedOf(user.id);
      const isAnyBlocked = blocked !== BlockedSellers.NONE;
      const matches = await store.listings.recentMatches(user.id, isAnyBlocked ? MAX_RECENT : limit);
      const shown = matches.filter(({ listing: { listing } }) => !blocked.has(listing.seller));
      const known = await withBackgrounds(shown.slice(0, limit), store.relists, clock.nowMs());
      return {
        items: known.toSorted(newestFirst).map((match) => presentProduitDuFlux(match, config.marketUrl)),
      };
    },
  });
}

/** The market for people without filters, from the listings that the feed recorded. */
function addMarketRoute(app: App, { config, store, feed, memory, clock }: HttpDeps): void {
  const seenLately = async (limit: number): Promise<readonly SeenListing[]> => {
    const askedAtMs = clock.monotonicMs();
    for (;;) {
      const seen = await store.listings.seenSince(clock.nowMs() - MARKET_AGE_MS, limit);
      const isReading = feed?.state().kind === "idle" && clock.monotonicMs() - askedAtMs < FIRST_READING_MS;
      if (seen.length > 0 || !isReading) return seen;
      await sleep(clock, POLL_MS);
    }
  };
  app.route({
    ...routeOf(calls.market, { access: "subscriber", origin: "read", rate: "preview" }),
    onSend: compressAnswer,
    handler: async (request) => {
      const { user } = visitorOf(request);
      const blocked = await store.sellers.blockedOf(user.id);
      const isAnyBlocked = blocked !== BlockedSellers.NONE;
      const [seen, publicOnes] = await Promise.all([
        seenLately(isAnyBlocked ? MAX_RECENT : MAX_MARKET_ITEMS),
        store.filters.publicOnes(user.id, { text: "" }, MAX_PUBLIC_TRIED),
      ]);
      const survey = await inTime(
        memory.surveyLastHour(
          publicOnes.map(({ criteria }) => criteria),
          MAX_READY_FILTERS,
        ),
        TEXTS.slowMarket,
      );
      const copies = publicOnes
        .map((filter, index) => presentPublicPret(filter, survey.found[index] ?? 0))
        .filter(({ articles }) => articles > 0);
      return {
        items: seen
          .filter(({ listing }) => !blocked.has(listing.seller))
          .slice(0, MAX_MARKET_ITEMS)
          .map((one) => presentProduitVu(one, config.marketUrl)),
        filtres: readyFilters(copies, survey.frequent.map(presentFrequentPret)),
      };
    },
  });
}

/** The most copied public filter, then frequent searches, then further public filters up to the limit. */
function readyFilters(copies: readonly FiltrePret[], frequent: readonly FiltrePret[]): FiltrePret[] {
  const [mostCopied, ...otherCopies] = copies;
  const inOrder = [...(mostCopied === undefined ? [] : [mostCopied]), ...frequent, ...otherCopies];
  return [...new Map(inOrder.map((one) => [one.tag, one])).values()].slice(0, MAX_READY_FILTERS);
}
