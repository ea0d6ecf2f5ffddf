import { expect, test } from "vitest";
import { asListingId } from "#domain/ids.ts";
import type { SeenListing } from "#domain/market/listing.ts";
import { DAY_MS } from "#domain/clock.ts";
import { type Draws, drawsFor } from "#sandbox/world/draws.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { Block } from "../archive/block.ts";
import { packVersions } from "../archive/pack.ts";
import type { Version } from "../archive/version.ts";
import { Appraiser, type Appraisal } from "./appraiser.ts";
import { appraiserStateOf, LeavingRun, RebuildRun } from "./rebuild.ts";

const FIRST_DAY_MS = Date.UTC(2026, 9, 20, 10);
const WINDOW_DAYS = 30;
const T_SHIRTS = 221;
const DRESSES = 1_065;

const newAppraiser = (): Appraiser => new Appraiser(WINDOW_DAYS, (sellerId) => sellerId);

/** Few sellers, titles and cells, so that relists are frequent and sellers exceed their shares. */
function drawn(draws: Draws, id: number, atMs: number): SeenListing {
  const listing = aListing({
    id: asListingId(id),
    title: `Robe ${draws.whole(1, 200)}`,
    brandTitle: draws.pick(["Zara", ""]),
    conditionLabel: draws.pick(["Très bon état", "Bon état"]),
    totalPriceCents: draws.whole(500, 4_000),
    seller: { id: draws.whole(1, 3), login: "vendeuse", photoUrl: null },
  });
  const facts = { leafIds: [draws.pick([T_SHIRTS, DRESSES])], marketplaceColourIds: [] };
  return { listing, facts, firstSeenAtMs: atMs, seenAtMs: atMs };
}

function appraise(appraiser: Appraiser, seen: SeenListing): Appraisal {
  return appraiser.appraise({ seen, before: null, kind: "new", newSinceMs: null });
}

function rebuilt(versions: readonly Version[]): Appraiser {
  const run = new RebuildRun({ windowDays: WINDOW_DAYS, untilMs: Infinity });
  // In the order in which the archive is read: newest day first.
  const blocks = packVersions(versions, { isSorted: true, example: 0 });
  for (const { data } of blocks.toSorted((one, other) => (one.day < other.day ? 1 : -1)))
    run.take(new Block(data));
  const appraiser = newAppraiser();
  appraiser.restore(appraiserStateOf(run.finish()), []);
  return appraiser;
}

test("an appraiser rebuilt from the archive behaves exactly like the previous one", () => {
  for (const seed of [1, 2, 3]) {
    const draws = drawsFor(seed, "market");
    const before = newAppraiser();
    const versions: Version[] = [];
    let atMs = FIRST_DAY_MS;
    for (let id = 1; id <= 600; id += 1) {
      atMs += draws.whole(0, DAY_MS / 12);
      versions.push(appraise(before, drawn(draws, id, atMs)).version);
    }
    expect(versions.filter(({ isCounted }) => isCounted).length).toBeGreaterThan(100);
    const after = rebuilt(versions);
    // First the rest of the day, when sellers have used up their shares, then weeks with relists.
    for (let id = 601; id <= 1_000; id += 1) {
      const seen = drawn(draws, id, atMs);
      expect(appraise(after, seen), `listing ${id} of seed ${seed}`).toEqual(appraise(before, seen));
      if (id > 640) atMs += draws.whole(0, DAY_MS / 6);
    }
  }
});

test("versions archived by two readers count once", () => {
  const draws = drawsFor(4, "market");
  const reader = newAppraiser();
  const versions = Array.from(
    { length: 50 },
    (_, index) => appraise(reader, drawn(draws, index + 1, FIRST_DAY_MS + index)).version,
  );
  const twice = rebuilt([...versions, ...versions]);
  const once = rebuilt(versions);
  for (let id = 100; id < 130; id += 1) {
    const seen = drawn(draws, id, FIRST_DAY_MS + DAY_MS);
    expect(appraise(twice, seen)).toEqual(appraise(once, seen));
  }
  const leaving = new LeavingRun();
  for (const { data } of packVersions([...versions, ...versions], { isSorted: true, example: 0 }))
    leaving.take(new Block(data));
  expect(leaving.finish().length / 4).toBe(versions.filter(({ isCounted }) => isCounted).length);
});

test("a seller whose prices filled their places in a cell has none after a rebuild, until the window has passed", () => {
  const before = newAppraiser();
  const seller = { id: 7, login: "vendeuse", photoUrl: null };
  const listed = (appraiser: Appraiser, id: number): boolean => {
    const listing = aListing({ id: asListingId(id), title: `Robe ${id}`, seller });
    // Five a day.
    const atMs = FIRST_DAY_MS + Math.floor(id / 5) * DAY_MS;
    const facts = { leafIds: [T_SHIRTS], marketplaceColourIds: [] };
    const seen = { listing, facts, firstSeenAtMs: atMs, seenAtMs: atMs };
    const { version } = appraise(appraiser, seen);
    versions.push(version);
    return version.isCounted;
  };
  const versions: Version[] = [];
  for (let id = 0; id < 50; id += 1) listed(before, id);
  const places = versions.filter(({ isCounted }) => isCounted).map(({ listingId }) => listingId);
  expect(places).toEqual([0, 1, 2, 5, 6, 7, 10, 11, 12]);
  const after = rebuilt(versions);
  for (let id = 50; id < 200; id += 1) {
    const isCounted = listed(after, id);
    expect(isCounted, `listing ${id}`).toBe(listed(before, id));
    expect(isCounted, `listing ${id}`).toBe(id >= 155 && id % 5 < 3 && id < 170);
  }
});
