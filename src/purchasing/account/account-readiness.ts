import type { UserId } from "#domain/ids.ts";
import type { Log } from "#domain/log.ts";
import type { Clock } from "#domain/clock.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { AccountCalls } from "./account-sessions.ts";
import type { BuyingStore } from "../buying-store.ts";
import { evidenceOf } from "../decide/classify.ts";
import type { OrderSweep } from "../reconcile/order-sweep.ts";

/**
 * Prepares accounts for paying. No account submits a payment before this process has read its orders once, so
 * that the outcome of an earlier process's payments is known.
 */
export interface AccountReadiness {
  /**
   * Reads the account's orders unless this process has read them already. Throws if they cannot be read, and a
   * MarketplaceError `unauthorised` if another account is connected by now.
   * @param connectedAtMs of the account that is to buy
   */
  ready(userId: UserId, connectedAtMs: number): Promise<void>;
  /**
   * Reads the orders of the connected account and obtains an access token before the first wish. Never throws.
   */
  prepare(userId: UserId): Promise<void>;
  /** All connected accounts, those with open purchases first. */
  prepareAll(): Promise<void>;
  /** Obtains access tokens for people whose filters buy automatically. */
  warmAll(): Promise<void>;
  /** The regular sweep: each account once per interval over all nodes. */
  sweepAll(): Promise<void>;
}

export interface AccountReadinessDeps {
  readonly store: Pick<BuyingStore, "purchases" | "accounts">;
  readonly calls: Pick<AccountCalls, "call">;
  readonly orderSweep: OrderSweep;
  readonly clock: Clock;
  readonly log: Log;
  readonly isStopping: () => boolean;
}

export const SWEEP_INTERVAL_MS = 10 * 60_000;

export function createAccountReadiness(deps: AccountReadinessDeps): AccountReadiness {
  const { store, calls, orderSweep, clock, log } = deps;
  /** Each settles with the `connectedAtMs` of the account whose orders were read. */
  const reads = new Map<UserId, Promise<number>>();

  const readOrders = async (userId: UserId): Promise<number> => {
    const read = orderSweep.sweep(userId);
    reads.set(userId, read);
    try {
      return await read;
    } catch (error) {
      if (reads.get(userId) === read) reads.delete(userId);
      throw error;
    }
  };

  const ready = async (userId: UserId, connectedAtMs: number): Promise<void> => {
    const known = reads.get(userId);
    if (known !== undefined && (await known) === connectedAtMs) return;
    // Another account has other orders.
    const current = reads.get(userId);
    const read = current === known || current === undefined ? readOrders(userId) : current;
    if ((await read) !== connectedAtMs) throw new MarketplaceError("unauthorised");
  };

  const quietly = async (userId: UserId, act: (userId: UserId) => Promise<unknown>): Promise<void> => {
    try {
      await act(userId);
    } catch (error) {
      log.warn({ userId, ...evidenceOf(error) }, "an account could not be prepared");
    }
  };

  /** A purchase then need not wait for the token. */
  const warm = (userId: UserId): Promise<void> =>
    calls.call(userId, async () => undefined, { retryOn401: false });

  const prepare = async (userId: UserId): Promise<void> => {
    const account = await store.accounts.tokens(userId);
    // A missing account, or one that must be reconnected, needs no preparation.
    if (account?.state !== "connected") return;
    await quietly(userId, () => ready(userId, account.connectedAtMs));
    await quietly(userId, warm);
  };

  const each = async (userIds: Iterable<UserId>, act: (userId: UserId) => Promise<void>): Promise<void> => {
    for (const userId of userIds) {
      if (deps.isStopping()) return;
      await act(userId);
    }
  };

  return {
    ready,
    prepare,
    async prepareAll() {
      const open = await store.purchases.userIdsWithOpenPurchases();
      const buying = await store.purchases.userIdsWithAutobuy();
      const connected = await store.accounts.connectedUserIds();
      await each(new Set([...open, ...buying, ...connected]), prepare);
    },
    async warmAll() {
      const buying = await store.purchases.userIdsWithAutobuy();
      await each(buying, (userId) => quietly(userId, warm));
    },
    async sweepAll() {
      await each(await store.accounts.connectedUserIds(), async (userId) => {
        const nowMs = clock.nowMs();
        const isOurs = await store.purchases.claimSweep(userId, nowMs, nowMs - SWEEP_INTERVAL_MS / 2);
        if (isOurs) await quietly(userId, (id) => orderSweep.sweep(id));
      });
    },
  };
}
