/** Several nodes under a light load while one part after the other is taken away: nothing may be lost or doubled. */
import { setTimeout as wait } from "node:timers/promises";
import { ACHAT_ANNULE } from "#contract/bounds.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { Person } from "./person.ts";
import type { Tab } from "./tab.ts";

export interface FailoverWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  /** The node that reads the market now. */
  reader(): Promise<string>;
  /**
   * Listings and automatic purchases go on for so long while `breaking` happens.
   * Settles when everything has come to its end, or cannot any more.
   */
  undergo(breaking: () => Promise<void>, loadMs: number): Promise<Undergone>;
}

interface Undergone {
  readonly listings: number;
  readonly purchases: number;
  /** From the publication of the slowest listing until the person's page had it. */
  readonly slowestListingMs: number;
  /** From the publication until the marketplace had the slowest purchase's payment. */
  readonly slowestPurchaseMs: number;
  /** From the break until the last thing that it made late had come; 0: nothing was late. */
  readonly wellAgainMs: number;
  /** Wishes that were not paid, and that their person was told of, by what they were told. */
  readonly told: readonly string[];
  /** What must not be; empty when all is well. */
  readonly violations: readonly string[];
}

/** Each part at least twice; no node has the same two parts as another. */
const FAILOVER_NODES = {
  "web-1": "web",
  "web-2": "web",
  "read-match": "feed,match",
  "read-buy": "feed,buy",
  "match-buy": "match,buy",
} as const;

/** Each account has three purchases under way at most: even what waits for a dead node leaves room. */
const BUYERS = ["zoe", "ana", "eva", "lou", "ida", "mia", "noa", "lea", "jo", "amy"];
const PAUSE_MS = 250;
/** Whatever comes later than this is late: far above what two processors need at this load. */
const LATE_MS = 2_000;
const CALM_MS = 2_000;
const SETTLE_TIMEOUT_MS = 90_000;
const LOOK_MS = 200;
const READER_WATCHED_MS = 1_000;

