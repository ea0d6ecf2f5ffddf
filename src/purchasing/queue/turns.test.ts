import { afterEach, describe, expect, it } from "vitest";
import type { AutobuyWish } from "#domain/market/match.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import { paymentsTaken, type Call } from "../buying-world.suite.ts";
import { buyingWorldPerTest } from "../world-per-test.suite.ts";

/** The order of service: lanes, one attempt per listing, three per person. */
const start = buyingWorldPerTest();
let releaseAll: () => void = () => undefined;

afterEach(() => releaseAll());

/** An engine whose calls of one kind wait until the test releases them. */
async function startHeld(point: Call, slots = { thunder: 4, acquire: 1 }) {
  const gate = Promise.withResolvers<void>();
  const calls: Call[] = [];
  const current = await start({
    overrides: { slots },
    intercept: async (name, call) => {
      calls.push(name);
      if (name === point) await gate.promise;
      return await call();
    },
  });
  releaseAll = gate.resolve;
  const countOf = (name: Call): number => calls.filter((each) => each === name).length;
  return { current, release: gate.resolve, countOf };
}

describe("among waiting wishes", () => {
  it("Thunder is sent first, although Acquire came first and has every slot of its own", async () => {
    const { current, release, countOf } = await startHeld("openTransaction");
    const order: string[] = [];
    current.events.subscribe((event) => {
      if (event.kind === "purchase_changed") order.push(event.userId);
    });
    const slow = await current.person("acquire-slow", "acquire");
    const fast = await current.person("thunder-fast");
    const [slowFilter, fastFilter] = [await current.autobuyFilter(slow), await current.autobuyFilter(fast)];
    const [busy, wanted] = [await current.listing(), await current.listing()];
    current.purchasing().offer([current.wish(slow, slowFilter, busy)]);
    await expect.poll(() => countOf("openTransaction")).toBe(1);
    // The only Acquire slot is taken: its second wish waits, Thunder's for the same listing does not.
    current.purchasing().offer([current.wish(slow, slowFilter, wanted)]);
    current.purchasing().offer([current.wish(fast, fastFilter, wanted)]);
    await expect.poll(() => countOf("openTransaction")).toBe(2);
    release();
    await current.settled(fast, wanted, "confirmed");
    await current.settled(slow, busy, "confirmed");
    expect(await current.record(slow, wanted)).toBeNull();
    const [truth] = await current.truth(wanted);
    expect(truth?.account).toBe("thunder-fast");
    const misses = async () => await current.store.stories.misses(slow.id, 10);
    await expect.poll(misses).toMatchObject([{ listing: { id: wanted.id }, reason: "taken" }]);
  });

  it("the next buyer of a listing is tried when the bank refuses the first one's payment", async () => {
    const { current, release, countOf } = await startHeld("pay");
    const [first, second] = [
      await current.person("thunder-refused"),
      await current.person("thunder-patient"),
    ];
    const [firstFilter, filter] = [await current.autobuyFilter(first), await current.autobuyFilter(second)];
    const dress = await current.listing({ secure: true });
    current
      .purchasing()
      .offer([current.wish(first, firstFilter, dress), current.wish(second, filter, dress)]);
    await expect.poll(() => countOf("pay")).toBe(1);
    release();
    const { confirmUrl } = await current.settled(first, dress, "awaiting");
    await fetch(`${confirmUrl ?? ""}/refuse`, { method: "POST" });
    await current.settled(first, dress, "failed");
    await current.settled(second, dress, "awaiting");
  });

  it("the next buyer of a listing is tried only after a failure that leaves the listing unsold", async () => {
    const { current, release, countOf } = await startHeld("pay");
    const first = await current.person("thunder-poor");
    await current.store.settings.change(first.id, { limits: { dayEur: 5_000, monthEur: 5_000 } }, Date.now());
    const second = await current.person("thunder-next");
    await current.limit(second, { dayEur: 5_000, monthEur: 5_000 });
    const wallet = { paymentMethodId: 11, priceCapEur: 2_000 } as const;
    const [poorFilter, filter] = [
      await current.autobuyFilter(first, wallet),
      await current.autobuyFilter(second, { priceCapEur: 2_000 }),
    ];
    // More expensive than any wallet of the sandbox can pay.
    const dear = await current.listing({ price: 900 });
    current.purchasing().offer([current.wish(first, poorFilter, dear), current.wish(second, filter, dear)]);
    await expect.poll(() => countOf("pay")).toBe(1);
    expect(await current.record(second, dear)).toBeNull();
    release();
    expect(await current.settled(first, dear, "failed")).toMatchObject({
      failureReason: "insufficient_funds",
    });
    await current.settled(second, dear, "confirmed");
    expect(paymentsTaken(await current.truth(dear))).toBe(1);
  });

  it("three of one person are paid at once; the others wait their turn and delay nobody else", async () => {
    const { current, release, countOf } = await startHeld("pay", { thunder: 10, acquire: 10 });
    const [first, other] = [await current.person("thunder-eager"), await current.person("thunder-calm")];
    const [firstFilter, otherFilter] = [
      await current.autobuyFilter(first),
      await current.autobuyFilter(other),
    ];
    const dresses = await Promise.all(Array.from({ length: 5 }, () => current.listing()));
    const last = await current.listing();
    const wishes: AutobuyWish[] = dresses.map((dress) => current.wish(first, firstFilter, dress));
    current.purchasing().offer([...wishes, current.wish(other, otherFilter, last)]);
    await expect.poll(() => countOf("pay")).toBe(4);
    const click = { userId: first.id, listingId: dresses[4]?.id ?? last.id, seenPrice: null };
    expect(await current.purchasing().click(click)).toEqual({ kind: "limit_reached", limit: "concurrent" });
    release();
    for (const dress of dresses) await current.settled(first, dress, "confirmed");
    await current.settled(other, last, "confirmed");
  });

  it("a purchase that the marketplace asks to wait delays nobody else of its lane", async () => {
    let isFirst = true;
    const current = await start({
      overrides: { slots: { thunder: 1, acquire: 1 } },
      intercept: async (name, call) => {
        if (name !== "openTransaction" || !isFirst) return await call();
        isFirst = false;
        throw new MarketplaceError("rate_limited", { status: 429, retryAfterMs: 20_000 });
      },
    });
    const [slow, quick] = [
      await current.person("acquire-limited", "acquire"),
      await current.person("acquire-quick", "acquire"),
    ];
    const [slowFilter, filter] = [await current.autobuyFilter(slow), await current.autobuyFilter(quick)];
    const [first, second] = [await current.listing(), await current.listing()];
    current.purchasing().offer([current.wish(slow, slowFilter, first), current.wish(quick, filter, second)]);
    await current.settled(quick, second, "confirmed");
    expect(await current.record(slow, first)).toMatchObject({ state: "intent" });
  });

  it("a wish is dropped when its filter changes before its turn", async () => {
    const { current, release, countOf } = await startHeld("openTransaction");
    const person = await current.person("acquire-changed", "acquire");
    const filter = await current.autobuyFilter(person);
    const [first, second] = [await current.listing(), await current.listing()];
    current.purchasing().offer([current.wish(person, filter, first), current.wish(person, filter, second)]);
    await expect.poll(() => countOf("openTransaction")).toBe(1);
    await current.events.publish({ kind: "filters_changed", userId: person.id, filterIds: [filter.id] });
    release();
    await current.settled(person, first, "confirmed");
    expect(await current.record(person, second)).toBeNull();
  });
});
