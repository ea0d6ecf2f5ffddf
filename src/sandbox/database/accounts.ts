import { type Sqlite, numberCell, textCell, type Row } from "./database.ts";
import { mapRow } from "./listings.ts";
import { parseCheckoutAddress, type CheckoutAddress } from "../market/order.ts";

export interface MarketAccount {
  readonly id: number;
  /** The persona's NAME. */
  readonly name: string;
  readonly walletCents: number;
  readonly cardId: number;
  /** The delivery address of the last checkout. */
  readonly address: CheckoutAddress | null;
}

export interface TokenFamily {
  readonly id: number;
  readonly accountId: number;
  readonly isRevoked: boolean;
}

export interface StoredRefreshToken {
  readonly family: TokenFamily;
  readonly generation: number;
  /** The family's newest generation; older tokens have been exchanged. */
  readonly newestGeneration: number;
}

export interface AccountTable {
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

export function createAccountTable({ sql }: Sqlite): AccountTable {
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
