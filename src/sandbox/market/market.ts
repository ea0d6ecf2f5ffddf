import type { Clock } from "#domain/clock.ts";
import type { MarketDatabase } from "../database/market-database.ts";
import { createCancellations, type Cancellations } from "./cancellation.ts";
import { createDeadlines } from "./order.ts";
import { createHistory, type History } from "./history.ts";
import { createPayments, type Payments } from "./payment.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { createSearchIndex, type SearchIndex } from "./search-index.ts";
import { createStock, type Stock } from "./stock.ts";
import { createCheckouts, type Checkouts } from "./checkout.ts";

/**
 * The marketplace's business logic, without HTTP, wire formats or faults. All calls are synchronous, so that
 * no other call can run between a check and its write.
 */
export interface Market extends Disposable {
  readonly database: MarketDatabase;
  readonly searchIndex: SearchIndex;
  readonly stock: Stock;
  readonly history: History;
  readonly sessions: Sessions;
  readonly checkouts: Checkouts;
  readonly payments: Payments;
  readonly cancellations: Cancellations;
  /** The seed of the generated world. */
  readonly seed: number;
  /** Applies all deadlines that have passed; also called before every answer. */
  settleDue(): void;
}

export function createMarket(parts: { database: MarketDatabase; clock: Clock; seed: number }): Market {
  const { database, clock, seed } = parts;
  const searchIndex = createSearchIndex();
  const stock = createStock(database, searchIndex, clock);
  const deadlines = createDeadlines(clock, settleDue);
  const shared = { database, stock, clock, deadlines, seed };
  const payments = createPayments(shared);
  const cancellations = createCancellations(shared);

  function settleDue(): void {
    stock.releaseDue();
    for (const orderId of deadlines.takeDue()) {
      const order = database.orders.byId(orderId);
      if (order === null) continue;
      payments.settle(order);
      const settled = database.orders.byId(orderId);
      if (settled !== null) cancellations.settle(settled);
    }
  }

  for (const order of database.orders.undecided()) deadlines.note(order);
  return {
    database,
    searchIndex,
    stock,
    history: createHistory(database, { clock, seed }),
    sessions: createSessions(database, clock),
    checkouts: createCheckouts(shared),
    payments,
    cancellations,
    seed,
    settleDue,
    [Symbol.dispose]: () => deadlines[Symbol.dispose](),
  };
}
