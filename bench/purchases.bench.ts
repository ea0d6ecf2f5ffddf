// How fast a purchase is: the real engine over the real store in this process, the sandbox in another, over HTTP and
// without latency. From the match to the durable intent, from there to the paying request, and purchases a second.
import { asFilterId, type ListingId } from "../src/domain/ids.ts";
import type { SeenListing } from "../src/domain/listing.ts";
import type { AutobuyWish } from "../src/domain/match.ts";
import { Secret } from "../src/domain/secret.ts";
import type { User } from "../src/domain/user.ts";
import { createExchange, type Exchange } from "../src/marketplace/exchange.ts";
import { createHttpMarketplace } from "../src/marketplace/http-marketplace.ts";
import { createRequestBudget } from "../src/marketplace/request-budget.ts";
import { createAccountSessions } from "../src/purchasing/account-sessions.ts";
import { createPurchasing } from "../src/purchasing/engine.ts";
import { systemClock } from "../src/server/clock.ts";
import { createEventBus } from "../src/server/events.ts";
import { createSystemRandom } from "../src/server/random.ts";
import { auditEntries } from "../src/store/schema.ts";
import type { OpenStore } from "../src/store/open-store.ts";
import { aFilter } from "../src/testing/a-filter.ts";
import { freePort } from "../src/testing/free-port.ts";
import { spawnProduct } from "../src/testing/product-process.ts";
import { createQuietLog } from "../src/testing/quiet-log.ts";
import { sandboxClient } from "../src/testing/sandbox-client.ts";
import { temporaryFolder } from "../src/testing/temporary-folder.ts";
import { openTestStore } from "../src/testing/test-store.ts";
import { pause, percentile, print } from "./figures.ts";

const THUNDER_WISHES = Number(process.env["BENCH_WISHES"] ?? "150");
const QUEUED_BEHIND = 1_000;
const AT_ONCE = 300;
const COMMITS = 1_000;
const GAP_MS = 40;
const PER_PAGE = 96;
const PUBLISHED_AT_ONCE = 500;
const FACTS = { leafIds: [221], marketplaceColourIds: [] };
const ANY_LIMIT = { dayEur: 100_000, monthEur: 100_000, purchasesPerDay: 100_000 };

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

/** When each listing was offered, its intent durable, its paying request on the wire; milliseconds. */
const offeredAt = new Map<ListingId, number>();
const durableAt = new Map<ListingId, number>();
const sentAt = new Map<number, number>();
const transactionOf = new Map<ListingId, number>();

const free = { perSecond: Infinity, burst: 1 };
const marketplace = stack.use(
  createHttpMarketplace({
    origin: sandboxUrl,
    userAgent: "Synapse (bench)",
    clock: systemClock,
    budget: createRequestBudget(systemClock, { read: free, buy: free }),
    exchange: watched(createExchange(sandboxUrl)),
  }),
);
const events = createEventBus(log);
const owner = "bench";
const deps = { events, clock: systemClock, log, owner };
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
  sessions: createAccountSessions({ ...deps, accounts: store.accounts, marketplace }),
  random: createSystemRandom(),
  isSoleNode: true,
  reconcileMs: 5_000,
});
stack.defer(() => purchasing.stop());

const thunder = await people("thunder", 60);
const acquire = await people("acquire", 40);
await purchasing.run();
const goods = await publish(THUNDER_WISHES * 2 + QUEUED_BEHIND * 2 + AT_ONCE);
await settle();

await alone();
await withManyBehind();
await throughput();

/** One wish at a time on a quiet engine. */
async function alone(): Promise<void> {
  const taken = await offerOneByOne(() => undefined);
  reportTimes("quiet", taken);
}

/** The queue behind is filled up again and again: it stays at a thousand while Thunder is served. */
async function withManyBehind(): Promise<void> {
  const behind = goods.splice(0, QUEUED_BEHIND * 2);
  let waiting = 0;
  events.subscribe((event) => {
    if (event.kind === "purchase_changed") waiting = Math.max(0, waiting - 0.5);
  });
  const fill = (): void => {
    const missing = Math.ceil(QUEUED_BEHIND - waiting);
    if (missing < 50) return;
    const wishes = behind.splice(0, missing).map((listing, n) => wishOf(acquire, listing, n));
    waiting += wishes.length;
    purchasing.offer(wishes);
  };
  const taken = await offerOneByOne(fill);
  reportTimes(`${QUEUED_BEHIND} behind`, taken);
}

async function offerOneByOne(before: () => void): Promise<readonly ListingId[]> {
  const listings = goods.splice(0, THUNDER_WISHES);
  for (const [n, listing] of listings.entries()) {
    before();
    offeredAt.set(listing.listing.id, performance.now());
    purchasing.offer([wishOf(thunder, listing, n)]);
    await pause(GAP_MS);
  }
  await pause(2_000);
  return listings.map(({ listing }) => listing.id);
}

function reportTimes(name: string, ids: readonly ListingId[]): void {
  const intents = ids.flatMap((id) => difference(offeredAt.get(id), durableAt.get(id)));
  const payments = ids.flatMap((id) =>
    difference(durableAt.get(id), sentAt.get(transactionOf.get(id) ?? -1)),
  );
  print(`${name}: matched → intent durable (p99 ≤ 20 ms)`, line(intents));
  print(`${name}: intent durable → paying request out (p99 ≤ 50 ms)`, line(payments));
}

