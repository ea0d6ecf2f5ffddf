import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Listing } from "#domain/market/listing.ts";
import type { FailureReason } from "#domain/purchase.ts";
import type { User } from "#domain/user.ts";
import type { FaultRequest, TrueOrder } from "#verify/testing/sandbox-client.ts";
import {
  centsOf,
  paymentsTaken,
  RECONCILE_MS,
  startBuyingWorld,
  type BuyingWorld,
} from "../buying-world.suite.ts";
import { budgetKeys } from "../decide/limits.ts";

/**
 * One fault on the paying request, then a healthy marketplace: the expected outcome of each answer by
 * docs/purchase.md. Every case also checks for at most one payment, and for a ledger that agrees with it.
 */
let world: BuyingWorld;

beforeAll(async () => {
  world = await startBuyingWorld();
});

afterEach(async () => {
  await world.sandbox.clearFaults();
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

type Ending = "confirmed" | FailureReason;
type Case = readonly [kind: string, variant: string, ending: Ending, delayMs?: number];

const CUT_MS = 200;
/** After the first order checks, before a proof of absence is possible. */
const LATE_MS = RECONCILE_MS / 2;

/** The payment was taken, or will be: only the answer was lost. */
const EFFECTIVE: readonly Case[] = [
  ["timeout_after_effect", "silence", "confirmed", CUT_MS],
  ["late_effect", "reset", "confirmed", LATE_MS],
  ["late_effect", "error_500", "confirmed", LATE_MS],
  ["late_effect", "odd_400", "confirmed", LATE_MS],
  ["reset", "after_effect", "confirmed"],
  ["reset", "mid_body", "confirmed"],
  ["server_error", "after_effect", "confirmed"],
  ["malformed", "truncated", "confirmed"],
  ["malformed", "html", "confirmed"],
  ["malformed", "proto", "confirmed"],
  ["malformed", "huge_ids", "confirmed"],
  ["malformed", "gzip_bomb", "confirmed"],
  ["drift", "field_gone", "confirmed"],
  ["drift", "new_status", "confirmed"],
  ["drip", "body", "confirmed", CUT_MS],
  ["price_changed", "currency", "confirmed"],
  ["price_changed", "zero", "confirmed"],
  ["price_changed", "comma", "confirmed"],
  ["latency", "usual", "confirmed", 500],
];

/** No payment and no definite answer: only the orders prove it. */
const NEVER_EFFECTIVE: readonly Case[] = [
  ["timeout_before_effect", "silence", "never_effective", CUT_MS],
  ["reset", "before_headers", "never_effective"],
  ["server_error", "json", "never_effective"],
  ["blocked", "json", "never_effective"],
  ["blocked", "html", "never_effective"],
  ["captcha", "status_200", "never_effective"],
];

/** Definite refusals. */
const DEFINITE: readonly Case[] = [
  ["rate_limit", "zero", "confirmed"],
  ["rate_limit", "seconds", "confirmed"],
  ["rate_limit", "absent", "confirmed"],
  ["rate_limit", "text", "confirmed"],
  ["rate_limit", "date", "confirmed"],
  ["rate_limit", "long", "rate_limited"],
  ["unauthorised", "expired", "confirmed"],
  ["sold_first", "sold", "sold"],
  ["sold_first", "reserved", "sold"],
  ["withdrawn", "gone_410", "withdrawn"],
  ["withdrawn", "gone_404", "withdrawn"],
  ["price_changed", "up", "price_rose"],
  ["price_changed", "down", "confirmed"],
  ["price_changed", "shipping", "confirmed"],
];

const namedCase = ([kind, variant, ending, delayMs]: Case) => ({ kind, variant, ending, delayMs });

let personCount = 0;

async function buyUnder({ kind, variant, delayMs }: ReturnType<typeof namedCase>) {
  personCount += 1;
  const person = await world.person(`seeker-${personCount}`, "seeker");
  const listing = await world.listing({ shipping: 2 });
  const fault: FaultRequest = { route: "payment", kind, variant, rate: 1, count: 1 };
  await world.sandbox.arm(delayMs === undefined ? fault : { ...fault, delay_ms: delayMs });
  const outcome = await world.click(person, listing);
  const record = await world.settled(person, listing, "confirmed", "failed");
  return { outcome, record, orders: await world.truth(listing), person };
}

const GROUPS: Readonly<Record<string, readonly Case[]>> = {
  "a payment whose answer is lost": EFFECTIVE,
  "a payment that never happens": NEVER_EFFECTIVE,
  "a payment that is refused": DEFINITE,
};

describe.each(Object.keys(GROUPS))("%s", (group) => {
  it.each((GROUPS[group] ?? []).map(namedCase))(
    "$kind ($variant) ends as $ending, and the ledger agrees with the marketplace's payments",
    async (each) => {
      const { ending } = each;
      const { outcome, record, orders, person } = await buyUnder(each);
      const isConfirmed = ending === "confirmed";
      expect(record.failureReason).toBe(isConfirmed ? null : ending);
      expect(record).toMatchObject({ state: isConfirmed ? "confirmed" : "failed", holdCents: 0 });
      expect(paymentsTaken(orders)).toBe(isConfirmed ? 1 : 0);
      if (isConfirmed) {
        const paid = orders.find(({ payments }) => payments === 1);
        expect(paid?.transaction_id).toBe(record.transactionId);
        expect(paid === undefined ? null : centsOf(paid)).toBe(record.chargedCents);
        expect(outcome.kind).toBe("accepted");
      }
      const journal = await world.store.purchases.journal(person.id, 5);
      expect(journal[0]?.attempts.every(({ outcome: how }) => how !== null)).toBe(true);
      expect(await world.store.purchases.auditLedger(Date.now())).toEqual([]);
    },
  );
});

describe("an order that its seller cancels before its outcome is known", () => {
  const spentToday = async ({ id }: { readonly id: User["id"] }) => {
    const day = await world.store.purchases.totals(id, budgetKeys(Date.now()).dayKey);
    expect(await world.store.purchases.auditLedger(Date.now())).toEqual([]);
    return { purchases: day.purchases, cents: day.heldCents + day.capturedCents };
  };
  const transactionOf = async (listing: Listing, state: TrueOrder["state"]): Promise<number> => {
    const isThere = async () => (await world.truth(listing)).some((order) => order.state === state);
    await expect.poll(isThere, { interval: 20 }).toBe(true);
    return (await world.truth(listing))[0]?.transaction_id ?? 0;
  };
  /** Within the payment's deadline; clearing the faults ends it. */
  const SILENT_MS = 10_000;

  it("uses up no limit if the bank never charged it", async () => {
    const person = await world.person("seeker-unasked", "seeker");
    const listing = await world.listing({ secure: true });
    const silent = { kind: "timeout_after_effect", variant: "silence", delay_ms: SILENT_MS } as const;
    await world.sandbox.arm({ route: "payment", ...silent, rate: 1, count: 1 });
    const click = world.click(person, listing);
    await world.sandbox.cancelBySeller(await transactionOf(listing, "awaiting"));
    await world.sandbox.clearFaults();
    await click;
    expect(await world.settled(person, listing, "failed", "cancelled")).toMatchObject({
      state: "failed",
      failureReason: "payment_refused",
      chargedCents: null,
    });
    expect(await spentToday(person)).toEqual({ purchases: 0, cents: 0 });
  });

  it("uses up no limit if no payment of it ever arrived", async () => {
    const person = await world.person("seeker-unpaid", "seeker");
    const listing = await world.listing();
    const silent = { kind: "timeout_before_effect", variant: "silence", delay_ms: SILENT_MS } as const;
    await world.sandbox.arm({ route: "payment", ...silent, rate: 1, count: 1 });
    const click = world.click(person, listing);
    await expect.poll(async () => (await world.record(person, listing))?.attemptPhase).toBe("paying");
    await world.sandbox.cancelBySeller(await transactionOf(listing, "open"));
    await world.sandbox.clearFaults();
    await click;
    expect(await world.settled(person, listing, "failed", "cancelled")).toMatchObject({
      state: "failed",
      failureReason: "never_effective",
    });
    expect(await spentToday(person)).toEqual({ purchases: 0, cents: 0 });
  });

  it("counts as charged and refunded if the bank had confirmed it, once its payment can be read", async () => {
    const person = await world.person("seeker-refunded", "seeker");
    const listing = await world.listing({ secure: true });
    await world.click(person, listing);
    const { holdCents, transactionId } = await world.settled(person, listing, "awaiting");
    await world.sandbox.arm({ route: "transaction", kind: "server_error", rate: 1 });
    await world.sandbox.confirm(transactionId ?? 0);
    await world.sandbox.cancelBySeller(transactionId ?? 0);
    await world.sandbox.clearFaults();
    await world.sandbox.arm({ route: "payment", kind: "server_error", rate: 1 });
    const looks = async () => (await world.record(person, listing))?.watch?.looks ?? 0;
    const before = await looks();
    await expect.poll(looks).toBeGreaterThan(before + 1);
    expect(await world.record(person, listing)).toMatchObject({ state: "awaiting", holdCents });
    await world.sandbox.clearFaults();
    expect(await world.settled(person, listing, "failed", "cancelled")).toMatchObject({
      state: "cancelled",
      failureReason: null,
      chargedCents: holdCents,
    });
    expect(await spentToday(person)).toEqual({ purchases: 1, cents: holdCents });
  });
});

describe("a marketplace that misbehaves", () => {
  it("and charges more than its own quote is recorded with the real amount, and the person's purchases are stopped", async () => {
    const person = await world.person("thunder-overshoot");
    const listing = await world.listing();
    await world.sandbox.arm({ route: "payment", kind: "price_changed", variant: "fee", rate: 1, count: 1 });
    await world.click(person, listing);
    const record = await world.settled(person, listing, "confirmed");
    expect(record.chargedCents).toBe(listing.totalPriceCents + 130);
    expect((await world.store.settings.get(person.id)).limits.isStopped).toBe(true);
    expect(await world.store.purchases.auditLedger(Date.now())).toEqual([]);
    expect(world.published).toContainEqual({ kind: "settings_changed", userId: person.id });
  });

  it.each([
    { kind: "blocked", variant: "json" },
    { kind: "captcha", variant: "status_200" },
  ])(
    "and refuses an account ($kind) pauses it, clicks included, until the operator resumes it",
    async (fault) => {
      const person = await world.person(`seeker-${fault.kind}`, "seeker");
      const [first, second] = [await world.listing(), await world.listing()];
      await world.sandbox.arm({ route: "build", ...fault, rate: 1, count: 1 });
      const click = (listingId: typeof first.id) =>
        world.purchasing().click({ userId: person.id, listingId, seenPrice: null });
      expect(await click(first.id)).toMatchObject({ kind: "marketplace_unavailable" });
      expect(await click(second.id)).toMatchObject({ kind: "stopped" });
      await world.purchasing().operator.resume(person.id);
      expect((await click(second.id)).kind).toBe("accepted");
    },
  );

  it("and leaves three outcomes unknown stops the person's automatic purchases, and nobody else's", async () => {
    const person = await world.person("thunder-doubts");
    const other = await world.person("thunder-other");
    const filter = await world.autobuyFilter(person);
    for (let count = 0; count < 3; count += 1) {
      const listing = await world.listing();
      await world.sandbox.arm({ route: "payment", kind: "reset", rate: 1, count: 1 });
      world.purchasing().offer([world.wish(person, filter, listing)]);
      await world.settled(person, listing, "failed");
    }
    expect((await world.store.settings.get(person.id)).limits.isStopped).toBe(true);
    expect((await world.store.settings.get(other.id)).limits.isStopped).toBe(false);
    await world.limit(person, { isStopped: false });
    const listing = await world.listing();
    await world.sandbox.arm({ route: "payment", kind: "reset", rate: 1, count: 1 });
    world.purchasing().offer([world.wish(person, filter, listing)]);
    await world.settled(person, listing, "failed");
    expect((await world.store.settings.get(person.id)).limits.isStopped).toBe(false);
  });
});
