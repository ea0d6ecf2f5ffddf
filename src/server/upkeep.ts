import type { Sessions } from "#auth/sessions.ts";
import { type Clock, MINUTE_MS } from "#domain/clock.ts";
import { repeat } from "#domain/concurrency.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Service } from "#domain/service.ts";
import type { AlertStore } from "#store/alert-store.ts";
import { closingPiece } from "#market/market-memory.ts";
import type { OpenStore } from "#store/open-store.ts";
import type { ListingStore } from "#store/market-store.ts";
import type { StoryStore } from "#store/store.ts";

/** The delay of each task's first run: a process may be restarted more often than the longest interval. */
const FIRST_MS = 5 * MINUTE_MS;
const SESSIONS_EVERY_MS = 60 * MINUTE_MS;
const LISTINGS_EVERY_MS = 10 * MINUTE_MS;
/** The product keeps listings of the last 24 hours. */
const LISTINGS_KEPT_MS = 24 * 60 * MINUTE_MS;
const MISSES_KEPT_MS = 7 * 24 * 60 * MINUTE_MS;

/** Longer than a match may wait for facts. */
const HELD_KEPT_MS = 60 * MINUTE_MS;
/** Answers about sellers are valid for a day. */
const SELLERS_KEPT_MS = 2 * 24 * 60 * MINUTE_MS;
const RELISTS_KEPT_MS = 30 * 24 * 60 * MINUTE_MS;
const MAX_RELISTS = 2_000_000;

const SIMULATIONS_EVERY_MS = 5 * MINUTE_MS;
/** As many as a list shows, which is also the maximum of `max_achats`. */
const SIMULATIONS_KEPT = 1_000;

const AUDIT_EVERY_MS = 6 * 60 * MINUTE_MS;
/** The privacy page promises twelve months at most. */
const AUDIT_KEPT_MS = 365 * 24 * 60 * MINUTE_MS;

const ALERTS_EVERY_MS = 30 * MINUTE_MS;

interface UpkeepDeps {
  readonly sessions: Pick<Sessions, "prune">;
  readonly listings: Pick<ListingStore, "prune">;
  readonly store: Pick<
    OpenStore,
    "pruneAuditChain" | "pruneSimulations" | "held" | "sellerFacts" | "relists"
  >;
  readonly alerts: Pick<AlertStore, "prune">;
  readonly stories: Pick<StoryStore, "pruneMisses">;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Deletes expired data: sessions, listings and matches after a day, facts of sellers after two, alerts and missed wishes
 * after a week, earlier listings after a month, audit entries after a year, and all but a person's newest simulated
 * purchases.
 */
export function createUpkeep({
  sessions,
  listings,
  stories,
  alerts,
  store,
  clock,
  log,
}: UpkeepDeps): Service {
  const loops: AsyncDisposable[] = [];
  const every = (everyMs: number, part: string, work: () => Promise<void>): void => {
    const failed = (error: unknown): void =>
      log.warn({ part, ...describeError(error) }, "upkeep failed and is tried again later");
    loops.push(repeat(clock, { firstMs: FIRST_MS, everyMs }, work, failed));
  };

  return {
    async run() {
      every(SESSIONS_EVERY_MS, "sessions", () => sessions.prune());
      every(LISTINGS_EVERY_MS, "facts", async () => {
        const nowMs = clock.nowMs();
        await store.held.prune(nowMs - HELD_KEPT_MS);
        await store.sellerFacts.prune(nowMs - SELLERS_KEPT_MS);
        await store.relists.prune(nowMs - RELISTS_KEPT_MS, MAX_RELISTS);
      });
      every(LISTINGS_EVERY_MS, "listings", () =>
        listings.prune(clock.nowMs() - LISTINGS_KEPT_MS, closingPiece),
      );
      every(AUDIT_EVERY_MS, "audit", async () => {
        await store.pruneAuditChain(clock.nowMs() - AUDIT_KEPT_MS);
      });
      every(SIMULATIONS_EVERY_MS, "simulations", async () => {
        await store.pruneSimulations(SIMULATIONS_KEPT);
      });
      every(ALERTS_EVERY_MS, "alerts", () => alerts.prune(clock.nowMs()));
      every(SESSIONS_EVERY_MS, "missed wishes", () => stories.pruneMisses(clock.nowMs() - MISSES_KEPT_MS));
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
    },
  };
}
