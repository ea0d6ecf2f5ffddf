import { type Sqlite, numberCell, oneOfCell, textCell, type Row } from "./database.ts";
import { mapRow } from "./listings.ts";
import { parseOrderDetails, type MarketOrder } from "../market/order.ts";

export interface OrderTable {
  insert(order: MarketOrder): void;
  /** Writes state and details. */
  update(order: MarketOrder): void;
  byId(id: number): MarketOrder | null;
  /** The order that a 3-D Secure link belongs to. */
  byConfirmationToken(token: string): MarketOrder | null;
  /** The account's orders of a listing, newest first. */
  ofListing(listingId: number, accountId: number): readonly MarketOrder[];
  /** The order for this listing that is paid or awaits 3-D Secure. */
  effectiveOf(listingId: number): MarketOrder | null;
  /** A page of the account's orders, newest first, without those that never reached payment. */
  purchasesOf(
    whose: PurchaseRange,
    page: { readonly offset: number; readonly limit: number },
  ): readonly MarketOrder[];
  purchaseCountOf(whose: PurchaseRange): number;
  /** Every order, oldest first. */
  all(): readonly MarketOrder[];
  /** Orders with a pending deadline. */
  undecided(): readonly MarketOrder[];
  lastId(): number;
}

export interface PurchaseRange {
  readonly accountId: number;
  /** Purchases charged later are left out. */
  readonly untilMs: number;
}

const STATES = ["open", "awaiting", "paid", "cancelled", "failed"] as const;

const PURCHASED =
  "account_id = ? AND state <> 'open' AND coalesce(details ->> '$.charge.atMs', created_at) <= ?";

export function createOrderTable({ sql }: Sqlite): OrderTable {
  const insert = sql.prepare("INSERT INTO market_order VALUES (?, ?, ?, ?, ?, ?)");
  const update = sql.prepare("UPDATE market_order SET state = ?, details = ? WHERE id = ?");
  const byId = sql.prepare("SELECT * FROM market_order WHERE id = ?");
  const byToken = sql.prepare("SELECT * FROM market_order WHERE details ->> '$.confirmation.token' = ?");
  const ofListing = sql.prepare(
    "SELECT * FROM market_order WHERE listing_id = ? AND account_id = ? ORDER BY id DESC",
  );
  const effectiveOf = sql.prepare(
    "SELECT * FROM market_order WHERE listing_id = ? AND state IN ('awaiting', 'paid')",
  );
  const purchasesOf = sql.prepare(
    `SELECT * FROM market_order WHERE ${PURCHASED} ORDER BY id DESC LIMIT ? OFFSET ?`,
  );
  const purchaseCountOf = sql.prepare(`SELECT count(*) AS n FROM market_order WHERE ${PURCHASED}`);
  const all = sql.prepare("SELECT * FROM market_order ORDER BY id");
  const undecided = sql.prepare(
    "SELECT * FROM market_order WHERE state = 'awaiting' OR details ->> '$.cancellation.status' = 'requested'",
  );
  const lastId = sql.prepare("SELECT coalesce(max(id), 0) AS n FROM market_order");
  const count = (row: Row | undefined): number => mapRow(row, (cells) => numberCell(cells, "n")) ?? 0;
  return {
    insert: ({ id, accountId, listingId, createdAtMs, state, details }) =>
      void insert.run(id, accountId, listingId, createdAtMs, state, JSON.stringify(details)),
    update: ({ id, state, details }) => void update.run(state, JSON.stringify(details), id),
    byId: (id) => mapRow(byId.get(id), toOrder),
    byConfirmationToken: (token) => mapRow(byToken.get(token), toOrder),
    ofListing: (listingId, accountId) => ofListing.all(listingId, accountId).map(toOrder),
    effectiveOf: (listingId) => mapRow(effectiveOf.get(listingId), toOrder),
    purchasesOf: ({ accountId, untilMs }, { offset, limit }) =>
      purchasesOf.all(accountId, untilMs, limit, offset).map(toOrder),
    purchaseCountOf: ({ accountId, untilMs }) => count(purchaseCountOf.get(accountId, untilMs)),
    all: () => all.all().map(toOrder),
    undecided: () => undecided.all().map(toOrder),
    lastId: () => count(lastId.get()),
  };
}

function toOrder(row: Row): MarketOrder {
  return {
    id: numberCell(row, "id"),
    accountId: numberCell(row, "account_id"),
    listingId: numberCell(row, "listing_id"),
    createdAtMs: numberCell(row, "created_at"),
    state: oneOfCell(row, "state", STATES),
    details: parseOrderDetails(textCell(row, "details")),
  };
}
