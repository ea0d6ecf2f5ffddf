// Purchase latency and throughput: the real engine and store in this process, the sandbox in another, over
// HTTP without added latency. From match to durable intent, from there to the payment request, purchases per
// second. Each counted purchase must be paid once in the sandbox, by the right account at the right price.
import { parseEurCents } from "#domain/money.ts";
import type { ListingId } from "#domain/ids.ts";
import type { AutobuyWish } from "#domain/market/match.ts";
import { createExchange, type Exchange } from "#marketplace/exchange.ts";
import { createAccountSessions } from "#purchasing/account/account-sessions.ts";
import { createPurchasing } from "#purchasing/engine.ts";
import { systemClock } from "#server/clock.ts";
import { createEventBus } from "#server/events.ts";
import { createSystemRandom } from "#server/random.ts";
import { auditEntries } from "#store/schema/tables.ts";
import type { OpenStore } from "#store/open-store.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { spawnProduct } from "#verify/testing/product-process.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { sandboxClient } from "#verify/testing/sandbox-client.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { pause, percentile, print } from "./figures.ts";
import { enterBuyers, publish, settled, wishOf } from "./purchase-market.ts";
import { aMarketplaceAt } from "#verify/testing/a-sandbox.ts";

const THUNDER_WISHES = Number(process.env["BENCH_WISHES"] ?? "300");
const WARMING_WISHES = 60;
const QUEUED_BEHIND = 1_000;
/** Wishes of the queue that are served or become stale while Thunder is measured. */
const QUEUED_IN_ALL = QUEUED_BEHIND * 3;
const AT_ONCE = 300;
const COMMITS = 2_000;
const GAP_MS = 40;
const STALE_MS = 29_000;
const PATIENCE_MS = 40_000;
const INTENT_BAR_MS = 20;
const PAYING_BAR_MS = 50;
const THREAD_BAR_MS = 6;
const RULES_BAR = 1.3;
/** The sandbox's offset between order and checkout ids. */
const CHECKOUT_OFFSET = 1_000_000_000;

await using stack = new AsyncDisposableStack();
const folder = stack.use(await temporaryFolder());
const port = await freePort();
const sandboxUrl = `http://127.0.0.1:${port}`;
const market = stack.use(
  spawnProduct({ SERVICES: "sandbox", SANDBOX_PORT: String(port), DATA_DIR: folder.path }),
);
await market.ready;
const sandbox = sandboxClient(sandboxUrl);
const log = createQuietLog();
const { store } = stack.use(await openTestStore({ log }));

/** Times in ms: a listing was offered, its intent was durable, its payment request was sent. */
const offeredAt = new Map<ListingId, number>();
const durableAt = new Map<ListingId, number>();
const sentAt = new Map<number, number>();
const transactionOf = new Map<ListingId, number>();
/** Wishes queued behind Thunder, by the time of their offer. */
const waitingBehind = new Map<ListingId, number>();
/** The reasons why wishes did not become purchases. */
const refusals = new Map<ListingId, string>();
const complaints: string[] = [];

const marketplace = stack.use(aMarketplaceAt(sandboxUrl, { exchange: watched(createExchange(sandboxUrl)) }));
const deps = {
  events: createEventBus(log),
  clock: systemClock,
  log,
  owner: "bench",
  isStoreAway: () => false,
  isAlive: () => true,
};
const purchasing = createPurchasing({
  ...deps,
  store: timed(store),
  checkout: {
    ...marketplace,
    async openTransaction(access, wanted) {
      const opened = await marketplace.openTransaction(access, wanted);
      transactionOf.set(wanted.listingId, opened.transactionId);
      return opened;
    },
  },
  sessions: createAccountSessions({
    ...deps,
    accounts: store.accounts,
    marketplace,
  }),
  stories: store.stories,
  random: createSystemRandom(),
  isSoleNode: true,
  followsUp: true,
  requiredMandate: null,
  minPriceDays: 7,
  reconcileMs: 5_000,
});
stack.defer(() => purchasing.stop());

const thunder = await enterBuyers(store, "thunder", 60);
const acquire = await enterBuyers(store, "acquire", 40);
const ruled = await enterBuyers(store, "thunder", 60, { hasRules: true });
const everybody = new Map([...thunder, ...acquire, ...ruled].map(({ user }) => [user.id, user.login]));
await purchasing.run();
const goods = await publish(
  sandbox,
  marketplace,
  WARMING_WISHES + THUNDER_WISHES * 4 + QUEUED_IN_ALL + AT_ONCE,
);
await settled(sandbox);

