import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  ARRIVAL_EVERY_MS,
  previewFrame,
  RAIL_LENGTH,
  REDUCED_MOTION_MOMENT_MS,
  type PreviewCard,
  type PreviewPhase,
} from "./preview-frame.ts";
import { previewListings } from "./preview-listings.ts";

const anyMoment = fc.integer({ min: 0, max: 60 * 60_000 });
const progress: Readonly<Record<PreviewPhase, number>> = { idle: 0, busy: 1, bought: 2 };

test("the rail is always full, newest first, each card in its own place", () => {
  fc.assert(
    fc.property(anyMoment, (elapsedMs) => {
      const { cards } = previewFrame(elapsedMs);
      expect(cards.map(({ slot }) => slot)).toEqual(Array.from({ length: RAIL_LENGTH }, (_, slot) => slot));
      const newestKey = cards[0]?.key ?? Number.NaN;
      expect(cards.map(({ key }) => key)).toEqual(
        Array.from({ length: RAIL_LENGTH }, (_, slot) => newestKey - slot),
      );
      expect(cards.every(({ arrivedAtMs }) => arrivedAtMs <= elapsedMs)).toBe(true);
    }),
  );
});

test("a card never goes back: not to the left, and not from bought to for sale", () => {
  fc.assert(
    fc.property(anyMoment, fc.integer({ min: 0, max: 20_000 }), (elapsedMs, laterMs) => {
      const later = new Map(previewFrame(elapsedMs + laterMs).cards.map((card) => [card.key, card]));
      for (const before of previewFrame(elapsedMs).cards) {
        const after: PreviewCard = later.get(before.key) ?? { ...before, slot: RAIL_LENGTH, phase: "bought" };
        expect(after.listing).toBe(before.listing);
        expect(after.slot).toBeGreaterThanOrEqual(before.slot);
        expect(progress[after.phase]).toBeGreaterThanOrEqual(progress[before.phase]);
      }
    }),
  );
});

test("what nobody buys stays for sale", () => {
  fc.assert(
    fc.property(anyMoment, (elapsedMs) => {
      for (const { listing, phase } of previewFrame(elapsedMs).cards) {
        if (listing.buyer === null) expect(phase).toBe("idle");
      }
    }),
  );
});

test("a toast reports only a finished automatic purchase", () => {
  fc.assert(
    fc.property(anyMoment, (elapsedMs) => {
      const { cards, toast } = previewFrame(elapsedMs);
      if (toast === null) return;
      const bought = cards.find(({ key }) => key === toast.key);
      expect(bought?.phase).toBe("bought");
      expect(["acquire", "thunder"]).toContain(bought?.listing.buyer);
    }),
  );
});

test("one round shows every article, a click, Acquire and Thunder", () => {
  const seen = new Set<string>();
  const lanes = new Set<string>();
  const roundMs = previewListings.length * ARRIVAL_EVERY_MS;
  for (let elapsedMs = 0; elapsedMs < roundMs; elapsedMs += 100) {
    const { cards, toast } = previewFrame(elapsedMs);
    for (const { listing, phase } of cards) {
      seen.add(listing.title);
      if (phase === "busy" && listing.buyer === "click") lanes.add("click");
    }
    if (toast !== null) lanes.add(toast.listing.buyer ?? "");
  }
  expect(seen.size).toBe(previewListings.length);
  expect([...lanes].toSorted()).toEqual(["acquire", "click", "thunder"]);
});

test("with reduced motion the still frame shows a bought card and its toast", () => {
  const { cards, toast } = previewFrame(REDUCED_MOTION_MOMENT_MS);
  expect(cards[0]?.phase).toBe("bought");
  expect(toast).toMatchObject({ key: cards[0]?.key, isLeaving: false, listing: { buyer: "thunder" } });
  expect(cards.some(({ phase }) => phase === "idle")).toBe(true);
});
