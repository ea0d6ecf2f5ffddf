import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Filter } from "#domain/market/filter.ts";
import { type FilterId, type UserId, asFilterId, asGroupId, asPurchaseId } from "#domain/ids.ts";
import type { UserMatch } from "#domain/market/match.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aMatch } from "#verify/testing/a-match.ts";
import { aPurchaseRecord } from "#verify/testing/a-purchase-record.ts";
import { purchases } from "../schema/purchase-tables.ts";
import { toRow } from "../purchases/rows.ts";
import type { FilterImport, ImportBounds, PublicSearch } from "../market-store.ts";
import { storableText } from "../sql/values.ts";
import { type StoreUnderTest, NOW_MS, aPersonOf, storeForAll, hostileText } from "../suite-store.suite.ts";
import { replaceFilter } from "#verify/testing/replace-filter.ts";

const MANY = 1_000;
const IMPORT_BOUNDS: ImportBounds = {
  nowMs: NOW_MS,
  filters: MANY,
  groups: MANY,
  choices: MANY,
  fewChoices: MANY,
};

export function describeFilters({ shared, open }: StoreUnderTest): void {
  describe("filters", () => {
    const at = shared;

    test("a person's filters are returned newest first, unchanged, and to nobody else", async () => {
      const [owner, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const older = filterOf(owner.id, { createdAtMs: NOW_MS });
      const newer = filterOf(owner.id, {
        ...FULL_TRAITS,
        createdAtMs: NOW_MS + 1,
      });
      await at().filters.add(older, MANY);
      await at().filters.add(newer, MANY);
      expect(await at().filters.ofUser(owner.id)).toEqual([newer, older]);
      expect(await at().filters.byId(owner.id, newer.id)).toEqual(newer);
      expect(await at().filters.ofUser(other.id)).toEqual([]);
      expect(await at().filters.byId(other.id, newer.id)).toBeNull();
      expect(await at().filters.byId(owner.id, asFilterId("\u0000"))).toBeNull();
    });

    test("parallel additions stop exactly at the limit", async () => {
      const owner = await aPersonOf(at());
      const added = await Promise.all(
        Array.from({ length: 9 }, () => at().filters.add(filterOf(owner.id), 3)),
      );
      expect(added.filter((outcome) => outcome === "saved")).toHaveLength(3);
      expect(added.filter((outcome) => outcome === "too_many_filters")).toHaveLength(6);
      expect(await at().filters.ofUser(owner.id)).toHaveLength(3);
    });

    test("an import is saved as a whole, with its groups, or not at all", async () => {
      const [owner, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const [known, foreign] = [filterOf(owner.id), filterOf(other.id)];
      await at().filters.add(known, MANY);
      await at().filters.add(foreign, MANY);
      const [one, two] = [filterOf(owner.id), filterOf(owner.id)];
      const changed = { ...known, priceCapEur: known.priceCapEur + 1 };
      const importOf = async (wanted: Partial<FilterImport>, bounds: Partial<ImportBounds> = {}) =>
        await at().filters.importAll(
          owner.id,
          { added: [one, two], replaced: [changed], groups: [], ...wanted },
          { ...IMPORT_BOUNDS, ...bounds },
        );
      const groupOf = (name: string, ...filterIds: FilterId[]) => {
        const own = { id: asGroupId(`${owner.id} ${name}`), userId: owner.id, filterIds };
        return { ...own, name, maxPurchases: 1, budgetEur: 60 };
      };
      const large = { ...one, brandIds: [53, 304, 14] };
      const twoGroups = [groupOf("a", one.id), groupOf("b", two.id)];
      expect([
        await importOf({ replaced: [changed, { ...foreign, userId: owner.id }] }),
        await importOf({}, { filters: 2 }),
        await importOf({ added: [large] }, { choices: 2, fewChoices: 2 }),
        await importOf({ groups: twoGroups }, { groups: 1 }),
        await importOf({ groups: [groupOf("c", one.id, foreign.id)] }),
      ]).toEqual(["gone", "too_many_filters", "too_many_choices", "too_many_groups", "gone"]);
      expect(await at().filters.ofUser(owner.id)).toEqual([known]);
      expect(await at().groups.list(owner.id)).toEqual([]);
      const wanted = { groups: [groupOf("d", one.id, two.id)] };
      expect(await importOf(wanted, { filters: 3, groups: 1 })).toBe("saved");
      const saved = await at().filters.ofUser(owner.id);
      expect(new Set(saved.map(({ id }) => id))).toEqual(new Set([known.id, one.id, two.id]));
      expect(saved.find(({ id }) => id === known.id)?.priceCapEur).toBe(changed.priceCapEur);
      const [group] = await at().groups.list(owner.id);
      expect(new Set(group?.filterIds)).toEqual(new Set([one.id, two.id]));
      expect(await at().filters.ofUser(other.id)).toEqual([foreign]);
    });

    test("of two concurrent imports the one that would exceed the limit saves nothing", async () => {
      const owner = await aPersonOf(at());
      const importing = async () => {
        const added = Array.from({ length: 3 }, () => filterOf(owner.id));
        const wanted = { added, replaced: [], groups: [] };
        return await at().filters.importAll(owner.id, wanted, { ...IMPORT_BOUNDS, filters: 5 });
      };
      const outcomes = await Promise.all([importing(), importing()]);
      expect(outcomes.toSorted()).toEqual(["saved", "too_many_filters"]);
      expect(await at().filters.ofUser(owner.id)).toHaveLength(3);
    });

    test("a change changes all but owner, creation time and copies, and only the owner's filters", async () => {
      const [owner, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const filter = filterOf(owner.id, { isPrivate: false });
      await at().filters.add(filter, MANY);
      await at().filters.add(filterOf(other.id), MANY, undefined, filter.id);
      const changed = { ...filter, ...FULL_TRAITS, createdAtMs: NOW_MS + 99 };
      expect(await replaceFilter(at().filters, { ...changed, userId: other.id }, NOW_MS)).toBe("gone");
      expect(await replaceFilter(at().filters, changed, NOW_MS)).toBe("saved");
      expect(await at().filters.byId(owner.id, filter.id)).toEqual({
        ...changed,
        createdAtMs: filter.createdAtMs,
        copies: 1,
      });
      expect(await replaceFilter(at().filters, { ...changed, id: asFilterId("unknown") }, NOW_MS)).toBe(
        "gone",
      );
    });

    test("removal takes all or none", async () => {
      const [owner, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const [one, two, foreign] = [filterOf(owner.id), filterOf(owner.id), filterOf(other.id)];
      for (const filter of [one, two, foreign]) await at().filters.add(filter, MANY);
      expect(await at().filters.remove(owner.id, [one.id, foreign.id])).toBe(0);
      expect(await at().filters.remove(owner.id, [one.id, asFilterId("unknown")])).toBe(0);
      expect(await at().filters.remove(owner.id, [one.id, asFilterId("\u0000")])).toBe(0);
      expect(await at().filters.remove(owner.id, [])).toBe(0);
      expect(await at().filters.ofUser(owner.id)).toHaveLength(2);
      expect(await at().filters.remove(owner.id, [one.id, two.id, one.id])).toBe(2);
      expect(await at().filters.ofUser(owner.id)).toEqual([]);
      expect(await at().filters.ofUser(other.id)).toHaveLength(1);
    });

    test("of two overlapping concurrent removals one removes all of its filters and the other none", async () => {
      const owner = await aPersonOf(at());
      const [one, two, three] = [filterOf(owner.id), filterOf(owner.id), filterOf(owner.id)];
      for (const filter of [one, two, three]) await at().filters.add(filter, MANY);
      const removed = await Promise.all([
        at().filters.remove(owner.id, [one.id, two.id]),
        at().filters.remove(owner.id, [three.id, two.id]),
      ]);
      expect(removed.toSorted()).toEqual([0, 2]);
      expect(await at().filters.ofUser(owner.id)).toHaveLength(1);
    });

    test("stopping auto-buy names the filters that had it on", async () => {
      const owner = await aPersonOf(at());
      const [on, alsoOn, off] = [true, true, false].map((isAutobuy) => filterOf(owner.id, { isAutobuy }));
      if (!on || !alsoOn || !off) throw new Error("three filters were made");
      for (const filter of [on, alsoOn, off]) await at().filters.add(filter, MANY);
      expect((await at().filters.stopAutobuy(owner.id)).toSorted()).toEqual([on.id, alsoOn.id].toSorted());
      expect(await at().filters.stopAutobuy(owner.id)).toEqual([]);
    });

    test("concurrent changes of several filters each see what the others saved, and apply to all or none", async () => {
      const [owner, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const [one, two, theirs] = [filterOf(owner.id, {}), filterOf(owner.id, {}), filterOf(other.id, {})];
      for (const filter of [one, two, theirs]) await at().filters.add(filter, 10);
      const dearer = (filter: Filter) => ({ ...filter, priceCapEur: filter.priceCapEur - 10 });
      const caps = async (): Promise<readonly number[]> =>
        (await at().filters.ofUser(owner.id)).map(({ priceCapEur }) => priceCapEur);
      const before = await caps();
      expect(await at().filters.change(owner.id, [one.id, theirs.id], dearer, { nowMs: NOW_MS })).toBe(
        "gone",
      );
      expect(
        await at().filters.change(owner.id, [one.id, asFilterId("a\u0000b")], dearer, { nowMs: NOW_MS }),
      ).toBe("gone");
      const refused = (filter: Filter) => {
        if (filter.id === two.id) throw new Error("refused");
        return dearer(filter);
      };
      const failing = at().filters.change(owner.id, [one.id, two.id], refused, { nowMs: NOW_MS });
      await expect(failing).rejects.toThrow("refused");
      expect(await caps()).toEqual(before);
      const changes = Array.from({ length: 5 }, () =>
        at().filters.change(owner.id, [two.id, one.id, two.id], dearer, { nowMs: NOW_MS }),
      );
      const [first] = await Promise.all(changes);
      expect(first).toMatchObject([{ id: two.id }, { id: one.id }]);
      expect(await caps()).toEqual(before.map((cap) => cap - 50));
    });

    test("a change of several filters is serialized with other changes of the person's filters", async () => {
      const owner = await aPersonOf(at());
      const ids = Array.from({ length: 8 }, (_, n) => asFilterId(`${owner.id}-${n}`));
      for (const id of ids) await at().filters.add(filterOf(owner.id, { id, isAutobuy: true }), 10);
      const dearer = (filter: Filter) => ({
        ...filter,
        isAutobuy: true,
        priceCapEur: filter.priceCapEur + 1,
      });
      const before = await at().filters.ofUser(owner.id);
      const changes = Array.from({ length: 10 }, () => [
        at().filters.change(owner.id, ids, dearer, { nowMs: NOW_MS }),
        at().filters.stopAutobuy(owner.id),
      ]);
      await Promise.all(changes.flat());
      expect(await at().filters.ofUser(owner.id)).toMatchObject(
        before.map(({ priceCapEur }) => ({ priceCapEur: priceCapEur + 10 })),
      );
    });

    test("any text can be stored; only NUL and lone surrogates are changed", async () => {
      const owner = await aPersonOf(at());
      const text = hostileText(12);
      await fc.assert(
        fc.asyncProperty(text, text, fc.array(text, { maxLength: 4 }), async (tag, info, words) => {
          const filter = filterOf(owner.id, { tag, info, includeWords: words.map((word) => [word]) });
          await at().filters.add(filter, Number.MAX_SAFE_INTEGER);
          expect(await at().filters.byId(owner.id, filter.id)).toMatchObject({
            tag: storableText(tag),
            info: storableText(info),
            includeWords: words.map((word) => [storableText(word)]),
          });
        }),
        { numRuns: 30, examples: [["a\u0000b\ud800", `"\\{},'`, ["NULL", "", "{}", '"', "\\"]]] },
      );
    });
  });

  describe("active filters", () => {
    const at = storeForAll(open);

    test("are returned in pages, each once, contiguous per owner", async () => {
      const [one, two] = [await aPersonOf(at()), await aPersonOf(at())];
      const active = [1, 2, 3, 4].map((n) => filterOf(n % 2 === 0 ? one.id : two.id));
      const idle = filterOf(one.id, { isActive: false, activatedAtMs: null });
      for (const filter of [...active, idle]) await at().filters.add(filter, MANY);
      for (const pageSize of [1, 2, 3, 4, 50]) {
        const pages = await Array.fromAsync(at().filters.activePages(pageSize));
        expect(pages.every((page) => page.length > 0 && page.length <= pageSize)).toBe(true);
        expect(
          pages
            .flat()
            .map(({ id }) => id)
            .toSorted(),
        ).toEqual(active.map(({ id }) => id).toSorted());
        // Filters of one person are contiguous.
        const owners = pages.flat().map(({ userId }) => userId);
        expect(owners.filter((userId, place) => userId !== owners[place - 1])).toHaveLength(2);
      }
      expect(await at().filters.countActive()).toBe(active.length);
      const ownActive = active.filter(({ userId }) => userId === one.id);
      expect(new Set((await at().filters.activeOf(one.id)).map(({ id }) => id))).toEqual(
        new Set(ownActive.map(({ id }) => id)),
      );
    });
  });

  describe("public filters", () => {
    const at = storeForAll(open);

    test("of other people are found by tag without case and accents, the most copied first", async () => {
      const [me, owner, suspended] = [await aPersonOf(at()), await aPersonOf(at()), await aPersonOf(at())];
      const dress = filterOf(owner.id, { isPrivate: false, tag: "Robe d'ÉTÉ 100 %", info: "mine" });
      const coat = filterOf(owner.id, { isPrivate: false, tag: "Manteau", createdAtMs: NOW_MS + 5 });
      const hidden = filterOf(owner.id, { isPrivate: true, tag: "Robe secrète" });
      const own = filterOf(me.id, { isPrivate: false, tag: "Robe à moi" });
      const banned = filterOf(suspended.id, { isPrivate: false, tag: "Robe bannie" });
      for (const filter of [dress, coat, hidden, own, banned]) await at().filters.add(filter, MANY);
      await at().users.setSuspended(suspended.id, true);
      const idsOf = async (text: string, limit = 10) =>
        (await at().filters.publicOnes(me.id, { text }, limit)).map(({ id }) => id);

      expect(await idsOf("")).toEqual([coat.id, dress.id]);
      expect(await idsOf("robe D'ete")).toEqual([dress.id]);
      expect(await idsOf("%")).toEqual([coat.id, dress.id]);
      expect(await idsOf("100 %")).toEqual([dress.id]);
      expect(await idsOf("nothing of the kind")).toEqual([]);
      expect(await idsOf("", 1)).toEqual([coat.id]);

      const typed = filterOf(owner.id, { isPrivate: false, tag: "Été", brandIds: [53], categoryIds: [178] });
      await at().filters.add(typed, MANY);
      const foundBy = async (ids: Partial<PublicSearch>) =>
        (await at().filters.publicOnes(me.id, { text: "nothing", ...ids }, 10)).map(({ id }) => id);
      expect(await foundBy({ brandIds: [1, 53] })).toEqual([typed.id]);
      expect(await foundBy({ categoryIds: [178] })).toEqual([typed.id]);
      expect(await foundBy({ brandIds: [1], categoryIds: [53] })).toEqual([]);
      await at().filters.remove(owner.id, [typed.id]);

      for (const filter of [hidden, own, banned]) {
        expect(await at().filters.publicOne(me.id, filter.id)).toBeNull();
      }
      const { id, tag, userId: _, ...rest } = dress;
      const copied = await at().filters.publicOne(me.id, id);
      expect(copied).toMatchObject({ id, tag, copies: 0, criteria: { priceCapEur: rest.priceCapEur } });
      expect(Object.keys(copied ?? {}).toSorted()).toEqual(["copies", "criteria", "id", "tag"]);
      expect(JSON.stringify(copied)).not.toContain("mine");
      await at().filters.add(filterOf(me.id), MANY, undefined, id);
      expect(await idsOf("")).toEqual([dress.id, coat.id]);
    });

    test("count every copy that was saved, also concurrent ones", async () => {
      const [owner, ...others] = await Promise.all([1, 2, 3, 4].map(() => aPersonOf(at())));
      if (owner === undefined) throw new Error("four people were made");
      const filter = filterOf(owner.id, { isPrivate: false });
      await at().filters.add(filter, MANY);
      const copy = async (other: UserId, limit: number) =>
        await at().filters.add(filterOf(other), limit, undefined, filter.id);
      await Promise.all(others.map(({ id }) => copy(id, MANY)));
      expect(await copy(others[0]?.id ?? owner.id, 1)).toBe("too_many_filters");
      expect(await at().filters.byId(owner.id, filter.id)).toMatchObject({ copies: 3 });
    });
  });

  describe("the activity of filters", () => {
    const at = shared;

    test("counts one person's listings since a moment once each, and names the latest", async () => {
      const [owner, other] = [await aPersonOf(at()), await aPersonOf(at())];
      const [busy, quiet] = [
        filterOf(owner.id, { createdAtMs: NOW_MS + 1 }),
        filterOf(owner.id, { createdAtMs: NOW_MS }),
      ];
      const foreign = filterOf(other.id);
      for (const filter of [busy, quiet, foreign]) await at().filters.add(filter, MANY);
      const found = (listingId: number, atMs: number, traits: Partial<UserMatch> = {}): UserMatch => {
        const listing = aListing({
          id: listingId,
          title: `Robe ${listingId} \u0000`,
          ...traits.listing?.listing,
        });
        return aMatch({
          userId: owner.id,
          filterIds: [busy.id],
          cursor: String(BigInt(atMs) * 4_096n),
          matchedAtMs: atMs,
          listing: aSeenListing({ listing }),
          ...traits,
        });
      };
      const fell = aSeenListing({
        listing: aListing({ id: 7_102, title: "Robe 7102 \u0000", totalPriceCents: 5 }),
      });
      const some = [
        found(7_101, NOW_MS - 10),
        found(7_102, NOW_MS + 10),
        found(7_102, NOW_MS + 20, { listing: fell, filterIds: [busy.id, foreign.id] }),
        found(7_103, NOW_MS + 15, { userId: other.id, filterIds: [foreign.id] }),
      ];
      await at().listings.record({ listings: some.map(({ listing }) => listing), matches: some, marks: [] });
      const { filters, isPartial } = await at().filters.activity(owner.id, NOW_MS);
      expect(isPartial).toBe(false);
      expect(filters).toEqual([
        {
          filterId: busy.id,
          foundCount: 1,
          latest: { listingId: 7_102, title: "Robe 7102 \u0000", foundAtMs: NOW_MS + 20 },
          purchaseCount: 0,
        },
        { filterId: quiet.id, foundCount: 0, latest: null, purchaseCount: 0 },
      ]);
      expect((await at().filters.activity(owner.id, NOW_MS - 10)).filters[0]?.foundCount).toBe(2);
      expect((await at().filters.activity(other.id, NOW_MS)).filters).toMatchObject([
        { filterId: foreign.id, foundCount: 1, latest: { listingId: 7_103 } },
      ]);
      const nobody = await aPersonOf(at());
      expect(await at().filters.activity(nobody.id, NOW_MS)).toEqual({ filters: [], isPartial: false });
    });

    test("counts purchases in the same way as the maximum number of purchases", async () => {
      const owner = await aPersonOf(at());
      const [real, rehearsal] = [
        filterOf(owner.id, { createdAtMs: NOW_MS + 1 }),
        filterOf(owner.id, { isSimulation: true }),
      ];
      for (const filter of [real, rehearsal]) await at().filters.add(filter, MANY);
      const kinds = [
        ["confirmed", "live", real],
        ["awaiting", "live", real],
        ["cancelled", "live", real],
        ["intent", "live", real],
        ["confirmed", "simulation", real],
        ["confirmed", "simulation", rehearsal],
      ] as const;
      const rows = kinds.map(([state, mode, { id }], index) =>
        toRow(
          aPurchaseRecord({
            id: asPurchaseId(`${id}-${index}`),
            userId: owner.id,
            filterId: id,
            listing: aListing({ id: 7_200 + index }),
            state,
            mode,
            holdCents: 0,
          }),
        ),
      );
      await at().db.insert(purchases).values(rows);
      const { filters } = await at().filters.activity(owner.id, NOW_MS);
      expect(filters.map(({ purchaseCount }) => purchaseCount)).toEqual([2, 1]);
    });
  });
}

/** Every field that a person may change, none at its default. */
const FULL_TRAITS: Partial<Filter> = {
  tag: "Tout autre",
  info: "note",
  categoryIds: [221, 5],
  brandIds: [53, 2_000_000_000],
  sizeIds: [207],
  conditionIds: [6, 1],
  colourName: "Navy",
  priceCapEur: 100_000,
  priceFloorEur: 15,
  includeWords: [
    ["laine", "cachemire", `"mérinos\\`],
    ["tech fleece", "techfleece"],
  ],
  excludeWords: [["polyester"], ["lot", "lots"]],
  isActive: false,
  isAutobuy: true,
  isPrivate: true,
  paymentMethodId: 11,
  maxPurchases: 1_000,
  isSimulation: true,
  activatedAtMs: null,
};

let filterCount = 0;

function filterOf(userId: UserId, traits: Partial<Filter> = {}): Filter {
  filterCount += 1;
  const id = asFilterId(`filter-${String(filterCount).padStart(6, "0")}`);
  return aFilter({ id, userId, createdAtMs: NOW_MS, ...traits });
}