// A warm-up, not counted: statements are planned and code is compiled.
await offerOneByOne(WARMING_WISHES, () => undefined);
reportTimes("quiet", await offerOneByOne(THUNDER_WISHES, () => undefined));
await rulesAgainstNone();
await withManyBehind();
await throughput();
for (const complaint of complaints) print("FAILED", complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

/** Keeps a thousand wishes queued while Thunder is served. */
async function withManyBehind(): Promise<void> {
  const behind = goods.splice(0, QUEUED_IN_ALL);
  let fewest = Infinity;
  const fill = (): void => {
    const nowMs = performance.now();
    for (const [id, atMs] of waitingBehind) if (nowMs - atMs > STALE_MS) waitingBehind.delete(id);
    const wishes = behind
      .splice(0, QUEUED_BEHIND - waitingBehind.size)
      .map((listing, n) => wishOf(acquire, listing, n));
    for (const { listingId } of wishes) waitingBehind.set(listingId, nowMs);
    purchasing.offer(wishes);
    fewest = Math.min(fewest, waitingBehind.size);
  };
  const wishes = await offerOneByOne(THUNDER_WISHES, fill);
  reportTimes(`${QUEUED_BEHIND} behind`, wishes);
  if (fewest < QUEUED_BEHIND) complaints.push(`only ${fewest} wishes waited behind`);
  waitingBehind.clear();
}

async function offerOneByOne(count: number, before: () => void): Promise<readonly AutobuyWish[]> {
  const wishes: AutobuyWish[] = [];
  for (const [n, listing] of goods.splice(0, count).entries()) {
    before();
    const wish = wishOf(thunder, listing, n);
    wishes.push(wish);
    offeredAt.set(wish.listingId, performance.now());
    purchasing.offer([wish]);
    await pause(GAP_MS);
  }
  await bought("one by one", wishes);
  return wishes;
}

/** Purchases with every rule and a group, alternating with purchases without any. */
async function rulesAgainstNone(): Promise<void> {
  const wishes: AutobuyWish[] = [];
  for (const [n, listing] of goods.splice(0, THUNDER_WISHES * 2).entries()) {
    const wish = wishOf(n % 2 === 0 ? thunder : ruled, listing, Math.floor(n / 2));
    wishes.push(wish);
    offeredAt.set(wish.listingId, performance.now());
    purchasing.offer([wish]);
    await pause(GAP_MS);
  }
  await bought("with rules", wishes);
  const [without, withRules] = [0, 1].map((kind) =>
    percentile(
      wishes.flatMap(({ listingId: id }, n) =>
        n % 2 === kind ? difference(offeredAt.get(id), durableAt.get(id)) : [],
      ),
      0.5,
    ),
  );
  const ratio = (withRules ?? Number.NaN) / (without ?? Number.NaN);
  if (!(ratio <= RULES_BAR))
    complaints.push(`an intent takes ${ratio.toFixed(2)} times as long with all rules`);
  print(
    "matched → intent durable, p50 with all rules ÷ none",
    `${ratio.toFixed(2)} (≤ ${RULES_BAR}: ${verdictOf(ratio, RULES_BAR)})`,
  );
}

function reportTimes(name: string, wishes: readonly AutobuyWish[]): void {
  const ids = wishes.map(({ listingId }) => listingId);
  const intents = ids.flatMap((id) => difference(offeredAt.get(id), durableAt.get(id)));
  const payments = ids.flatMap((id) =>
    difference(durableAt.get(id), sentAt.get(transactionOf.get(id) ?? -1)),
  );
  print(`${name}: matched → intent durable`, line(intents, INTENT_BAR_MS));
  print(`${name}: intent durable → paying request out`, line(payments, PAYING_BAR_MS));
}

async function throughput(): Promise<void> {
  const wishes = goods.splice(0, AT_ONCE).map((listing, n) => wishOf(thunder, listing, n));
  const startMs = performance.now();
  const before = process.threadCpuUsage();
  purchasing.offer(wishes);
  const isSent = ({ listingId }: AutobuyWish): boolean => sentAt.has(transactionOf.get(listingId) ?? -1);
  while (!wishes.every(isSent) && performance.now() - startMs < PATIENCE_MS) await pause(10);
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.threadCpuUsage(before);
  const boughtCount = await bought("at once", wishes);
  const perSecond = boughtCount / seconds;
  const threadMs = (user + system) / 1_000 / boughtCount;
  print(
    "the thread's time for one of them",
    `${threadMs.toFixed(2)} ms (≤ ${THREAD_BAR_MS} ms: ${verdictOf(threadMs, THREAD_BAR_MS)})`,
  );
  print("purchases paid a second, all offered at once", perSecond.toFixed(0));
  const commits = await commitsASecond();
  print("commits a second of the bare store", commits.toFixed(0));
  print("bare commits in the time of one purchase", (commits / perSecond).toFixed(1));
}

/** The number of wishes that the sandbox shows as bought; each missing one fails the run. */
async function bought(phase: string, wishes: readonly AutobuyWish[]): Promise<number> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  let wrong = await wrongOf(wishes);
  while (wrong.length > 0 && performance.now() < deadlineMs) {
    await pause(500);
    wrong = await wrongOf(wishes);
  }
  for (const [why, all] of Map.groupBy(wrong, (reason) => reason))
    complaints.push(`${phase}: ${all.length} × ${why}`);
  return wishes.length - wrong.length;
}

