/**
 * What people are told afterwards of a purchase's origin, and of wishes that were not tried. Written in the background:
 * no purchase waits for it, and its failure changes nothing.
 */
import type { Clock } from "#domain/clock.ts";
import type { SeenListing } from "#domain/listing.ts";
import type { AutobuyWish } from "#domain/match.ts";
import type { MissReason } from "#domain/story.ts";
import type { PurchaseRecord } from "#store/purchase-store.ts";
import type { StoryStore } from "#store/store.ts";
import type { Refusal } from "./admit.ts";
import type { Background } from "./background.ts";

export interface Chronicle {
  opened(record: PurchaseRecord, seen: SeenListing): void;
  refused(wish: AutobuyWish, refusal: Refusal): void;
}

export interface ChronicleDeps {
  /** Absent: nothing is written down. */
  readonly stories: Pick<StoryStore, "recordMiss" | "recordOrigin"> | undefined;
  readonly clock: Pick<Clock, "nowMs">;
  readonly background: Background;
}

/** A slice of more leaves says too little of what the thing is. */
const MAX_LEAVES = 200;
/** A whole queue may grow stale at once: beyond so many under way, people are not told of the rest. */
const MAX_MISSES_UNDER_WAY = 200;

export function createChronicle({ stories, clock, background }: ChronicleDeps): Chronicle {
  let missesUnderWay = 0;
  return {
    opened({ id, userId }, { firstSeenAtMs, facts }) {
      if (stories === undefined) return;
      const leafIds = facts.leafIds.length > MAX_LEAVES ? [] : facts.leafIds;
      background.start("origin", () =>
        stories.recordOrigin({ purchaseId: id, userId, firstSeenAtMs, leafIds }),
      );
    },
    refused({ userId, filterId, listing: seen, matchedAtMs }, refusal) {
      const reason = missReasonOf(refusal);
      if (stories === undefined || reason === null || missesUnderWay >= MAX_MISSES_UNDER_WAY) return;
      const { listing, firstSeenAtMs } = seen;
      missesUnderWay += 1;
      background.start("missed wish", async () => {
        try {
          await stories.recordMiss({
            userId,
            filterId,
            listing,
            reason,
            firstSeenAtMs,
            matchedAtMs,
            missedAtMs: clock.nowMs(),
          });
        } finally {
          missesUnderWay -= 1;
        }
      });
    },
  };
}

/** Null for what the person decided, has already, or what still waits its turn. */
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
    case "price_rose":
    case "filter_full":
    case "stale":
      return refusal.kind;
    case "no_plan":
    case "filter_off":
    case "already_bought":
    case "concurrent":
      return null;
    default:
      return refusal satisfies never;
  }
}
