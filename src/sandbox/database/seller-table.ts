import type { MarketSeller, SellerProfile } from "../market/listing.ts";
import { numberCell, type Sqlite, textCell } from "./database.ts";

/** Profiles of the sellers named in control calls, and the logins of all sellers. */
export interface SellerTable {
  /** The profile of a seller named in a control call; null for others. */
  byId(id: number): (SellerProfile & { readonly login: string }) | null;
  /** The id last given to this login in a control call; null for an unknown login. */
  idOf(login: string): number | null;
  /** The login of a seller with a listing; null for others. */
  loginOf(id: number): string | null;
  /** Applies to every seller with this login; absent fields keep their stored value, else the default. */
  note(seller: MarketSeller, profile: Partial<SellerProfile>): void;
}

const DEFAULT_PROFILE: SellerProfile = { rating: 4.8, reviews: 50, country: "FR" };

export function createSellerTable({ sql }: Pick<Sqlite, "sql">): SellerTable {
  const byId = sql.prepare("SELECT * FROM seller WHERE id = ?");
  const byLogin = sql.prepare("SELECT * FROM seller WHERE login = ? LIMIT 1");
  const idOf = sql.prepare(`SELECT id FROM seller WHERE login = ?
    ORDER BY (SELECT max(listing.id) FROM listing WHERE seller_id = seller.id) DESC LIMIT 1`);
  const loginOf = sql.prepare(
    "SELECT seller_login FROM listing WHERE seller_id = ? ORDER BY id DESC LIMIT 1",
  );
  const insert = sql.prepare(
    "INSERT INTO seller VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET login = excluded.login",
  );
  const update = sql.prepare("UPDATE seller SET rating = ?, reviews = ?, country = ? WHERE login = ?");
  const read = (row: ReturnType<typeof byId.get>) =>
    row === undefined
      ? null
      : {
          login: textCell(row, "login"),
          rating: row["rating"] === null ? null : numberCell(row, "rating"),
          reviews: numberCell(row, "reviews"),
          country: textCell(row, "country"),
        };
  return {
    byId: (id) => read(byId.get(id)),
    idOf(login) {
      const row = idOf.get(login);
      return row === undefined ? null : numberCell(row, "id");
    },
    loginOf(id) {
      const row = loginOf.get(id);
      return row === undefined ? null : textCell(row, "seller_login");
    },
    note({ id, login }, profile) {
      const { rating, reviews, country } = { ...DEFAULT_PROFILE, ...read(byLogin.get(login)), ...profile };
      insert.run(id, login, rating, reviews, country);
      update.run(rating, reviews, country, login);
    },
  };
}