async function wrongOf(wishes: readonly AutobuyWish[]): Promise<readonly string[]> {
  const truth = Map.groupBy(await sandbox.orders(), (order) => order.item_id);
  const journals = new Map<string, Awaited<ReturnType<typeof store.purchases.list>>>();
  for (const userId of new Set(wishes.map((wish) => wish.userId)))
    journals.set(
      userId,
      (await store.purchases.journal(userId, 1_000)).map(({ purchase }) => purchase),
    );
  return wishes.flatMap(({ userId, listingId }) => {
    const record = journals.get(userId)?.find((purchase) => purchase.listingId === listingId);
    if (record === undefined) return [`refused (${refusals.get(listingId) ?? "no turn"})`];
    if (record.state !== "confirmed") return [`${record.state} ${record.failureReason ?? ""}`];
    const [order, ...others] = (truth.get(listingId) ?? []).filter(({ payments }) => payments > 0);
    const isThatOne =
      others.length === 0 &&
      order?.payments === 1 &&
      order.state === "paid" &&
      order.transaction_id === record.transactionId &&
      order.account === everybody.get(userId) &&
      parseEurCents(order.total) === record.chargedCents;
    return isThatOne ? [] : ["confirmed, and not so in the sandbox's books"];
  });
}

async function commitsASecond(): Promise<number> {
  const startMs = performance.now();
  const commit = () =>
    store.db.transaction(async (tx) => {
      await tx.insert(auditEntries).values({ atMs: 0, kind: "bench", userId: null, details: {} });
    });
  await Promise.all(Array.from({ length: COMMITS }, commit));
  return COMMITS / ((performance.now() - startMs) / 1_000);
}

/** Records when each intent is durable, or the reason for a refusal. */
function timed(real: OpenStore): OpenStore {
  const propose: OpenStore["purchases"]["propose"] = async (proposal, decide) => {
    const { id } = proposal.listing;
    waitingBehind.delete(id);
    const outcome = await real.purchases.propose(proposal, decide);
    if (outcome.kind === "opened") durableAt.set(id, performance.now());
    else refusals.set(id, outcome.kind === "refused" ? JSON.stringify(outcome.refusal) : outcome.kind);
    return outcome;
  };
  return { ...real, purchases: { ...real.purchases, propose } };
}

/** Records when the connection of a payment request is ready and its first byte is written. */
function watched(real: Exchange): Exchange {
  return {
    async send(request) {
      const { freshConnection } = request;
      const [, checkout] = /^\/api\/v2\/purchases\/(\d+)\/checkout\/payment$/.exec(request.path) ?? [];
      if (freshConnection === null || checkout === undefined) return await real.send(request);
      const isTooLate = (): boolean => {
        const isLate = freshConnection.isTooLate();
        if (!isLate) sentAt.set(Number(checkout) - CHECKOUT_OFFSET, performance.now());
        return isLate;
      };
      return await real.send({ ...request, freshConnection: { isTooLate } });
    },
    [Symbol.asyncDispose]: () => real[Symbol.asyncDispose](),
  };
}

function difference(from: number | undefined, to: number | undefined): readonly number[] {
  return from === undefined || to === undefined ? [] : [to - from];
}

function line(samplesMs: readonly number[], barMs: number): string {
  const text = (share: number): string => `${percentile(samplesMs, share).toFixed(1)} ms`;
  const verdict = verdictOf(percentile(samplesMs, 0.99), barMs);
  return `p50 ${text(0.5)}, p99 ${text(0.99)} (n = ${samplesMs.length}; p99 ≤ ${barMs} ms: ${verdict})`;
}

function verdictOf(value: number, bar: number): string {
  return value <= bar ? "holds" : "MISSED";
}
