/** A cluster under a light load while one part fails after another: nothing may be lost or duplicated. */
import { setTimeout as wait } from "node:timers/promises";
import { ACHAT_ANNULE } from "#contract/bounds.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { Person } from "./person.ts";
import type { Tab } from "./tab.ts";

export interface FailoverWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  /** The node that currently reads the market. */
  reader(): Promise<string>;
  /**
   * Publishes listings and triggers automatic purchases for `loadMs` while `inject` runs; settles when all
   * of them have completed or the timeout has passed.
   */
  run(inject: () => Promise<void>, loadMs: number): Promise<FailoverResult>;
}

interface FailoverResult {
  readonly listings: number;
  /** Published listings that the product must either buy or report to the person as missed. */
  readonly wishes: number;
  readonly paid: number;
  /** From publication until the person's page received the slowest listing. */
  readonly slowestListingMs: number;
  /** From publication until the marketplace received the payment of the slowest purchase. */
  readonly slowestPurchaseMs: number;
  /** From the failure until the last delayed listing or payment; 0 when nothing was delayed. */
  readonly recoveryMs: number;
  /** The reasons shown for unpaid wishes that the person was notified of. */
  readonly reportedReasons: readonly string[];
  readonly violations: readonly string[];
}

/** Every part runs at least twice; no two nodes have the same pair of parts. */
const FAILOVER_NODES = {
  "web-1": "web",
  "web-2": "web",
  "read-match": "feed,match",
  "read-buy": "feed,buy",
  "match-buy": "match,buy",
} as const;

/** An account has at most three purchases in flight; ten leave room for those that wait for a dead node. */
const BUYERS = ["zoe", "ana", "eva", "lou", "ida", "mia", "noa", "lea", "jo", "amy"];
const PAUSE_MS = 250;
/** Anything later counts as delayed; far above what two processors need at this load. */
const LATE_MS = 2_000;
const CALM_MS = 2_000;
const SETTLE_TIMEOUT_MS = 300_000;
const POLL_MS = 200;
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
    run: (inject, loadMs) => load.run(inject, loadMs),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

class Load {
  readonly #cluster: Cluster;
  readonly #page: FollowedPage;
  readonly #buyers: readonly Person[];
  #count = 0;
  /** Publication times by listing id. */
  readonly #shown = new Map<number, number>();
  readonly #wanted = new Map<number, number>();
  readonly #paidAtMs = new Map<number, number>();
  /** Unpaid wishes by the reason shown to the person. */
  readonly #reported = new Map<number, string>();

  constructor(cluster: Cluster, page: FollowedPage, buyers: readonly Person[]) {
    this.#cluster = cluster;
    this.#page = page;
    this.#buyers = buyers;
  }

  async run(inject: () => Promise<void>, loadMs: number): Promise<FailoverResult> {
    for (const earlier of [this.#shown, this.#wanted, this.#paidAtMs, this.#reported]) earlier.clear();
    const doubledBefore = this.#page.doubledCount();
    const over = new AbortController();
    const looking = this.#watchOrders(over.signal);
    await this.#publishFor(CALM_MS);
    const failedAtMs = Date.now();
    await Promise.all([inject(), this.#publishFor(loadMs)]);
    const giveUpAtMs = Date.now() + SETTLE_TIMEOUT_MS;
    while (Date.now() < giveUpAtMs && !(await this.#isSettled())) await wait(POLL_MS);
    over.abort();
    await looking;
    return {
      recoveryMs: this.#recoveredAtMs(failedAtMs) - failedAtMs,
      reportedReasons: [...this.#reported.values()],
      listings: this.#shown.size,
      wishes: this.#wanted.size,
      paid: this.#paidAtMs.size,
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

  async #watchOrders(over: AbortSignal): Promise<void> {
    while (!over.aborted) await Promise.all([this.#lookAtOrders(), wait(POLL_MS)]);
  }

  async #lookAtOrders(): Promise<void> {
    for (const { item_id: id, payments } of await this.#cluster.sandbox.orders())
      if (payments > 0 && this.#wanted.has(id) && !this.#paidAtMs.has(id)) this.#paidAtMs.set(id, Date.now());
  }

  async #isSettled(): Promise<boolean> {
    await this.#lookAtOrders();
    if (this.#open().length > 0) await this.#readReported();
    return (
      this.#open().length === 0 &&
      Array.from(this.#shown.keys()).every((id) => this.#page.arrivedAtMs(id) !== undefined)
    );
  }

  /** Wishes that are neither paid nor reported to the person as missed. */
  #open(): readonly number[] {
    return Array.from(this.#wanted.keys()).filter((id) => !this.#paidAtMs.has(id) && !this.#reported.has(id));
  }

  /** Reads the wishes that the product reports as missed or cancelled. */
  async #readReported(): Promise<void> {
    for (const buyer of this.#buyers) {
      const { manques } = await buyer.call("missedPurchases");
      for (const { product, raison } of manques)
        if (this.#wanted.has(product.id)) this.#reported.set(product.id, raison ?? "sans raison");
      const { purch } = await buyer.call("purchases");
      for (const { product, status } of purch)
        if (this.#wanted.has(product.id) && status === ACHAT_ANNULE) this.#reported.set(product.id, "Annulé");
    }
  }

  #recoveredAtMs(failedAtMs: number): number {
    const late = (published: ReadonlyMap<number, number>, endOf: (id: number) => number | undefined) =>
      Array.from(published, ([id, atMs]) => ({ atMs, endMs: endOf(id) ?? Infinity }))
        .filter(({ atMs, endMs }) => endMs - atMs > LATE_MS)
        .map(({ endMs }) => endMs);
    return Math.max(
      failedAtMs,
      ...late(this.#shown, (id) => this.#page.arrivedAtMs(id)),
      ...late(this.#bought(), (id) => this.#paidAtMs.get(id)),
    );
  }

  /** Without those reported as missed. */
  #bought(): ReadonlyMap<number, number> {
    return new Map([...this.#wanted].filter(([id]) => this.#paidAtMs.has(id) || !this.#reported.has(id)));
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
      if (paid.length === 0 && !this.#reported.has(id))
        wrong.push("a wish was neither paid nor reported as missed");
      if (paid.length > 0 && this.#reported.has(id)) wrong.push("a wish was paid and reported as missed");
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

/** Found by its growing count of searches. */
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

/** A page that reconnects with its cursor when it loses its node, as the browser does. */
interface FollowedPage {
  /** Settles when it is connected. */
  isOpen(): Promise<void>;
  /** The time of its first arrival, if any. */
  arrivedAtMs(listingId: number): number | undefined;
  /** Repeated listings on one connection; a new connection may repeat earlier ones (contract §4). */
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
