import type { Clock } from "#domain/clock.ts";
import type { Books } from "../books/books.ts";
import { createCancellations, type Cancellations } from "./cancellation.ts";
import { createDeadlines } from "./deadlines.ts";
import { createPayments, type Payments } from "./payment.ts";
import { createSessions, type Sessions } from "./sessions.ts";
import { createShelf, type Shelf } from "./shelf.ts";
import { createStock, type Stock } from "./stock.ts";
import { createTrade, type Trade } from "./trade.ts";

/**
 * The marketplace itself, without HTTP: stock, accounts, checkout, payments, cancellations. It must know neither
 * wire shapes nor faults. Every call is synchronous, so that nothing can come between a check and its write.
 */
export interface Market extends Disposable {
  readonly books: Books;
  readonly shelf: Shelf;
  readonly stock: Stock;
  readonly sessions: Sessions;
  readonly trade: Trade;
  readonly payments: Payments;
  readonly cancellations: Cancellations;
  /** Decides whatever time has decided by now; also called before every answer, so that none is behind its time. */
  settleDue(): void;
}

export function createMarket(parts: { books: Books; clock: Clock; seed: number }): Market {
  const { books, clock, seed } = parts;
  const shelf = createShelf();
  const stock = createStock(books, shelf, clock);
  const deadlines = createDeadlines(clock, settleDue);
  const shared = { books, stock, clock, deadlines, seed };
  const payments = createPayments(shared);
  const cancellations = createCancellations(shared);

  function settleDue(): void {
    for (const orderId of deadlines.takeDue()) {
      const order = books.orders.byId(orderId);
      if (order === null) continue;
      payments.settle(order);
      const settled = books.orders.byId(orderId);
      if (settled !== null) cancellations.settle(settled);
    }
  }

  for (const order of books.orders.undecided()) deadlines.note(order);
  return {
    books,
    shelf,
    stock,
    sessions: createSessions(books, clock),
    trade: createTrade(shared),
    payments,
    cancellations,
    settleDue,
    [Symbol.dispose]: () => deadlines[Symbol.dispose](),
  };
}
