import { expect, test } from "vitest";
import type { User } from "#domain/user.ts";
import type { JournalEntry } from "#store/purchase-store.ts";
import { type BuyingWorld, type Call } from "../buying-world.suite.ts";
import { buyingWorldPerTest } from "../world-per-test.suite.ts";

/** Whatever is sent to the marketplace was committed before: each call reads the store at that moment. */
const start = buyingWorldPerTest();

/** The journal at the moment in which each call was sent. */
interface Seen {
  readonly call: Call;
  readonly entry: JournalEntry | undefined;
}

async function startWatched(): Promise<{
  readonly current: BuyingWorld;
  readonly buyer: User;
  readonly seen: Seen[];
}> {
  const seen: Seen[] = [];
  const buyers: User[] = [];
  const current = await start({
    intercept: async (call, leave) => {
      const [someone] = buyers;
      if (someone !== undefined && STEPS.has(call)) {
        const [entry] = await current.store.purchases.journal(someone.id, 1);
        seen.push({ call, entry });
      }
      return await leave();
    },
  });
  const buyer = await current.person("thunder-lea");
  buyers.push(buyer);
  return { current, buyer, seen };
}

const STEPS: ReadonlySet<Call> = new Set<Call>([
  "openTransaction",
  "buildCheckout",
  "updateCheckout",
  "turnToPay",
  "pay",
  "requestCancel",
]);

test("no call of an attempt leaves before its row is durable, no payment before its quote is held", async () => {
  const { current, buyer, seen } = await startWatched();
  const filter = await current.autobuyFilter(buyer);
  const dress = await current.listing({ shipping: 3 });
  current.purchasing().offer([current.wish(buyer, filter, dress)]);
  const record = await current.settled(buyer, dress, "confirmed");
  // The turn to pay is awaited before the commit that allows the request.
  const steps = ["openTransaction", "buildCheckout", "updateCheckout", "turnToPay", "pay"];
  const { attemptCount } = record;
  // A payment that could not be sent within a second, on a busy machine, is attempted again.
  const last = seen.filter(({ entry }) => entry?.purchase.attemptCount === attemptCount);
  expect(last.map(({ call }) => call)).toEqual(steps);
  for (const { call, entry } of seen) {
    expect(entry?.purchase.state, call).toBe("submitting");
    expect(entry?.attempts, call).toHaveLength(entry?.purchase.attemptCount ?? 0);
    expect(entry?.purchase.attemptPhase, call).toBe(call === "pay" ? "paying" : "preparing");
  }
  const paid = last.at(-1)?.entry;
  expect(paid?.purchase.holdCents).toBe(record.chargedCents);
  expect(paid?.attempts.at(-1)?.sentAtMs).not.toBeNull();
});

test("no cancel request leaves before the person's decision to cancel is durable", async () => {
  const { current, buyer, seen } = await startWatched();
  const dress = await current.listing();
  await current.click(buyer, dress);
  const { transactionId } = await current.settled(buyer, dress, "confirmed");
  await current.purchasing().cancel(buyer.id, transactionId ?? 0);
  await current.settled(buyer, dress, "cancelled");
  const asked = seen.filter(({ call }) => call === "requestCancel");
  expect(asked.map(({ entry }) => entry?.purchase.state)).toEqual(["cancelling"]);
});
