import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Random } from "#domain/clock.ts";
import { budgets, ledger, purchaseAttempts, purchases } from "#store/schema/purchase-tables.ts";
import { toRecord } from "#store/purchases/rows.ts";
import { openStore, type OpenStore } from "#store/open-store.ts";
import type { StoredState } from "./verdict.ts";

/**
 * The real embedded store under simulated time: every call completes within one simulated instant, however
 * long it really takes. A hundred times slower than the store in memory, and without a repeatable trace.
 */
interface EmbeddedRunStore extends AsyncDisposable {
  readonly store: OpenStore;
  /** Settles when no call of the store is in flight. */
  readonly settled: () => Promise<void>;
  readonly truth: () => Promise<StoredState>;
}

export async function openEmbeddedRunStore(random: Random): Promise<EmbeddedRunStore> {
  await using opening = new AsyncDisposableStack();
  const dataDir = await temporaryFolder(opening);
  const store = opening.use(
    await openStore({
      dataDir,
      databaseUrl: undefined,
      masterKeys: undefined,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      random,
      onFatal: (error) => {
        throw error;
      },
    }),
  );
  const opened = opening.move();
  const { db } = store;
  const underWay: UnderWay = new Set();
  const { accounts, settings, sellers, filters, groups, listings, audit, users } = store;
  const { held, sellerFacts, relists } = store;
  return {
    store: {
      ...store,
      purchases: counted(store.purchases, underWay),
      accounts: counted(accounts, underWay),
      settings: counted(settings, underWay),
      sellers: counted(sellers, underWay),
      filters: counted(filters, underWay),
      groups: counted(groups, underWay),
      listings: counted(listings, underWay),
      audit: counted(audit, underWay),
      users: counted(users, underWay),
      held: counted(held, underWay),
      sellerFacts: counted(sellerFacts, underWay),
      relists: counted(relists, underWay),
    },
    async settled() {
      // Two quiet turns, because an answered caller may call again.
      for (let quietTurns = 0; quietTurns < 2; quietTurns = underWay.size === 0 ? quietTurns + 1 : 0) {
        await Promise.allSettled(underWay);
        await turn();
      }
    },
    async truth() {
      const rows = await db.select().from(purchases);
      return {
        purchases: rows.map(toRecord),
        attempts: await db.select().from(purchaseAttempts),
        ledger: await db.select().from(ledger).orderBy(ledger.id),
        budgets: await db.select().from(budgets),
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function temporaryFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "synapse-simulation-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The calls of the store in flight. */
type UnderWay = Set<Promise<unknown>>;

function counted<Part extends object>(part: Part, underWay: UnderWay): Part {
  return new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(method, target, args);
        if (isPages(result)) return countedPages(result, underWay);
        if (!(result instanceof Promise)) return result;
        return during(underWay, result);
      };
    },
  });
}

async function during<Result>(underWay: UnderWay, promise: Promise<Result>): Promise<Result> {
  underWay.add(promise);
  try {
    return await promise;
  } finally {
    underWay.delete(promise);
  }
}

function isPages(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function* countedPages(pages: AsyncIterable<unknown>, underWay: UnderWay): AsyncIterable<unknown> {
  const iterator = pages[Symbol.asyncIterator]();
  for (;;) {
    const next = await during(underWay, iterator.next());
    if (next.done === true) return;
    yield next.value;
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
