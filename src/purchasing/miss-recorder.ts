/**
 * Records the wishes that were not tried, for later display. Runs in the background: purchases neither wait
 * for it nor fail with it.
 */
import PQueue from "p-queue";
import type { BackgroundTasks } from "#domain/concurrency.ts";
import type { EventBus } from "#domain/events.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import type { MissedWish, MissReason } from "#domain/story.ts";
import type { PurchaseOriginFacts } from "#store/purchase-store.ts";
import type { StoryStore } from "#store/store.ts";
import type { Refusal } from "./decide/admit.ts";
import { retryWhileAway, type StoreRetry } from "./buying-store.ts";

export interface MissRecorder {
  refused(wish: AutobuyWish, refusal: Refusal): void;
}

export interface MissRecorderDeps extends StoreRetry {
  readonly stories: Pick<StoryStore, "recordMiss">;
  /** Notified of misses that the person may still confirm. */
  readonly events: Pick<EventBus, "publish">;
  readonly background: BackgroundTasks;
}

/** A slice with more leaf categories says too little about the listing. */
const MAX_LEAVES = 200;

/** The origin of a purchase, which is written with it. */
export function originOf({ firstSeenAtMs, facts: { leafIds }, standing }: SeenListing): PurchaseOriginFacts {
  const isKnown = standing !== undefined && standing !== null;
  const usual = isKnown ? { medianCents: standing.medianCents, sampleSize: standing.sampleSize } : null;
  return { firstSeenAtMs, leafIds: leafIds.length > MAX_LEAVES ? [] : leafIds, usual };
}

/** Both lanes, 5,000 wishes each, may expire at once after an outage of the store. */
const MAX_MISSES_WAITING = 10_000;
/** Few, since purchases use the store at the same time. */
const MISSES_AT_ONCE = 2;
const RETRY_FOR_MS = 10 * 60_000;

export function createMissRecorder(deps: MissRecorderDeps): MissRecorder {
  const { stories, clock, background } = deps;
  const writing = new PQueue({ concurrency: MISSES_AT_ONCE });

  const write = async (miss: MissedWish): Promise<void> => {
    const isNew = await retryWhileAway(deps, miss.missedAtMs + RETRY_FOR_MS, () => stories.recordMiss(miss));
    if (isNew && miss.reason === "too_good")
      await deps.events.publish({ kind: "purchase_to_confirm", userId: miss.userId, miss });
  };

  return {
    refused({ userId, filterId, listing: seen, matchedAtMs }, refusal) {
      const reason = missReasonOf(refusal);
      if (reason === null || writing.size >= MAX_MISSES_WAITING) return;
      const { listing, firstSeenAtMs } = seen;
      const missedAtMs = clock.nowMs();
      const standing = "standing" in refusal ? refusal.standing : null;
      const miss = { userId, filterId, listing, reason, standing, firstSeenAtMs, matchedAtMs, missedAtMs };
      background.start("missed wishes", () => writing.add(() => write(miss)));
    },
  };
}

/** Null for a refusal that the person caused, that is already known, or that only delays the wish. */
function missReasonOf(refusal: Refusal): MissReason | null {
  switch (refusal.kind) {
    case "limit":
      return `limit_${refusal.limit}`;
    case "taken":
      return refusal.isOver ? "taken" : null;
    case "stopped":
    case "no_account":
    case "no_address":
    case "no_mandate":
    case "cannot_pay":
    case "price_rose":
    case "hours":
    case "price_floor":
    case "rules_rest":
    case "stale":
    case "price_unsure":
    case "too_good":
      return refusal.kind;
    case "rule":
      return refusal.rule;
    case "no_plan":
    case "filter_off":
    case "seller_blocked":
    case "already_bought":
    case "concurrent":
    case "waits":
      return null;
    default:
      return refusal satisfies never;
  }
}
