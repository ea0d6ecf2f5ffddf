import { expect, test } from "vitest";
import type { SellerFacts } from "#domain/market/seller.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { createRequestBudget } from "#marketplace/request-budget.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { SellerLookUps, type SellerQuestion } from "./seller-look-ups.ts";
import { storeForAll } from "#store/suite-store.suite.ts";

const store = storeForAll(openTestStore);

const GOOD: SellerFacts = { rating: 4.9, reviewCount: 120, countryCode: "FR" };
const UNLIMITED = { perSecond: Infinity, burst: 1 };
let lastSellerId = 90_000;
const aSellerId = () => (lastSellerId += 1);

/** Look-ups of a single process, without a limit on requests. */
const unboundedBy = (clock: FakeClock) => ({
  budget: createRequestBudget(clock, { read: UNLIMITED, buy: UNLIMITED }),
  clock,
  log: createQuietLog(),
  isOn: true,
  isShared: false,
  isMarketPaused: () => false,
});

/** Look-ups whose two concurrent requests are in flight: one until `release`, the other for good. */
async function busyLookUps() {
  const clock = new FakeClock();
  const { sellerFacts } = store();
  const [releasable, stuck] = [aSellerId(), aSellerId()];
  const released = Promise.withResolvers<void>();
  const asked: number[] = [];
  let readCount = 0;
  const lookUps = new SellerLookUps({
    pages: {
      async seller(id) {
        asked.push(id);
        if (id === releasable) await released.promise;
        if (id === stuck) await new Promise(() => undefined);
        return GOOD;
      },
    },
    store: {
      ...sellerFacts,
      async known(ids, nowMs) {
        const known = await sellerFacts.known(ids, nowMs);
        readCount += 1;
        return known;
      },
    },
    ...unboundedBy(clock),
    onKnown: () => undefined,
  });
  const ask = async (sellerId: number, traits: Partial<SellerQuestion> = {}) =>
    await lookUps.ask(sellerId, {
      rank: "shown",
      firstSeenAtMs: clock.nowMs(),
      untilMs: clock.nowMs() + 600_000,
      mayEndEarly: true,
      isWanted: () => true,
      ...traits,
    });
  void ask(releasable);
  void ask(stuck);
  await expect.poll(() => asked.length).toBe(2);
  return {
    clock,
    ask,
    asked: () => asked.slice(2),
    release: () => released.resolve(),
    /** Settles once that many questions are queued. */
    queued: async (count: number) => {
      await expect.poll(() => readCount).toBe(2 + count);
      await new Promise((resolve) => setImmediate(resolve));
    },
    [Symbol.dispose]: () => lookUps.stop(),
  };
}

test("Thunder's sellers are looked up first, then Acquire's, and within a plan the newest listing's", async () => {
  using busy = await busyLookUps();
  const nowMs = busy.clock.nowMs();
  const inOrder = [
    { rank: "thunder", firstSeenAtMs: nowMs - 1_000 },
    { rank: "thunder", firstSeenAtMs: nowMs - 9_000 },
    { rank: "acquire", firstSeenAtMs: nowMs },
    { rank: "shown", firstSeenAtMs: nowMs },
  ] as const;
  const ids = inOrder.map(aSellerId);
  const answers = inOrder.map((question, index) => ({ question, id: ids[index] ?? 0 })).toReversed();
  const known = answers.map(async ({ id, question }) => await busy.ask(id, question));
  await busy.queued(4);
  expect(busy.asked()).toEqual([]);
  busy.release();
  expect(await Promise.all(known)).toEqual([GOOD, GOOD, GOOD, GOOD]);
  expect(busy.asked()).toEqual(ids);
});

test("five hundred look-ups are queued; a further one is answered as unknown at once", async () => {
  using busy = await busyLookUps();
  let answered = 0;
  for (let n = 0; n < 500; n += 1) void busy.ask(aSellerId()).then(() => (answered += 1));
  await busy.queued(500);
  expect(await busy.ask(aSellerId())).toBeNull();
  expect([answered, busy.asked()]).toEqual([0, []]);
});

test("a question ends unanswered at its time also when the clock was set forward", async () => {
  const { clock, ask } = await busyLookUps();
  const answer = ask(aSellerId(), { mayEndEarly: false, isWanted: () => false });
  const nowMs = clock.nowMs.bind(clock);
  clock.nowMs = () => nowMs() + 900_000;
  let ended: SellerFacts | null | undefined;
  void answer.then((facts) => (ended = facts));
  for (let second = 0; second < 60; second += 1) await clock.advance(1_000);
  expect(ended).toBeNull();
});

test("a missing page in another shape than agreed proves nothing: nothing is saved, and it is asked again", async () => {
  const clock = new FakeClock();
  const sellerId = aSellerId();
  const known: SellerFacts[] = [];
  let askedCount = 0;
  const lookUps = new SellerLookUps({
    pages: {
      async seller() {
        askedCount += 1;
        if (askedCount === 1) throw new MarketplaceError("not_found", { status: 404, isDoubtful: true });
        return GOOD;
      },
    },
    store: store().sellerFacts,
    ...unboundedBy(clock),
    onKnown: (_, facts) => known.push(facts),
  });
  const answer = lookUps.ask(sellerId, {
    rank: "thunder",
    firstSeenAtMs: clock.nowMs(),
    untilMs: clock.nowMs() + 600_000,
    mayEndEarly: false,
    isWanted: () => true,
  });
  await expect.poll(() => askedCount).toBe(1);
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return askedCount;
    })
    .toBe(2);
  expect(await answer).toEqual(GOOD);
  expect(known).toEqual([GOOD]);
});
