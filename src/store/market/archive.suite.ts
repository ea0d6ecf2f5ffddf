import { describe, expect, test } from "vitest";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { archived } from "#verify/testing/archived.ts";
import type { ArchiveStore, NewArchiveBlock } from "../market-store.ts";
import { NOW_MS, type StoreUnderTest } from "../suite-store.suite.ts";

const EVER = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, leafIds: null };

function blockOf(id: number, traits: Partial<NewArchiveBlock> = {}): NewArchiveBlock {
  const piece = archived([aSeenListing({ listing: aListing({ id }), seenAtMs: NOW_MS })]);
  const times = { firstMs: NOW_MS, lastMs: NOW_MS };
  return { day: "2030-03-17", example: 0, isSorted: false, ...times, leafIds: [221], ...piece, ...traits };
}

const made = (...blocks: readonly NewArchiveBlock[]) => ({ tail: [], blocks: [], made: blocks });

async function idsOf(archive: ArchiveStore): Promise<readonly number[]> {
  return (await archive.heads(EVER)).map(({ id }) => id);
}

/** The archive's tail, blocks and days, with any content. */
export function describeArchive({ open }: StoreUnderTest): void {
  describe("the archive of the market", () => {
    test("of two concurrent replacements of the same blocks one succeeds, and a late one changes nothing", async () => {
      await using opened = await open();
      const { archive, listings } = opened.store;
      const piece = archived([aSeenListing({ listing: aListing({ id: 1 }), seenAtMs: NOW_MS })]);
      await listings.record({ listings: [], matches: [], marks: [], archive: [piece, piece] });
      await archive.change(made(blockOf(2)));
      const heads = await archive.heads(EVER);
      const tail = heads.filter(({ isTail }) => isTail).map(({ id }) => id);
      const blocks = heads.filter(({ isTail }) => !isTail).map(({ id }) => id);
      expect([tail.length, blocks.length]).toEqual([2, 1]);
      const pack = async () =>
        await archive.change({ tail, blocks: [], made: [blockOf(1, { versions: 2 })] });
      expect((await Promise.all([pack(), pack()])).toSorted()).toEqual([false, true]);
      const left = await idsOf(archive);
      expect(left).toHaveLength(2);
      // One input is gone, so the other one stays.
      expect(await archive.change({ tail: tail.slice(0, 1), blocks, made: [] })).toBe(false);
      expect(await idsOf(archive)).toEqual(left);
      expect((await archive.totals()).versions).toBe(3);
    });

    test("returns the blocks of a period that may hold one of the leaves, and the whole tail", async () => {
      await using opened = await open();
      const { archive, listings } = opened.store;
      const hourMs = 3_600_000;
      await archive.change(
        made(
          blockOf(1, { leafIds: [221, 534], day: "1" }),
          blockOf(2, { leafIds: [1_807], day: "2" }),
          // Some of its listings have no known leaf category.
          blockOf(3, { leafIds: [0], day: "3" }),
          blockOf(4, { firstMs: NOW_MS - 2 * hourMs, lastMs: NOW_MS - hourMs, day: "4" }),
        ),
      );
      const piece = archived([aSeenListing({ listing: aListing({ id: 5 }), seenAtMs: NOW_MS })]);
      await listings.record({ listings: [], matches: [], marks: [], archive: [piece] });
      const daysIn = async (range: Partial<Parameters<ArchiveStore["heads"]>[0]>) =>
        (await archive.heads({ ...EVER, ...range })).map(({ day }) => day).toSorted();
      expect(await daysIn({})).toEqual(["", "1", "2", "3", "4"]);
      expect(await daysIn({ leafIds: [534] })).toEqual(["", "1", "3"]);
      expect(await daysIn({ fromMs: NOW_MS - hourMs + 1 })).toEqual(["", "1", "2", "3"]);
      expect(await daysIn({ toMs: NOW_MS - 1 })).toEqual(["", "4"]);
    });

    test("is erased with its days and its secret, which all processes share", async () => {
      await using opened = await open();
      const { archive } = opened.store;
      const [secret, same] = await Promise.all([archive.secret(), archive.secret()]);
      expect(same).toEqual(secret);
      await archive.change(made(blockOf(1, { example: 500 })));
      await archive.cover("2030-03-17", [], (before) => before);
      expect(await archive.totals()).toMatchObject({ versions: 1, exampleVersions: 1, examplesRead: 500 });
      await archive.erase();
      expect(await archive.totals()).toMatchObject({ versions: 0, dataBytes: 0, exampleVersions: 0 });
      expect(await archive.coverage("")).toEqual([]);
      expect(await archive.secret()).not.toEqual(secret);
    });
  });
}