async function throughput(): Promise<void> {
  const listings = goods.splice(0, AT_ONCE);
  const startMs = performance.now();
  purchasing.offer(listings.map((listing, n) => wishOf(thunder, listing, n)));
  const ids = new Set(listings.map(({ listing }) => listing.id));
  const sentOf = (): number => [...ids].filter((id) => sentAt.has(transactionOf.get(id) ?? -1)).length;
  while (sentOf() < AT_ONCE && performance.now() - startMs < 30_000) await pause(20);
  const perSecond = sentOf() / ((performance.now() - startMs) / 1_000);
  print("purchases paid a second, all offered at once", perSecond.toFixed(0));
  const commits = await commitsASecond();
  print("commits a second of the bare store", commits.toFixed(0));
  print("commits that a purchase costs, at that rate", (commits / perSecond).toFixed(1));
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

function timed(real: OpenStore): OpenStore {
  const propose: OpenStore["purchases"]["propose"] = async (proposal, decide) => {
    const outcome = await real.purchases.propose(proposal, decide);
    if (outcome.kind === "opened") durableAt.set(proposal.listing.id, performance.now());
    return outcome;
  };
  return { ...real, purchases: { ...real.purchases, propose } };
}

/** Notes the instant in which a paying request's connection stands and its first byte is written. */
function watched(real: Exchange): Exchange {
  return {
    async send(request) {
      const { freshConnection } = request;
      const [, checkout] = /^\/api\/v2\/purchases\/(\d+)\/checkout\/payment$/.exec(request.path) ?? [];
      if (freshConnection === null || checkout === undefined) return await real.send(request);
      const isTooLate = (): boolean => {
        sentAt.set(Number(checkout) - CHECKOUT_OFFSET, performance.now());
        return freshConnection.isTooLate();
      };
      return await real.send({ ...request, freshConnection: { isTooLate } });
    },
    [Symbol.asyncDispose]: () => real[Symbol.asyncDispose](),
  };
}

/** How the sandbox names an order's checkout. */
const CHECKOUT_OFFSET = 1_000_000_000;

interface Buyer {
  readonly user: User;
  readonly filterId: ReturnType<typeof asFilterId>;
}

async function people(plan: "thunder" | "acquire", count: number): Promise<readonly Buyer[]> {
  const buyers: Buyer[] = [];
  for (let n = 0; n < count; n += 1) {
    const name = `${plan}-${n}`;
    const nowMs = systemClock.nowMs();
    const identity = { provider: "sandbox" as const, providerId: name, login: name, displayName: name };
    const { user } = await store.users.signIn(
      { ...identity, email: `${name}@example.org`, pictureUrl: null },
      nowMs,
    );
    await store.users.setPlan(user.id, plan, null);
    const address = {
      street: "12 rue de la Roquette",
      city: "Paris",
      postalCode: 75_011,
      country: "France",
    } as const;
    const refreshToken = new Secret(`sandbox-${name}`);
    await store.settings.change(user.id, { refreshToken, address, limits: ANY_LIMIT }, nowMs);
    const filterId = asFilterId(`filter-${name}`);
    const filter = aFilter({ id: filterId, userId: user.id, isAutobuy: true, activatedAtMs: nowMs });
    await store.filters.add(filter, 200);
    buyers.push({ user, filterId });
  }
  return buyers;
}

function wishOf(buyers: readonly Buyer[], listing: SeenListing, n: number): AutobuyWish {
  const buyer = buyers[n % buyers.length];
  if (buyer === undefined) throw new Error("nobody buys");
  const lane = buyer.user.login.startsWith("thunder") ? "thunder" : "acquire";
  const { user, filterId } = buyer;
  return {
    userId: user.id,
    filterId,
    listingId: listing.listing.id,
    lane,
    listing,
    matchedAtMs: systemClock.nowMs(),
  };
}

/** In batches: the marketplace shows its newest thousand. */
async function publish(count: number): Promise<SeenListing[]> {
  const seen = new Map<ListingId, SeenListing>();
  while (seen.size < count) {
    const batch = Math.min(count - seen.size, PUBLISHED_AT_ONCE);
    const wantedSize = seen.size + batch;
    await sandbox.publish(Array.from({ length: batch }, () => ({ title: "Robe", price: 5 })));
    for (let page = 1; seen.size < wantedSize; page += 1) await readPage(page, seen);
  }
  return [...seen.values()];
}

async function readPage(page: number, seen: Map<ListingId, SeenListing>): Promise<void> {
  const query = { leafIds: [], marketplaceColourIds: [], page, perPage: PER_PAGE };
  const { listings } = await marketplace.searchNewest(query);
  if (listings.length === 0) throw new Error("the sandbox shows fewer listings than were published");
  const nowMs = systemClock.nowMs();
  for (const listing of listings)
    seen.set(listing.id, { listing, facts: FACTS, firstSeenAtMs: nowMs, seenAtMs: nowMs });
}

/** Until every account was read once and has its access token. */
async function settle(): Promise<void> {
  let before = -1;
  for (;;) {
    const { total } = await sandbox.requests();
    if (total === before) return;
    before = total;
    await pause(1_000);
  }
}

function difference(from: number | undefined, to: number | undefined): readonly number[] {
  return from === undefined || to === undefined ? [] : [to - from];
}

function line(samplesMs: readonly number[]): string {
  const text = (share: number): string => `${percentile(samplesMs, share).toFixed(1)} ms`;
  return `p50 ${text(0.5)}, p99 ${text(0.99)} (n = ${samplesMs.length})`;
}
