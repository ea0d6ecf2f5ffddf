import { and, eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asPurchaseId } from "#domain/ids.ts";
import { DAY_MS } from "#domain/clock.ts";
import { alertOutbox, users } from "#store/schema/tables.ts";
import { aListing, aSeenListing } from "#verify/testing/a-listing.ts";
import { aPurchase } from "#verify/testing/a-purchase.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore, type TestStore } from "#verify/testing/test-store.ts";
import { type AuditReaderDeps, createAuditReader } from "./audit-events.ts";
import { Connections } from "../connections.ts";
import { type AlertedPerson, anAlertedPerson, startTestPlanner } from "./planner-world.suite.ts";
import { type QuietHours, quietHoursFrom } from "./quiet-hours.ts";

const QUIET = { isOn: true, from: 23 * 60, to: 7 * 60 };

let opened: TestStore;
let person: AlertedPerson;
/** After the store's marks, which begin at the real time. */
let night: QuietHours;
let clock: FakeClock;

beforeEach(async () => {
  opened = await openTestStore();
  person = await anAlertedPerson(opened.store);
  await opened.store.alerts.changeSettings(person.userId, { quiet: QUIET });
  night = quietHoursFrom(QUIET, Date.now() + DAY_MS) ?? { startMs: 0, endMs: 0 };
  clock = new FakeClock(night.startMs - 60_000);
});
afterEach(async () => {
  await opened[Symbol.asyncDispose]();
});

let nextId = 8_000_000_000;
function matchAt(atMs: number) {
  nextId += 1;
  const listing = aListing({ id: nextId, photoTakenAtUnixS: Math.floor(atMs / 1_000) });
  return person.match(aSeenListing({ listing, firstSeenAtMs: atMs, seenAtMs: atMs }), atMs);
}

/** How often a planner has gone through all its work. */
let rounds = 0;

/** The planner with the audit log. */
async function startPlanning(parts: Partial<AuditReaderDeps> = {}) {
  const { store } = opened;
  const readAudit = createAuditReader({
    ...store,
    purchaseById: async (userId, id) => aPurchase({ userId, id }),
    ensureMail: () => Promise.resolve(),
    isStoreAway: () => false,
    clock,
    log: createQuietLog(),
    ...parts,
  });
  const counted: typeof readAudit = async (planner) => {
    try {
      await readAudit(planner);
    } finally {
      rounds += 1;
    }
  };
  return await startTestPlanner(store, clock, { readAudit: counted });
}

async function noted(
  state: "confirmed" | "cancelled" | "external",
  id: string,
  atMs: number,
  reason: "not_cancelled" | null = null,
): Promise<void> {
  const details = { purchaseId: asPurchaseId(id), reason };
  await opened.store.audit.append({ atMs, kind: `purchase.${state}`, userId: person.userId, details });
}

async function textsOf(type: "account" | "article" | "digest" | "purchase"): Promise<readonly string[]> {
  const rows = await opened.store.db
    .select()
    .from(alertOutbox)
    .where(and(eq(alertOutbox.userId, person.userId), eq(alertOutbox.type, type)))
    .orderBy(alertOutbox.id);
  return rows.map(({ message }) => message.body);
}

/** Advances the clock by seconds, in each of which the planner goes through its work. */
async function passing(seconds: number): Promise<void> {
  for (let n = 0; n < seconds; n += 1) {
    const before = rounds;
    await clock.advance(1_000);
    const roundsByNow = async (): Promise<number> => {
      // A planner that was busy meanwhile waits for this very moment.
      await clock.advance(0);
      return rounds;
    };
    await expect.poll(roundsByNow, { interval: 1 }).toBeGreaterThan(before);
  }
}

/** The clock goes on: what a busy machine did not plan in time is planned at a later tick. */
async function afterASecond(type: Parameters<typeof textsOf>[0]): Promise<readonly string[]> {
  await passing(1);
  return await textsOf(type);
}

/** A round before the clock jumps: one that is under way would end an absence without what was published since. */
async function reach(atMs: number): Promise<void> {
  await passing(1);
  await clock.advance(atMs - 5_000 - clock.nowMs());
  await passing(5);
}

test("a match from before the quiet hours, handled in them, neither ends them nor loses what they count", async () => {
  await using planner = await startPlanning();
  await reach(night.startMs + 5_000);
  planner.publish([matchAt(night.startMs + 5_000)]);
  await passing(2);
  planner.publish([matchAt(night.startMs - 10_000)]);
  await expect.poll(async () => (await textsOf("article")).length).toBe(1);
  await passing(20);
  expect(await textsOf("digest")).toEqual([]);
  planner.publish([matchAt(clock.nowMs()), matchAt(clock.nowMs())]);
  await reach(night.endMs + 2_000);
  await expect.poll(() => afterASecond("digest")).toEqual(["3 articles"]);
  expect(await textsOf("article")).toHaveLength(1);
});

test("a match whose node's clock is ahead does not end the quiet hours before their start", async () => {
  await using planner = await startPlanning();
  await reach(night.startMs - 4_000);
  planner.publish([matchAt(night.startMs + 500)]);
  await passing(10);
  expect(await textsOf("digest")).toEqual([]);
  planner.publish([matchAt(clock.nowMs())]);
  await reach(night.endMs + 2_000);
  await expect.poll(() => afterASecond("digest")).toEqual(["2 articles"]);
});

