import type { Clock } from "#domain/clock.ts";
import type { UserId } from "#domain/ids.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Access } from "#marketplace/marketplace.ts";
import type { AccountSessions } from "./account-sessions.ts";

/** Calls in a person's session that respect the marketplace's rate limits for that session. */
export interface AccountCalls {
  /**
   * Throws a MarketplaceError `rate_limited` without sending anything while the marketplace has asked this account to
   * wait; checked again after waiting for the budget.
   */
  call<Result>(
    userId: UserId,
    action: (access: Access) => Promise<Result>,
    options: { readonly retryOn401: boolean },
  ): Promise<Result>;
  /** A pause that another process reported. */
  pause(userId: UserId, untilMs: number): void;
}

export interface AccountCallsDeps {
  readonly sessions: AccountSessions;
  readonly clock: Clock;
  /** The marketplace rejected this account: 403, or a page for humans. */
  readonly onBlocked: (userId: UserId) => Promise<void>;
  /** Called whenever an account is asked to wait. */
  readonly onPaused: (userId: UserId, untilMs: number) => Promise<void>;
}

const DEFAULT_PAUSE_MS = 1_000;

export function createAccountCalls({ sessions, clock, onBlocked, onPaused }: AccountCallsDeps): AccountCalls {
  // Few at any time: an entry is removed with the first call after its end.
  const pausedUntilMs = new Map<UserId, number>();

  const waitOrRefuse = (userId: UserId): void => {
    const untilMs = pausedUntilMs.get(userId);
    if (untilMs === undefined) return;
    const retryAfterMs = untilMs - clock.nowMs();
    if (retryAfterMs > 0) throw new MarketplaceError("rate_limited", { retryAfterMs });
    pausedUntilMs.delete(userId);
  };

  const polite = (userId: UserId, access: Access): Access => ({
    reveal: () => access.reveal(),
    account: userId,
    mayStillLeave: () => waitOrRefuse(userId),
  });

  /** Concurrent calls may be told different waits: the longest applies. */
  const pause = (userId: UserId, untilMs: number): void => {
    if (untilMs > (pausedUntilMs.get(userId) ?? 0)) pausedUntilMs.set(userId, untilMs);
  };

  const learn = async (userId: UserId, error: unknown): Promise<void> => {
    if (!(error instanceof MarketplaceError)) return;
    if (error.code === "rate_limited") {
      const untilMs = clock.nowMs() + (error.retryAfterMs ?? DEFAULT_PAUSE_MS);
      pause(userId, untilMs);
      await onPaused(userId, untilMs);
    }
    if (error.code === "blocked") await onBlocked(userId);
  };

  return {
    pause,
    async call(userId, action, options) {
      waitOrRefuse(userId);
      try {
        return await sessions.withAccess(userId, (access) => action(polite(userId, access)), options);
      } catch (error) {
        await learn(userId, error);
        throw error;
      }
    },
  };
}
