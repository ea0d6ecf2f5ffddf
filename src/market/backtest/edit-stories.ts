import { isFirstSight, type VersionKind } from "../archive/version.ts";
import type { Article } from "./replay-purchases.ts";

/** A version that may have been news, or that decides whether a later one was. */
export interface StoryVersion {
  readonly kind: VersionKind;
  readonly seenAtMs: number;
  readonly firstSeenAtMs: number;
  readonly isHeld: boolean;
  /** Null unless it is an edit that the filter holds. */
  readonly article: Article | null;
}

/** Upper bound of versions; beyond it an edit counts as news. */
const MAX_REMEMBERED = 500_000;

/**
 * An edit is news for a filter only if the filter did not hold the version before it
 * (feed/publish/fan-out.ts), which may be older than the period. Takes versions in any order. First sights
 * that are not held may be omitted: unknown listings count as not held.
 */
export class EditStories {
  /** When the last version before the period was seen; negative if the filter did not hold it. */
  readonly #before = new Map<number, number>();
  readonly #within = new Map<number, StoryVersion[]>();
  #withinCount = 0;

  before(listingId: number, version: Pick<StoryVersion, "kind" | "seenAtMs" | "isHeld">): void {
    const { kind, seenAtMs, isHeld } = version;
    const known = this.#before.get(listingId);
    if (known === undefined && this.#before.size >= MAX_REMEMBERED) return;
    const knownAtMs = Math.abs(known ?? 0);
    if (knownAtMs > seenAtMs || (knownAtMs === seenAtMs && isFirstSight(kind))) return;
    this.#before.set(listingId, isHeld ? seenAtMs : -seenAtMs);
  }

  within(listingId: number, version: StoryVersion): void {
    if (this.#withinCount >= MAX_REMEMBERED) return;
    this.#withinCount += 1;
    const known = this.#within.get(listingId);
    if (known === undefined) this.#within.set(listingId, [version]);
    else known.push(version);
  }

  /** The first edit of each listing after which the filter held it newly. */
  *newlyHeld(): Iterable<Article> {
    for (const [listingId, versions] of this.#within) {
      const before = this.#before.get(listingId) ?? 0;
      let last = { isHeld: before > 0, seenAtMs: Math.abs(before) };
      for (const version of versions.toSorted(inOrder)) {
        // The feed had forgotten what it saw before the first sight.
        const wasHeld = last.isHeld && last.seenAtMs >= version.firstSeenAtMs;
        if (version.article !== null && !wasHeld) {
          yield version.article;
          break;
        }
        last = version;
      }
    }
  }
}

function inOrder(one: StoryVersion, other: StoryVersion): number {
  return one.seenAtMs - other.seenAtMs || Number(isFirstSight(other.kind)) - Number(isFirstSight(one.kind));
}
