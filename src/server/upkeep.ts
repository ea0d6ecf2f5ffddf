import type { Sessions } from "#auth/sessions.ts";
import type { Clock } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Service } from "#domain/service.ts";
import type { AlertStore } from "#store/alert-store.ts";
import { closingPiece } from "#market/market-memory.ts";
import type { OpenStore } from "#store/open-store.ts";
import type { ListingStore } from "#store/market-store.ts";
import type { StoryStore } from "#store/store.ts";

const MINUTE_MS = 60_000;
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
  const running = new Set<Promise<void>>();
  const cancels = new Map<string, () => void>();
  let isStopped = false;

  function repeat(name: string, everyMs: number, work: () => Promise<void>): void {
    if (isStopped) return;
    cancels.set(
      name,
      clock.schedule(everyMs, () => {
        const round = attempt(name, work).finally(() => {
          running.delete(round);
          repeat(name, everyMs, work);
        });
        running.add(round);
      }),
    );
  }

  async function attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn({ part: name, ...describeError(error) }, "upkeep failed and is tried again later");
    }
  }

  return {
    async run() {
      repeat("sessions", SESSIONS_EVERY_MS, () => sessions.prune());
      repeat("facts", LISTINGS_EVERY_MS, async () => {
        const nowMs = clock.nowMs();
        await store.held.prune(nowMs - HELD_KEPT_MS);
        await store.sellerFacts.prune(nowMs - SELLERS_KEPT_MS);
        await store.relists.prune(nowMs - RELISTS_KEPT_MS, MAX_RELISTS);
      });
      repeat("listings", LISTINGS_EVERY_MS, () =>
        listings.prune(clock.nowMs() - LISTINGS_KEPT_MS, closingPiece),
      );
      repeat("audit", AUDIT_EVERY_MS, async () => {
        await store.pruneAuditChain(clock.nowMs() - AUDIT_KEPT_MS);
      });
      repeat("simulations", SIMULATIONS_EVERY_MS, async () => {
        await store.pruneSimulations(SIMULATIONS_KEPT);
      });
      repeat("alerts", ALERTS_EVERY_MS, () => alerts.prune(clock.nowMs()));
      repeat("missed wishes", SESSIONS_EVERY_MS, () => stories.pruneMisses(clock.nowMs() - MISSES_KEPT_MS));
    },
    async stop() {
      isStopped = true;
      for (const cancel of cancels.values()) cancel();
      await Promise.all(running);
    },
  };
}