test("a purchase of the quiet hours that is read after their digest gets a digest of its own, once", async () => {
  {
    await using planner = await startPlanning();
    await reach(night.endMs - 5_000);
    planner.publish([matchAt(night.endMs - 5_000)]);
    await noted("confirmed", "early", night.endMs - 4_000);
    await noted("cancelled", "undone", night.endMs - 4_000);
    await passing(6);
    const first = "1 article · 1 achat confirmé (11,20\u00A0€) · 1 achat annulé";
    await expect.poll(() => afterASecond("digest")).toEqual([first]);
    await noted("confirmed", "late", night.endMs - 100);
    await passing(3);
    await expect.poll(() => afterASecond("digest")).toEqual([first, "1 achat confirmé (11,20\u00A0€)"]);
    await noted("confirmed", "later", night.endMs - 50);
    await passing(3);
    await expect.poll(async () => (await textsOf("digest")).length).toBe(3);
  }
  // A start reads the last minute again.
  await using planner = await startPlanning();
  planner.publish([matchAt(night.endMs - 5_000)]);
  await passing(5);
  expect(await textsOf("digest")).toHaveLength(3);
  expect(await textsOf("purchase")).toEqual([]);
});

test("a payment of a filter's that is booked afterwards is announced, an order made elsewhere is not", async () => {
  await using planner = await startPlanning({
    purchaseById: async (userId, id) =>
      aPurchase({ userId, id, source: "external", filterId: id === "late" ? person.filterId : null }),
  });
  planner.publish([matchAt(clock.nowMs())]);
  await noted("external", "elsewhere", clock.nowMs());
  await noted("external", "late", clock.nowMs());
  const text = "Achat confirmé après coup : « Robe d'été », 11,20\u00A0€ livraison comprise.";
  await expect.poll(() => afterASecond("purchase")).toEqual([text]);
});

test("a cancel that the marketplace refused is announced in addition to the purchase, and also during quiet hours", async () => {
  await using planner = await startPlanning({
    purchaseById: async (userId, id) => aPurchase({ userId, id, failureReason: "not_cancelled" }),
  });
  planner.publish([matchAt(clock.nowMs())]);
  await noted("confirmed", "kept", clock.nowMs());
  await noted("confirmed", "kept", clock.nowMs(), "not_cancelled");
  const bought = "Achat confirmé : « Robe d'été », 11,20\u00A0€ livraison comprise.";
  const kept = "Annulation non aboutie : « Robe d'été » reste acheté, 11,20\u00A0€ livraison comprise.";
  await expect.poll(() => afterASecond("purchase")).toEqual([bought, kept]);
  // Another request was refused too.
  await reach(night.startMs + 5_000);
  await noted("confirmed", "kept", clock.nowMs(), "not_cancelled");
  await expect.poll(() => afterASecond("purchase")).toEqual([bought, kept, kept]);
});

test("quiet hours that are switched off and on again count for a second digest", async () => {
  await using planner = await startPlanning();
  const change = async (isOn: boolean) => {
    await opened.store.alerts.changeSettings(person.userId, { quiet: { isOn } });
    planner.changed(person.userId);
    // The round that runs now may have read the settings before; the next one reads them.
    const before = rounds;
    await expect
      .poll(async () => {
        await passing(1);
        return rounds;
      })
      .toBeGreaterThan(before + 1);
  };
  await reach(night.startMs + 5_000);
  planner.publish([matchAt(clock.nowMs())]);
  await passing(2);
  await change(false);
  await expect.poll(() => afterASecond("digest")).toEqual(["1 article"]);
  await change(true);
  planner.publish([matchAt(clock.nowMs()), matchAt(clock.nowMs())]);
  await reach(night.endMs + 2_000);
  await expect.poll(() => afterASecond("digest")).toEqual(["1 article", "2 articles"]);
});

test("an entry that cannot be read is passed over; one that meets an absent store is read again", async () => {
  const outage = new Error("the store is away");
  let isAway = true;
  await using planner = await startPlanning({
    async purchaseById(userId, id) {
      if (id === asPurchaseId("unreadable")) throw new Error("this value cannot be opened");
      if (isAway) throw outage;
      return aPurchase({ userId, id });
    },
    isStoreAway: (error) => error === outage,
  });
  await noted("cancelled", "unreadable", clock.nowMs());
  await noted("cancelled", "readable", clock.nowMs());
  await passing(5);
  expect(await textsOf("purchase")).toEqual([]);
  isAway = false;
  await expect.poll(async () => (await afterASecond("purchase")).length).toBe(1);
  planner.publish([matchAt(clock.nowMs())]);
  await expect.poll(async () => (await afterASecond("article")).length).toBe(1);
});

test("somebody's unreadable profile keeps neither their own channels nor anybody else from an alert", async () => {
  const { store } = opened;
  const other = await anAlertedPerson(store);
  await store.db
    .update(users)
    .set({ sealedProfile: Uint8Array.of(0) })
    .where(eq(users.id, person.userId));
  const connections = new Connections({
    ...store,
    channels: {
      push: null,
      telegram: null,
      discord: null,
      courriel: {
        send: () => Promise.resolve({ kind: "sent" }),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
    },
    sandbox: null,
    delivery: { settled: () => Promise.resolve(), wake: () => undefined },
    events: { publish: () => Promise.resolve() },
    isStoreAway: () => false,
    clock,
    log: createQuietLog(),
  });
  await using _planner = await startPlanning({ ensureMail: (userId) => connections.ensureMail(userId) });
  for (const userId of [person.userId, other.userId])
    await store.audit.append({ atMs: clock.nowMs(), kind: "account.refused", userId, details: {} });
  const titles = async () => {
    await passing(1);
    return [...(await person.journal()), ...(await other.journal())].map(({ title }) => title);
  };
  await expect.poll(titles).toEqual(Array(2).fill("Compte Vinted à reconnecter"));
});
