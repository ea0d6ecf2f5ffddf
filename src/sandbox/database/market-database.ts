import {
  openSqlite,
  type Sqlite,
  textCell,
  numberCell,
  oneOfCell,
  type Row,
  numberOrNullCell,
} from "./database.ts";
import {
  parseOrderDetails,
  type MarketOrder,
  parseCheckoutAddress,
  type CheckoutAddress,
} from "../market/order.ts";
import { createPastTable, type PastTable } from "./past-table.ts";
import { createSellerTable, type SellerTable } from "./seller-table.ts";
import type { Fate, ListingState, MarketListing } from "../market/listing.ts";

/** The persistent state of the marketplace; for its durability see `database.ts`. */
export interface MarketDatabase extends Disposable {
  readonly listings: ListingTable;
  readonly orders: OrderTable;
  readonly accounts: AccountTable;
  readonly sellers: SellerTable;
  readonly past: PastTable;
  readonly state: StateTable;
  /** The connection, for the tables of received alerts (receivers/). */
  readonly sql: Sqlite["sql"];
  /** Runs a change in a transaction that is in the file when the call returns. */
  readonly write: Sqlite["write"];
  /** Runs an action once the current transaction has committed, such as updating the search index. */
  readonly afterWrite: Sqlite["afterWrite"];
}

/** @param directory null: in memory only */
export function openMarketDatabase(directory: string | null): MarketDatabase {
  const database = openSqlite(directory);
  return {
    listings: createListingTable(database),
    orders: createOrderTable(database),
    accounts: createAccountTable(database),
    sellers: createSellerTable(database),
    past: createPastTable(database),
    state: createStateTable(database),
    sql: database.sql,
    write: database.write,
    afterWrite: database.afterWrite,
    [Symbol.dispose]: () => database[Symbol.dispose](),
  };
}

