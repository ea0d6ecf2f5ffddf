import type { Seller } from "./listing.ts";

/** A seller whose listings are neither shown to the person nor bought. */
export interface BlockedSeller {
  /** The marketplace's id; null: only the login is known. */
  readonly sellerId: number | null;
  readonly login: string;
  readonly sinceMs: number;
}

export type SellerName = Pick<BlockedSeller, "sellerId" | "login">;

/** Logins are compared case-insensitively. */
export function foldLogin(login: string): string {
  return login.toLowerCase();
}

/** A person's block list for matching: by id, and by login for entries without an id. */
export class BlockedSellers {
  static readonly NONE = new BlockedSellers([]);

  readonly #ids: ReadonlySet<number>;
  readonly #logins: ReadonlySet<string>;

  constructor(blocked: readonly SellerName[]) {
    this.#ids = new Set(blocked.map(({ sellerId }) => sellerId).filter((id) => id !== null));
    this.#logins = new Set(
      blocked.filter(({ sellerId }) => sellerId === null).map(({ login }) => foldLogin(login)),
    );
  }

  has({ id, login }: Pick<Seller, "id" | "login">): boolean {
    return this.#ids.has(id) || (this.#logins.size > 0 && this.#logins.has(foldLogin(login)));
  }
}

/** The archive of the market knows sellers by their id only. */
export function blockedIds(blocked: readonly SellerName[]): readonly number[] {
  return blocked.flatMap(({ sellerId }) => sellerId ?? []);
}

/**
 * The list after blocking further sellers. Known sellers keep their entry; one blocked by login gets the id
 * once it is known, and one with a new login gets that.
 */
export function withBlocked(
  before: readonly BlockedSeller[],
  added: readonly SellerName[],
  nowMs: number,
): readonly BlockedSeller[] {
  const entries = [...before];
  for (const { sellerId, login } of added) {
    const hasLogin = (entry: BlockedSeller): boolean => foldLogin(entry.login) === foldLogin(login);
    const byId = entries.findIndex((entry) => sellerId !== null && entry.sellerId === sellerId);
    const byLogin = entries.findIndex(
      (entry) => hasLogin(entry) && (sellerId === null || entry.sellerId === null),
    );
    const at = byId === -1 ? byLogin : byId;
    const known = entries[at];
    if (known === undefined) entries.push({ sellerId, login, sinceMs: nowMs });
    else if (sellerId !== null && (known.sellerId !== sellerId || known.login !== login))
      entries[at] = { sellerId, login, sinceMs: known.sinceMs };
  }
  return entries;
}
