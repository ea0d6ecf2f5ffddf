/**
 * The preview (cards, purchase phases, toast) as a pure function of its running time: a pause only stops the
 * clock, and any moment can be rendered directly.
 */
import { previewListings, type PreviewListing } from "./preview-listings.ts";

export type PreviewPhase = "idle" | "busy" | "bought";

export interface PreviewCard {
  /** The number of the arrival; unique. */
  readonly key: number;
  readonly listing: PreviewListing;
  /** 0 is the newest, at the left end of the rail. */
  readonly slot: number;
  /** When it arrived, on the preview's own clock; negative for cards present from the start. */
  readonly arrivedAtMs: number;
  readonly phase: PreviewPhase;
}

/** The toast of an automatic purchase. */
export interface PreviewToast {
  readonly key: number;
  readonly listing: PreviewListing;
  readonly isLeaving: boolean;
}

interface PreviewFrame {
  /** Newest first. */
  readonly cards: readonly PreviewCard[];
  readonly toast: PreviewToast | null;
}

export const ARRIVAL_EVERY_MS = 2_600;

/** Enough cards for the widest screens; narrower ones clip the rest. */
export const RAIL_LENGTH = 10;

/** The moment shown with reduced motion: a card just bought by Thunder with its toast, others before. */
export const REDUCED_MOTION_MOMENT_MS = ARRIVAL_EVERY_MS + 2_000;

interface Timeline {
  /** Since the card's arrival. */
  readonly busyAtMs: number;
  readonly boughtAtMs: number;
}

const NEVER: Timeline = { busyAtMs: Number.POSITIVE_INFINITY, boughtAtMs: Number.POSITIVE_INFINITY };

const timelines = {
  // A person needs time to notice the card.
  click: { busyAtMs: 3_300, boughtAtMs: 4_300 },
  acquire: { busyAtMs: 1_000, boughtAtMs: 1_900 },
  thunder: { busyAtMs: 700, boughtAtMs: 1_300 },
} as const;

const TOAST_STAYS_MS = 4_600;
const TOAST_LEAVES_MS = 400;

/** @param elapsedMs how long the preview has run, excluding pauses; not negative */
export function previewFrame(elapsedMs: number): PreviewFrame {
  const newestKey = RAIL_LENGTH - 1 + Math.floor(elapsedMs / ARRIVAL_EVERY_MS);
  const cards = Array.from({ length: RAIL_LENGTH }, (_, slot) => cardAt(newestKey - slot, slot, elapsedMs));
  return { cards, toast: toastAmong(cards, elapsedMs) };
}

function cardAt(key: number, slot: number, elapsedMs: number): PreviewCard {
  const listing = listingOf(key);
  const arrivedAtMs = (key - (RAIL_LENGTH - 1)) * ARRIVAL_EVERY_MS;
  return { key, listing, slot, arrivedAtMs, phase: phaseAt(timelineOf(listing), elapsedMs - arrivedAtMs) };
}

function listingOf(key: number): PreviewListing {
  const listing = previewListings[key % previewListings.length];
  if (listing === undefined) throw new RangeError(`no article for arrival ${key}`);
  return listing;
}

function timelineOf({ buyer }: PreviewListing): Timeline {
  return buyer === null ? NEVER : timelines[buyer];
}

function phaseAt({ busyAtMs, boughtAtMs }: Timeline, ageMs: number): PreviewPhase {
  if (ageMs >= boughtAtMs) return "bought";
  return ageMs >= busyAtMs ? "busy" : "idle";
}

function toastAmong(cards: readonly PreviewCard[], elapsedMs: number): PreviewToast | null {
  for (const { key, listing, arrivedAtMs } of cards) {
    if (listing.buyer !== "thunder" && listing.buyer !== "acquire") continue;
    const shownForMs = elapsedMs - arrivedAtMs - timelines[listing.buyer].boughtAtMs;
    if (shownForMs >= 0 && shownForMs < TOAST_STAYS_MS) {
      return { key, listing, isLeaving: shownForMs >= TOAST_STAYS_MS - TOAST_LEAVES_MS };
    }
  }
  return null;
}
