import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Filter } from "#domain/market/filter.ts";
import { asFilterId, type UserId } from "#domain/ids.ts";
import { candidateIn, readListing } from "#matching/candidate.ts";
import { createCubeIndex } from "#matching/cube/cube-index.ts";
import { createEventBus } from "#server/events.ts";
import { users } from "#store/schema/tables.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { A_MOMENT_MS, FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { SliceDemand } from "../schedule/slice-demand.ts";
import { ActiveFilters } from "./active-filters.ts";
import { FilterSync } from "./filter-sync.ts";
import { replaceFilter } from "#verify/testing/replace-filter.ts";

const MAX_FILTERS = 200;

let opened: TestStore;
const running = new Set<FilterSync>();

beforeAll(async () => {
  opened = await openTestStore();
});

afterEach(async () => {
  for (const sync of running) await sync.stop();
  running.clear();
  for (const { id } of await opened.store.users.all()) await opened.store.users.erase(id);
});

afterAll(async () => {
  await opened[Symbol.asyncDispose]();
});

/** The filters in memory, in sync with the real store. */
class Synced {
  readonly clock = new FakeClock();
  readonly events = createEventBus(createQuietLog());
  readonly index = createCubeIndex();
  readonly demand = new SliceDemand();
  readonly active = new ActiveFilters(this.index, this.demand);
  readonly started: string[] = [];
  readonly shares: number[] = [];
  readonly sync: FilterSync;
  /** How many of the next reads of a person's filters fail. */
  failingReads = 0;

  constructor() {
    const { store } = opened;
    this.sync = new FilterSync({
      filters: {
        ...store.filters,
        activeOf: async (userId) => {
          this.failingReads -= 1;
          if (this.failingReads >= 0) throw new Error("the store does not answer");
          return await store.filters.activeOf(userId);
        },
      },
      users: store.users,
      sellers: store.sellers,
      events: this.events,
      clock: this.clock,
      active: this.active,
      onStarted: (started) => this.started.push(...started.map(({ filter }) => filter.tag)),
      onChange: () => undefined,
      onLoading: (share) => this.shares.push(share),
    });
    running.add(this.sync);
  }

  async person(login: string): Promise<UserId> {
    const { user } = await opened.store.users.signIn({ ...aUser({ login, providerId: login }) }, A_MOMENT_MS);
    await opened.store.users.setPlan(user.id, "thunder", null);
    return user.id;
  }

  async save(userId: UserId, filter: Partial<Filter> & { readonly tag: string }): Promise<void> {
    const whole = aFilter({ id: asFilterId(`${userId}-${filter.tag}`), userId, ...filter });
    const outcome = await replaceFilter(opened.store.filters, whole, A_MOMENT_MS);
    if (outcome === "gone") await opened.store.filters.add(whole, MAX_FILTERS);
  }

  async changed(userId: UserId): Promise<void> {
    await this.events.publish({ kind: "filters_changed", userId, filterIds: [] });
  }

  /** Tags of the filters that hold a plain listing. */
  get matching(): readonly string[] {
    const { numbers, start, length } = this.index.match(candidateIn(readListing(aListing()), 221, []));
    return Array.from(numbers.subarray(start, start + length), (filterNumber) => {
      const active = this.active.byNumber(filterNumber);
      return `${active?.matchClass} ${active?.filter.tag}`;
    }).toSorted();
  }
}

test("all active filters match after the start, and none counts as just started", async () => {
  const synced = new Synced();
  const lea = await synced.person("lea");
  const tom = await synced.person("tom");
  await synced.save(lea, { tag: "a" });
  await synced.save(lea, { tag: "off", isActive: false, activatedAtMs: null });
  await synced.save(tom, { tag: "b", isAutobuy: true });
  await synced.sync.start();
  expect(synced.matching).toEqual(["shown a", "thunder b"]);
  expect(synced.started).toEqual([]);
  expect(synced.demand.slices()).toHaveLength(1);
});

