// From a marketplace answer to its published matches: the time of each step of the product's code on a real
// page of the sandbox with 96 new listings, and the time of a page of known ones.
// node verify/bench/hot-path.bench.ts [--filters N]     (default 100,000)
import { parseArgs } from "node:util";
import { brands } from "#catalogue/brands.ts";
import { leafIds } from "#catalogue/categories.ts";
import { conditions } from "#catalogue/conditions.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import { ActiveFilters } from "#feed/publish/active-filters.ts";
import { CursorSource } from "#feed/publish/cursors.ts";
import { candidatesOf, FanOut } from "#feed/publish/fan-out.ts";
import { ingestPage, type News, type PageReading } from "#feed/read/ingest.ts";
import { SeenListings } from "#feed/read/seen-listings.ts";
import { SliceStates, type SliceState } from "#feed/schedule/slice-states.ts";
import { SliceDemand } from "#feed/schedule/slice-demand.ts";
import { PAGE_SIZE } from "#feed/read/slice-pages.ts";
import { sliceOf } from "#feed/schedule/slice.ts";
import type { SearchPage } from "#marketplace/marketplace.ts";
import { readAnswer } from "#marketplace/read-answer.ts";
import { toListing } from "#marketplace/read-listing.ts";
import { wireCatalogPage } from "#marketplace/wire.ts";
import { createCubeIndex } from "#matching/cube/cube-index.ts";
import { systemClock } from "#server/clock.ts";
import { startSandbox } from "#sandbox/sandbox.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { pause, percentile, print } from "./figures.ts";

const { values } = parseArgs({ options: { filters: { type: "string", default: "100000" } } });
const filterCount = Number(values.filters);
const FILTERS_EACH = 50;
const ROUNDS = 60;
const NOW_MS = Date.now();
const POLL_MS = 500;
const MOST_LOOKS = 60;

const text = await pageOfSandbox();
const random = createFakeRandom(1);
const index = createCubeIndex();
const demand = new SliceDemand();
const active = new ActiveFilters(index, demand);
fillWithPeople();
const log = createQuietLog();
const fanOut = new FanOut({
  index,
  filters: active,
  demand,
  cursors: new CursorSource(),
  log,
});

const samplesUs: Record<"parse" | "dedupe" | "again" | "compile" | "match" | "whole", number[]> = {
  parse: [],
  dedupe: [],
  again: [],
  compile: [],
  match: [],
  whole: [],
};
let matchCount = 0;
for (let round = 0; round < ROUNDS; round += 1) measureOnce();
report();

/** The newest page of the whole market; all its listings count as read under one category. */
async function pageOfSandbox(): Promise<string> {
  const sandbox = await startSandbox({
    port: 0,
    host: "127.0.0.1",
    dataDir: null,
    seed: 1,
    listingsPerSecond: 100,
    log: createQuietLog(),
    clock: systemClock,
  });
  try {
    const path = "/api/v2/catalog/items?page=1&per_page=96&order=newest_first&currency=EUR";
    for (let look = 0; look < MOST_LOOKS; look += 1) {
      await pause(POLL_MS);
      const answer = await fetch(`http://127.0.0.1:${sandbox.port}${path}`);
      const body = await answer.text();
      if (answer.status !== 200) throw new Error(`the sandbox answered ${answer.status}`);
      if (wireCatalogPage.parse(JSON.parse(body)).items.length === PAGE_SIZE) return body;
    }
    throw new Error("the sandbox never filled a page");
  } finally {
    await sandbox.stop();
  }
}

/** A category, up to three well-known brands, any condition or one, a cap; one in four buys. */
function fillWithPeople(): void {
  const below = (limit: number): number => Math.floor(random.next() ** 2 * limit);
  for (let from = 0; from < filterCount; from += FILTERS_EACH) {
    const user = aUser({ id: asUserId(`p${from}`), login: `p${from}`, plan: "thunder" });
    const own = Array.from({ length: Math.min(FILTERS_EACH, filterCount - from) }, (_, n) =>
      aFilter({
        id: asFilterId(`p${from}-${n}`),
        userId: user.id,
        categoryIds: [leafIds[below(leafIds.length)] ?? 221],
        brandIds: Array.from({ length: below(4) }, () => brands[below(300)]?.id ?? 1),
        sizeIds: [],
        conditionIds: random.next() < 0.5 ? [] : [conditions[below(conditions.length)]?.id ?? 2],
        priceCapEur: 5 + below(195),
        isAutobuy: random.next() < 0.25,
      }),
    );
    active.put(user, own, NOW_MS);
  }
}

function measureOnce(): void {
  const memory = new SeenListings({ maxEntries: 100_000, maxAgeMs: 86_400_000 });
  const state = freshState();
  const page = timed("parse", parse);
  const reading = timed("dedupe", () => ingestPage(page, state, memory));
  timed("again", () => ingestPage(page, state, memory));
  const candidates = timed("compile", () => compile(reading));
  timed("match", () => {
    for (const candidate of candidates) index.match(candidate);
  });
  const batch = timed("whole", () => fanOut.batch(reading.news, NOW_MS));
  matchCount = batch.matches.length;
}

function parse(): SearchPage {
  const content = readAnswer({ status: 200, text, retryAfter: null }, wireCatalogPage, NOW_MS);
  const listings = content.items.map(toListing).filter((listing) => listing !== null);
  return { listings, droppedCount: 0, totalPages: content.pagination.total_pages, receivedAtMs: NOW_MS };
}

function compile({ news }: PageReading): ReturnType<typeof candidatesOf>[number][] {
  return news.flatMap(({ entry }: News) => candidatesOf(entry.seen, demand));
}

/** A slice that was read before everything on the page was published. */
function freshState(): SliceState {
  const slices = new SliceStates();
  slices.update([sliceOf([leafIds[0] ?? 221], null, "thunder")], NOW_MS - 10_000);
  const [state] = slices.states;
  if (state === undefined) throw new Error("no slice");
  state.mark = { sentAtMs: NOW_MS - 5_000, receivedAtMs: NOW_MS - 5_000, highestListingId: 0 };
  return state;
}

function timed<Result>(step: keyof typeof samplesUs, work: () => Result): Result {
  const beganMs = performance.now();
  const result = work();
  samplesUs[step].push((performance.now() - beganMs) * 1_000);
  return result;
}

/** The first half of the rounds warms up the compiler and is not counted. */
function report(): void {
  const us = (step: keyof typeof samplesUs): number => percentile(samplesUs[step].slice(ROUNDS / 2), 0.5);
  const listingCount = parse().listings.length;
  const line = (name: string, stepUs: number): void =>
    print(name, `${stepUs.toFixed(0)} µs a page, ${(stepUs / listingCount).toFixed(1)} µs a listing`);
  print("filters, listings on the page, matches delivered", `${active.size}, ${listingCount}, ${matchCount}`);
  line("1 parse: text to listings, every field checked", us("parse"));
  line("2 dedupe: all of it new", us("dedupe"));
  line("  dedupe: all of it known", us("again"));
  line("3 compile: listings to candidates", us("compile"));
  line("4 match: the index", us("match"));
  line("5 fan-out: people, wishes in order, cursors", us("whole") - us("compile") - us("match"));
  line("all, answer in hand to matches delivered", us("parse") + us("dedupe") + us("whole"));
}