export async function startFailoverWorld(): Promise<FailoverWorld> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(
    await startCluster({ nodes: FAILOVER_NODES, env: { RECONCILE_SECONDS: "2", RATE_LIMITS: "off" } }),
  );
  const watcher = await cluster.signIn("seeker-lea");
  await watcher.call("addFilter", { tag: "Relais", mots: ["relais"], limit: 100 });
  const buyers: Person[] = [];
  for (const name of BUYERS) {
    const buyer = await cluster.signIn(`thunder-${name}`);
    await buyer.call("editSettings", { limites: { jour: 90_000, mois: 100_000, achats_jour: 100_000 } });
    await buyer.call("addFilter", { tag: "Auto", mots: [`pour${name}`], limit: 100, autobuy: true });
    buyers.push(buyer);
  }
  const page = followPage(cluster, watcher);
  stack.defer(() => page.close());
  await page.isOpen();
  const load = new Load(cluster, page, buyers);
  const resources = stack.move();
  return {
    cluster,
    reader: () => readerOf(cluster),
    undergo: (breaking, loadMs) => load.undergo(breaking, loadMs),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

class Load {
  readonly #cluster: Cluster;
  readonly #page: FollowedPage;
  readonly #buyers: readonly Person[];
  #count = 0;
  /** When what was published, by its number. */
  readonly #shown = new Map<number, number>();
  readonly #wanted = new Map<number, number>();
  readonly #paidAtMs = new Map<number, number>();
  /** Wishes that ended without a payment, by what their person reads. */
  readonly #told = new Map<number, string>();

  constructor(cluster: Cluster, page: FollowedPage, buyers: readonly Person[]) {
    this.#cluster = cluster;
    this.#page = page;
    this.#buyers = buyers;
  }

  async undergo(breaking: () => Promise<void>, loadMs: number): Promise<Undergone> {
    for (const earlier of [this.#shown, this.#wanted, this.#paidAtMs, this.#told]) earlier.clear();
    const doubledBefore = this.#page.doubledCount();
    const over = new AbortController();
    const looking = this.#look(over.signal);
    await this.#publishFor(CALM_MS);
    const brokenAtMs = Date.now();
    await Promise.all([breaking(), this.#publishFor(loadMs)]);
    const giveUpAtMs = Date.now() + SETTLE_TIMEOUT_MS;
    while (Date.now() < giveUpAtMs && !(await this.#isSettled())) await wait(LOOK_MS);
    over.abort();
    await looking;
    return {
      wellAgainMs: this.#wellAgainAtMs(brokenAtMs) - brokenAtMs,
      told: [...this.#told.values()],
      listings: this.#shown.size,
      purchases: this.#wanted.size,
      slowestListingMs: slowest(this.#shown, (id) => this.#page.arrivedAtMs(id)),
      slowestPurchaseMs: slowest(this.#bought(), (id) => this.#paidAtMs.get(id)),
      violations: [
        ...this.#wrongListings(this.#page.doubledCount() - doubledBefore),
        ...(await this.#wrongPurchases()),
      ],
    };
  }

  async #publishFor(durationMs: number): Promise<void> {
    const endMs = Date.now() + durationMs;
    while (Date.now() < endMs) {
      this.#count += 1;
      const [shown, wanted] = await this.#cluster.sandbox.publish([
        { title: `Robe relais ${this.#count}`, price: 10 },
        { title: `Veste pour${BUYERS[this.#count % BUYERS.length]} ${this.#count}`, price: 5 },
      ]);
      if (shown !== undefined) this.#shown.set(shown.id, Date.now());
      if (wanted !== undefined) this.#wanted.set(wanted.id, Date.now());
      await wait(PAUSE_MS);
    }
  }

  async #look(over: AbortSignal): Promise<void> {
    while (!over.aborted) await Promise.all([this.#lookAtOrders(), wait(LOOK_MS)]);
  }

  async #lookAtOrders(): Promise<void> {
    for (const { item_id: id, payments } of await this.#cluster.sandbox.orders())
      if (payments > 0 && this.#wanted.has(id) && !this.#paidAtMs.has(id)) this.#paidAtMs.set(id, Date.now());
  }

  async #isSettled(): Promise<boolean> {
    await this.#lookAtOrders();
    if (this.#open().length > 0) await this.#readWhatIsTold();
    return (
      this.#open().length === 0 &&
      Array.from(this.#shown.keys()).every((id) => this.#page.arrivedAtMs(id) !== undefined)
    );
  }

  /** Wishes of which neither the marketplace nor their person knows an end. */
  #open(): readonly number[] {
    return Array.from(this.#wanted.keys()).filter((id) => !this.#paidAtMs.has(id) && !this.#told.has(id));
  }

  /** What the product itself says about wishes that were let go. */
  async #readWhatIsTold(): Promise<void> {
    for (const buyer of this.#buyers) {
      const { manques } = await buyer.call("missedPurchases");
      for (const { product, raison } of manques)
        if (this.#wanted.has(product.id)) this.#told.set(product.id, raison ?? "sans raison");
      const { purch } = await buyer.call("purchases");
      for (const { product, status } of purch)
        if (this.#wanted.has(product.id) && status === ACHAT_ANNULE) this.#told.set(product.id, "Annulé");
    }
  }

  #wellAgainAtMs(brokenAtMs: number): number {
    const late = (published: ReadonlyMap<number, number>, endOf: (id: number) => number | undefined) =>
      Array.from(published, ([id, atMs]) => ({ atMs, endMs: endOf(id) ?? Infinity }))
        .filter(({ atMs, endMs }) => endMs - atMs > LATE_MS)
        .map(({ endMs }) => endMs);
    return Math.max(
      brokenAtMs,
      ...late(this.#shown, (id) => this.#page.arrivedAtMs(id)),
      ...late(this.#bought(), (id) => this.#paidAtMs.get(id)),
    );
  }

  /** Without those that were told as missed. */
  #bought(): ReadonlyMap<number, number> {
    return new Map([...this.#wanted].filter(([id]) => this.#paidAtMs.has(id) || !this.#told.has(id)));
  }

  #wrongListings(doubled: number): readonly string[] {
    const missing = Array.from(this.#shown.keys()).filter((id) => this.#page.arrivedAtMs(id) === undefined);
    return [
      ...missing.map(() => "a listing never came to the page"),
      ...Array.from({ length: doubled }, () => "a listing came twice on one connection"),
    ];
  }

  async #wrongPurchases(): Promise<readonly string[]> {
    const orders = await this.#cluster.sandbox.orders();
    const wrong: string[] = [];
    for (const id of this.#wanted.keys()) {
      const paid = orders.filter((order) => order.item_id === id && order.payments > 0);
      if (paid.length > 1) wrong.push(`a wish has ${paid.length} paid orders`);
      if (paid.length === 0 && !this.#told.has(id)) wrong.push("a wish was neither paid nor told as missed");
      if (paid.length > 0 && this.#told.has(id)) wrong.push("a wish was paid and told as missed");
      wrong.push(
        ...paid
          .filter(({ payments }) => payments > 1)
          .map(({ payments }) => `an order was paid ${payments} times`),
      );
    }
    return wrong;
  }
}

function slowest(published: ReadonlyMap<number, number>, endOf: (id: number) => number | undefined): number {
  return Math.max(...Array.from(published, ([id, atMs]) => (endOf(id) ?? Infinity) - atMs));
}

/** The node whose count of searches grows. */
async function readerOf(cluster: Cluster): Promise<string> {
  const names = Object.entries(FAILOVER_NODES)
    .filter(([, parts]) => parts.includes("feed"))
    .map(([name]) => name);
  for (let tries = 0; tries < SETTLE_TIMEOUT_MS / READER_WATCHED_MS; tries += 1) {
    const before = await Promise.all(names.map((name) => searches(cluster, name)));
    await wait(READER_WATCHED_MS);
    const after = await Promise.all(names.map((name) => searches(cluster, name)));
    const reader = names.find((_, index) => (after[index] ?? 0) > (before[index] ?? 0));
    if (reader !== undefined) return reader;
  }
  throw new Error("nobody reads the market");
}

async function searches(cluster: Cluster, name: string): Promise<number> {
  const text = await (await fetch(cluster.metricsUrl(name))).text();
  const counts = text.matchAll(/^synapse_market_requests_total\{call="search",[^}]*\} (\d+)$/gm);
  return Array.from(counts, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
}

/** A person's page that connects again where it stood whenever it loses its node, as the browser's does. */
interface FollowedPage {
  /** Settles when it is connected. */
  isOpen(): Promise<void>;
  /** When this listing came first; undefined: not yet. */
  arrivedAtMs(listingId: number): number | undefined;
  /** How often a listing came again on one connection; a new one may be told again what it had (contract §4). */
  doubledCount(): number;
  close(): void;
}

const AGAIN_AFTER_MS = 250;
const OPEN_POLL_MS = 20;

function followPage(cluster: Cluster, person: Person): FollowedPage {
  const arrivedAtMs = new Map<number, number>();
  let doubled = 0;
  let cursor: string | undefined;
  let isClosed = false;
  let tab = open();

  function open(): Tab {
    const had = new Set<number>();
    const opened = cluster.openTab(person, cursor === undefined ? {} : { depuis: cursor });
    opened.socket.on("flux_handler", ({ items, curseur }) => {
      cursor = curseur;
      for (const { id } of items) {
        if (had.has(id)) doubled += 1;
        had.add(id);
        if (!arrivedAtMs.has(id)) arrivedAtMs.set(id, Date.now());
      }
    });
    const again = (): void => {
      opened.close();
      setTimeout(() => {
        if (!isClosed) tab = open();
      }, AGAIN_AFTER_MS);
    };
    opened.socket.once("disconnect", again);
    opened.socket.once("connect_error", again);
    return opened;
  }

  return {
    async isOpen() {
      while (!tab.socket.connected) await new Promise((resolve) => void setTimeout(resolve, OPEN_POLL_MS));
    },
    arrivedAtMs: (id) => arrivedAtMs.get(id),
    doubledCount: () => doubled,
    close() {
      isClosed = true;
      tab.close();
    },
  };
}