test.each(["sealedProfile", "wrappedDataKey"])(
  "a person whose %s cannot be opened keeps no filter from matching, at the start and after a reload",
  async (column) => {
    const synced = new Synced();
    const lea = await synced.person("lea");
    const tom = await synced.person("tom");
    await synced.save(lea, { tag: "a" });
    await synced.save(tom, { tag: "b" });
    const damaged = { [column]: new Uint8Array(64) };
    await opened.store.db.update(users).set(damaged).where(eq(users.id, lea));
    await synced.sync.start();
    expect(synced.matching).toEqual(["shown a", "shown b"]);
    await synced.save(tom, { tag: "c" });
    await synced.sync.reload();
    expect(synced.matching).toEqual(["shown a", "shown b", "shown c"]);
  },
);

test("many filters are loaded in pages, with progress, and yielding to other work", async () => {
  const synced = new Synced();
  const people = [await synced.person("lea"), await synced.person("tom"), await synced.person("zoe")];
  const own = 350;
  for (const userId of people) {
    const filters = Array.from({ length: own }, (_, n) =>
      aFilter({ id: asFilterId(`${userId}-${n}`), userId, tag: `${n}` }),
    );
    await Promise.all(filters.map(async (filter) => await opened.store.filters.add(filter, own)));
  }
  const sizes = [0];
  let isLoading = true;
  const look = (): void => {
    if (synced.active.size !== sizes.at(-1)) sizes.push(synced.active.size);
    if (isLoading) setImmediate(look);
  };
  look();
  await synced.sync.start();
  isLoading = false;
  expect(synced.active.size).toBe(people.length * own);
  expect(synced.matching).toHaveLength(people.length * own);
  expect(synced.shares).toEqual([0, 1_000 / (people.length * own)]);
  const leaps = sizes.map((size, place) => size - (sizes[place - 1] ?? 0));
  expect(Math.max(...leaps)).toBe(own);
});

test("once the event of an edit is handled, the index holds the edited filter", async () => {
  const synced = new Synced();
  const lea = await synced.person("lea");
  await synced.sync.start();

  await synced.save(lea, { tag: "a" });
  await synced.changed(lea);
  expect([synced.matching, synced.started]).toEqual([["shown a"], ["a"]]);

  await synced.save(lea, { tag: "a", isAutobuy: true });
  await synced.changed(lea);
  expect([synced.matching, synced.started]).toEqual([["thunder a"], ["a"]]);

  await synced.save(lea, { tag: "a", priceCapEur: 5 });
  await synced.changed(lea);
  expect(synced.matching).toEqual([]);

  await synced.save(lea, { tag: "a", isActive: false, activatedAtMs: null });
  await synced.changed(lea);
  expect([synced.active.size, synced.demand.slices().length]).toEqual([0, 0]);

  await synced.save(lea, { tag: "a", activatedAtMs: A_MOMENT_MS + 1 });
  await synced.changed(lea);
  expect([synced.matching, synced.started]).toEqual([["shown a"], ["a", "a", "a"]]);
});

test("a plan that changes, expires or is granted changes who gets matches", async () => {
  const synced = new Synced();
  const lea = await synced.person("lea");
  await synced.save(lea, { tag: "a", isAutobuy: true });
  await synced.sync.start();

  const planned = async (
    ...plan: Parameters<typeof opened.store.users.setPlan>
  ): Promise<readonly string[]> => {
    await opened.store.users.setPlan(...plan);
    await synced.events.publish({ kind: "user_changed", userId: lea });
    return synced.matching;
  };
  expect(await planned(lea, "acquire", null)).toEqual(["acquire a"]);
  expect(await planned(lea, "seeker", null)).toEqual(["shown a"]);
  expect(await planned(lea, "none", null)).toEqual([]);
  expect(await planned(lea, "thunder", synced.clock.nowMs() + 60_000)).toEqual(["thunder a"]);
  await synced.clock.advance(60_001);
  synced.active.refresh(synced.clock.nowMs());
  expect(synced.matching).toEqual([]);
});