/** Single values that survive a restart: the world's progress and the key that signs access tokens. */
interface StateTable {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

function createStateTable({ sql }: Sqlite): StateTable {
  const get = sql.prepare("SELECT value FROM fact WHERE name = ?");
  const set = sql.prepare(
    "INSERT INTO fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  );
  return {
    get: (name) => mapRow(get.get(name), (row) => textCell(row, "value")),
    set: (name, value) => void set.run(name, value),
  };
}

interface OrderTable {
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

interface PurchaseRange {
  readonly accountId: number;
  /** Purchases charged later are left out. */
  readonly untilMs: number;
}

const ORDER_STATES = ["open", "awaiting", "paid", "cancelled", "failed"] as const;

/** Null for an order that never reached payment. */
const CHARGED_AT = "details ->> '$.charge.atMs'";
const PURCHASED = `account_id = ? AND ${CHARGED_AT} <= ?`;

function createOrderTable({ sql }: Sqlite): OrderTable {
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
    `SELECT * FROM market_order WHERE ${PURCHASED} ORDER BY ${CHARGED_AT} DESC, id DESC LIMIT ? OFFSET ?`,
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
    state: oneOfCell(row, "state", ORDER_STATES),
    details: parseOrderDetails(textCell(row, "details")),
  };
}

export interface MarketAccount {
  readonly id: number;
  /** The persona's NAME. */
  readonly name: string;
  readonly walletCents: number;
  readonly cardId: number;
  /** The delivery address of the last checkout. */
  readonly address: CheckoutAddress | null;
}

interface TokenFamily {
  readonly id: number;
  readonly accountId: number;
  readonly isRevoked: boolean;
}

interface StoredRefreshToken {
  readonly family: TokenFamily;
  readonly generation: number;
  /** The family's newest generation; older tokens have been exchanged. */
  readonly newestGeneration: number;
}

interface AccountTable {
  open(name: string): MarketAccount;
  byId(id: number): MarketAccount | null;
  /** Adds to or subtracts from the wallet; throws if the balance would become negative. */
  moveWallet(id: number, byCents: number): void;
  setAddress(id: number, address: CheckoutAddress): void;
  startFamily(accountId: number): number;
  revokeFamily(familyId: number): void;
  family(familyId: number): TokenFamily | null;
  addRefreshToken(token: { digest: string; familyId: number; generation: number }): void;
  refreshToken(digest: string): StoredRefreshToken | null;
}

const FIRST_WALLET_CENTS = 50_000;
const CARD_OFFSET = 700_000;

function createAccountTable({ sql }: Sqlite): AccountTable {
  const byName = sql.prepare("SELECT * FROM account WHERE name = ?");
  const byId = sql.prepare("SELECT * FROM account WHERE id = ?");
  const insert = sql.prepare(`INSERT INTO account
    SELECT n, ?, ${FIRST_WALLET_CENTS}, n + ${CARD_OFFSET}, NULL FROM (SELECT coalesce(max(id), 0) + 1 AS n FROM account)
    RETURNING *`);
  const moveWallet = sql.prepare("UPDATE account SET wallet_cents = wallet_cents + ? WHERE id = ?");
  const setAddress = sql.prepare("UPDATE account SET address = ? WHERE id = ?");
  return {
    open(name) {
      const account = mapRow(byName.get(name) ?? insert.get(name), toAccount);
      if (account === null) throw new Error("the account was not created");
      return account;
    },
    byId: (id) => mapRow(byId.get(id), toAccount),
    moveWallet: (id, byCents) => void moveWallet.run(byCents, id),
    setAddress: (id, address) => void setAddress.run(JSON.stringify(address), id),
    ...tokenTables(sql),
  };
}

type TokenTables = Pick<
  AccountTable,
  "startFamily" | "revokeFamily" | "family" | "addRefreshToken" | "refreshToken"
>;

function tokenTables(sql: Sqlite["sql"]): TokenTables {
  const startFamily = sql.prepare(
    "INSERT INTO token_family (account_id, is_revoked) VALUES (?, 0) RETURNING id",
  );
  const revokeFamily = sql.prepare("UPDATE token_family SET is_revoked = 1 WHERE id = ?");
  const family = sql.prepare("SELECT * FROM token_family WHERE id = ?");
  const addRefreshToken = sql.prepare("INSERT INTO refresh_token VALUES (?, ?, ?)");
  const refreshToken = sql.prepare(`SELECT token_family.*, generation,
      (SELECT max(generation) FROM refresh_token AS other WHERE other.family_id = token_family.id) AS newest
    FROM refresh_token JOIN token_family ON token_family.id = family_id WHERE digest = ?`);
  return {
    startFamily(accountId) {
      const id = mapRow(startFamily.get(accountId), (row) => numberCell(row, "id"));
      if (id === null) throw new Error("the token family was not created");
      return id;
    },
    revokeFamily: (familyId) => void revokeFamily.run(familyId),
    family: (familyId) => mapRow(family.get(familyId), toFamily),
    addRefreshToken: ({ digest, familyId, generation }) =>
      void addRefreshToken.run(digest, familyId, generation),
    refreshToken: (digest) =>
      mapRow(refreshToken.get(digest), (row) => ({
        family: toFamily(row),
        generation: numberCell(row, "generation"),
        newestGeneration: numberCell(row, "newest"),
      })),
  };
}

function toAccount(row: Row): MarketAccount {
  return {
    id: numberCell(row, "id"),
    name: textCell(row, "name"),
    walletCents: numberCell(row, "wallet_cents"),
    cardId: numberCell(row, "card_id"),
    address: row["address"] === null ? null : parseCheckoutAddress(textCell(row, "address")),
  };
}

function toFamily(row: Row): TokenFamily {
  return {
    id: numberCell(row, "id"),
    accountId: numberCell(row, "account_id"),
    isRevoked: numberCell(row, "is_revoked") === 1,
  };
}

interface ListingTable {
  insert(listing: MarketListing): void;
  setState(id: number, state: ListingState, reservedUntilMs: number | null): void;
  /** Writes its price, its shipping prices and when its fate is due. */
  setCosts(listing: MarketListing): void;
  byId(id: number): MarketListing | null;
  /** Listings that are available or reserved, oldest first. */
  onSale(): IterableIterator<MarketListing>;
  /** Available listings whose fate is due, the longest due first. */
  withDueFate(nowMs: number, limit: number): readonly FatedListing[];
  /** The highest id in use, 0 when there is none. */
  lastId(): number;
  /**
   * Deletes generated listings published earlier that no order refers to, oldest first.
   * @returns the deleted ids, at most `limit`
   */
  forgetOld(publishedBeforeMs: number, limit: number): readonly number[];
}

interface FatedListing extends MarketListing {
  readonly fate: Fate;
}

const LISTING_STATES = ["available", "reserved", "sold", "withdrawn"] as const;
const FATES = ["rival", "withdrawal", "price", "relist"] as const;

function createListingTable({ sql }: Sqlite): ListingTable {
  const insert = sql.prepare(`INSERT INTO listing VALUES (
    :id, :serial, :publishedAt, :state, :reservedUntil, :title, :brand, :size, :condition, :leafId, :colours,
    :priceCents, :homeCents, :pointCents, :sellerId, :sellerLogin, :sellerHasPhoto, :photoSeed, :favourites,
    :isPromoted, :hasBarePrices, :needsConfirmation, :fateKind, :fateAt, :fatePrice)`);
  const setState = sql.prepare("UPDATE listing SET state = ?, reserved_until = ? WHERE id = ?");
  const setCosts = sql.prepare(
    "UPDATE listing SET price_cents = ?, home_cents = ?, point_cents = ?, fate_at = ? WHERE id = ?",
  );
  const byId = sql.prepare("SELECT * FROM listing WHERE id = ?");
  const onSale = sql.prepare("SELECT * FROM listing WHERE state IN ('available', 'reserved') ORDER BY id");
  const withDueFate = sql.prepare(
    "SELECT * FROM listing WHERE state = 'available' AND fate_at <= ? ORDER BY fate_at, id LIMIT ?",
  );
  const lastId = sql.prepare("SELECT coalesce(max(id), 0) AS id FROM listing");
  const forgetOld = sql.prepare(`DELETE FROM listing WHERE id IN (
    SELECT id FROM listing WHERE serial IS NOT NULL AND published_at < :before
      AND NOT EXISTS (SELECT 1 FROM market_order WHERE listing_id = listing.id)
    ORDER BY published_at LIMIT :limit) RETURNING id`);
  return {
    insert: (listing) => void insert.run(toCells(listing)),
    setState: (id, state, reservedUntilMs) => void setState.run(state, reservedUntilMs, id),
    setCosts: ({ id, priceCents, homeShippingCents, pointShippingCents, fate }) =>
      void setCosts.run(priceCents, homeShippingCents, pointShippingCents, fate?.atMs ?? null, id),
    byId: (id) => mapRow(byId.get(id), toListing),
    *onSale() {
      for (const row of onSale.iterate()) yield toListing(row);
    },
    withDueFate: (nowMs, limit) =>
      withDueFate.all(nowMs, limit).map((row) => ({ ...toListing(row), fate: toFate(row) })),
    lastId: () => mapRow(lastId.get(), (row) => numberCell(row, "id")) ?? 0,
    forgetOld: (before, limit) => forgetOld.all({ before, limit }).map((row) => numberCell(row, "id")),
  };
}

/** Maps a row, or returns null when there is none. */
function mapRow<Result>(row: Row | undefined, read: (row: Row) => Result): Result | null {
  return row === undefined ? null : read(row);
}

function toCells(listing: MarketListing) {
  const { seller, fate } = listing;
  return {
    id: listing.id,
    serial: listing.serial,
    publishedAt: listing.publishedAtMs,
    state: listing.state,
    reservedUntil: listing.reservedUntilMs,
    title: listing.title,
    brand: listing.brandTitle,
    size: listing.sizeTitle,
    condition: listing.conditionLabel,
    leafId: listing.leafId,
    colours: listing.colourIds.join(","),
    priceCents: listing.priceCents,
    homeCents: listing.homeShippingCents,
    pointCents: listing.pointShippingCents,
    sellerId: seller.id,
    sellerLogin: seller.login,
    sellerHasPhoto: Number(seller.hasPhoto),
    photoSeed: listing.photoSeed,
    favourites: listing.favouriteCount,
    isPromoted: Number(listing.isPromoted),
    hasBarePrices: Number(listing.hasBarePrices),
    needsConfirmation: Number(listing.needsConfirmation),
    fateKind: fate?.kind ?? null,
    fateAt: fate?.atMs ?? null,
    fatePrice: fate?.priceCents ?? null,
  };
}

function toListing(row: Row): MarketListing {
  const colours = textCell(row, "colours");
  return {
    id: numberCell(row, "id"),
    serial: numberOrNullCell(row, "serial"),
    publishedAtMs: numberCell(row, "published_at"),
    state: oneOfCell(row, "state", LISTING_STATES),
    reservedUntilMs: numberOrNullCell(row, "reserved_until"),
    title: textCell(row, "title"),
    brandTitle: textCell(row, "brand"),
    sizeTitle: textCell(row, "size"),
    conditionLabel: textCell(row, "condition"),
    leafId: numberCell(row, "leaf_id"),
    colourIds: colours === "" ? [] : colours.split(",").map(Number),
    priceCents: numberCell(row, "price_cents"),
    homeShippingCents: numberCell(row, "home_cents"),
    pointShippingCents: numberCell(row, "point_cents"),
    seller: {
      id: numberCell(row, "seller_id"),
      login: textCell(row, "seller_login"),
      hasPhoto: numberCell(row, "seller_has_photo") === 1,
    },
    photoSeed: numberCell(row, "photo_seed"),
    favouriteCount: numberCell(row, "favourites"),
    isPromoted: numberCell(row, "is_promoted") === 1,
    hasBarePrices: numberCell(row, "has_bare_prices") === 1,
    needsConfirmation: numberCell(row, "needs_confirmation") === 1,
    fate: row["fate_at"] === null ? null : toFate(row),
  };
}

function toFate(row: Row): Fate {
  return {
    kind: oneOfCell(row, "fate_kind", FATES),
    atMs: numberCell(row, "fate_at"),
    priceCents: numberCell(row, "fate_price"),
  };
}