test("block lists are known from the start, and changed once the event is handled", async () => {
  const synced = new Synced();
  const lea = await synced.person("lea");
  await synced.save(lea, { tag: "a" });
  const { seller } = aListing();
  const at = { nowMs: A_MOMENT_MS, limit: 10 };
  await opened.store.sellers.block(lea, [{ sellerId: seller.id, login: seller.login }], at);
  await synced.sync.start();
  const isBlocked = (): boolean | undefined => synced.active.byNumber(0)?.owner.blocked.has(seller);
  expect(isBlocked()).toBe(true);
  await opened.store.sellers.unblock(lea, seller.login);
  await synced.events.publish({ kind: "sellers_changed", userId: lea });
  expect([isBlocked(), synced.started]).toEqual([false, []]);
  await opened.store.sellers.block(lea, [{ sellerId: null, login: seller.login }], at);
  await synced.events.publish({ kind: "sellers_changed", userId: lea });
  expect([isBlocked(), synced.matching]).toEqual([true, ["shown a"]]);
});

test("an erased person gets no match", async () => {
  const synced = new Synced();
  const lea = await synced.person("lea");
  await synced.save(lea, { tag: "a" });
  await synced.sync.start();
  await opened.store.users.erase(lea);
  await synced.events.publish({ kind: "user_changed", userId: lea });
  expect([synced.matching, synced.active.size]).toEqual([[], 0]);
});

test("after many concurrent edits the index equals the store", async () => {
  const synced = new Synced();
  const lea = await synced.person("lea");
  const changes: Promise<void>[] = [synced.sync.start()];
  for (let edit = 1; edit <= 30; edit += 1) {
    await synced.save(lea, { tag: `t${edit % 5}`, priceCapEur: edit % 2 === 0 ? 100 : 5 });
    changes.push(synced.changed(lea));
  }
  await Promise.all(changes);
  const expected = (await opened.store.filters.activeOf(lea)).filter(
    ({ priceCapEur }) => priceCapEur === 100,
  );
  expect(synced.matching).toEqual(expected.map(({ tag }) => `shown ${tag}`).toSorted());
  expect(synced.active.size).toBe(5);
});

test("while a change could not be read, the old filter buys nothing", async () => {
  const synced = new Synced();
  const lea = await synced.person("lea");
  const tom = await synced.person("tom");
  await synced.save(lea, { tag: "a", isAutobuy: true });
  await synced.save(lea, { tag: "b", isAutobuy: true });
  await synced.save(tom, { tag: "c" });
  await synced.sync.start();
  await synced.save(lea, { tag: "a", isActive: false, activatedAtMs: null });
  synced.failingReads = 3;
  await synced.changed(lea);
  expect(synced.matching).toEqual(["shown c"]);

  await synced.clock.advance(250);
  await synced.clock.advance(500);
  await expect.poll(() => synced.failingReads).toBe(0);
  expect(synced.matching).toEqual(["shown c"]);
  await synced.clock.advance(1_000);
  await expect.poll(() => synced.matching).toEqual(["shown c", "thunder b"]);

  // No retry is pending.
  await synced.clock.advance(60_000);
  expect(synced.failingReads).toBe(-1);
});

test("a failed read makes no filter young: an unchanged one goes on, an edited one buys nothing earlier", async () => {
  const synced = new Synced();
  const lea = await synced.person("lea");
  await synced.save(lea, { tag: "same", isAutobuy: true, priceCapEur: 30 });
  await synced.save(lea, { tag: "edited", isAutobuy: true, priceCapEur: 10 });
  await synced.sync.start();
  const coursesByTag = () =>
    new Map(
      [...(synced.active.ofPerson(lea)?.values() ?? [])].map(({ filter, course }) => [filter.tag, course]),
    );
  await synced.save(lea, { tag: "edited", isAutobuy: true, priceCapEur: 30 });
  synced.failingReads = 1;
  await synced.changed(lea);
  expect(synced.matching).toEqual([]);
  const withheldAtMs = synced.clock.nowMs();
  await synced.clock.advance(250);
  await expect.poll(() => synced.matching).toHaveLength(2);
  const former = { sinceMs: -Infinity, untilMs: withheldAtMs };
  expect(coursesByTag().get("same")).toMatchObject({ sinceMs: -Infinity, former, buysEarlier: true });
  const sinceMs = synced.clock.nowMs();
  expect(coursesByTag().get("edited")).toMatchObject({ sinceMs, former, buysEarlier: false });
  expect(synced.started.toSorted()).toEqual(["edited", "same"]);
});
