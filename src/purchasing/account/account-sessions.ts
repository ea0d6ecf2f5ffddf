import { sleep, type Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { UserId } from "#domain/ids.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Secret } from "#domain/secret.ts";
import { MarketplaceError } from "#marketplace/errors.ts";
import type { Marketplace, TokenPair, Access } from "#marketplace/marketplace.ts";
import type { AccountTokens } from "#store/purchase-facts.ts";
import type { AccountStore, RefreshClaim, RefreshClaimOutcome } from "#store/store.ts";
import { retryWhileAway, type StoreRetry } from "../buying-store.ts";

/** People's marketplace sessions: provides valid access tokens and rotates them one at a time. */
export interface AccountSessions {
  /**
   * Calls with an access token that is valid for at least a minute. A 401 discards the token; with `retryOn401` the
   * call is repeated once with a new one. Throws a MarketplaceError `session_refused` if the person must reconnect the
   * account.
   */
  withAccess<Result>(
    userId: UserId,
    call: (access: Secret) => Promise<Result>,
    options: AccessOptions,
  ): Promise<Result>;
}

interface AccessOptions {
  readonly retryOn401: boolean;
  /** The session as the caller has read it just now: used while it is valid, instead of reading it again. */
  readonly tokens?: AccountTokens | null;
  /**
   * `connectedAtMs` of the account that the call is about: once the person has connected another, the call fails as
   * `unauthorised` and is not sent.
   */
  readonly connectedAtMs?: number;
  /** Called with the session once it is read, and again when a refresh is about to leave; throws if it must not be used. */
  readonly mayUse?: (tokens: AccountTokens) => void;
}

export interface AccountSessionsDeps extends StoreRetry {
  readonly accounts: AccountStore;
  readonly marketplace: Pick<Marketplace, "refreshTokens">;
  readonly events: EventBus;
  readonly log: Log;
  /** Identifies this process. */
  readonly owner: string;
  /** False once another process may have taken this one's claims over. */
  readonly isAlive: () => boolean;
}

type RefreshDeps = AccountSessionsDeps & Required<Pick<AccessOptions, "mayUse">>;

const MIN_REMAINING_MS = 60_000;
const CLAIM_MS = 30_000;
/** For the answer (10 s) and for storing it: later, the claim may be taken over before the pair is stored. */
const ANSWER_MS = 12_000;
const CLAIM_POLL_MS = 100;
/** Counted instead of measured by a clock, which may jump: a claim seen this often is at least `CLAIM_MS` old. */
const ABANDONED_AFTER_POLLS = CLAIM_MS / CLAIM_POLL_MS;
/** Long enough to outlast a claim that was made a moment before. */
const MAX_POLLS = ABANDONED_AFTER_POLLS + 50;

type UsableTokens = AccountTokens & { readonly accessToken: Secret };
type IsUsable = (userId: UserId, tokens: AccountTokens) => tokens is UsableTokens;

export function createAccountSessions(deps: AccountSessionsDeps): AccountSessions {
  const { accounts, clock } = deps;
  const refreshing = new Map<UserId, Promise<UsableTokens>>();
  // The generation whose access token the marketplace rejected although it should still be valid.
  const refusedGeneration = new Map<UserId, number>();

  const isUsable = (userId: UserId, tokens: AccountTokens): tokens is UsableTokens =>
    tokens.accessToken !== null &&
    tokens.accessExpiresAtMs - clock.nowMs() > MIN_REMAINING_MS &&
    refusedGeneration.get(userId) !== tokens.generation;

  const usableTokens = async (userId: UserId, { mayUse = anyMay }: AccessOptions): Promise<UsableTokens> => {
    const tokens = await connectedTokens({ accounts, mayUse }, userId);
    if (isUsable(userId, tokens)) return tokens;
    const underWay = refreshing.get(userId);
    if (underWay !== undefined) return await underWay;
    const refresh = refreshOnce({ ...deps, mayUse }, userId, isUsable).finally(() =>
      refreshing.delete(userId),
    );
    refreshing.set(userId, refresh);
    return await refresh;
  };

  return {
    async withAccess(userId, call, options) {
      const { retryOn401, tokens: known = null, connectedAtMs, mayUse = anyMay } = options;
      const isKnown = known !== null && known.state === "connected" && isUsable(userId, known);
      if (isKnown) mayUse(known);
      const ofAccount = (tokens: UsableTokens): UsableTokens => {
        if (connectedAtMs !== undefined && tokens.connectedAtMs !== connectedAtMs)
          throw new MarketplaceError("unauthorised");
        return tokens;
      };
      const tokens = ofAccount(isKnown ? known : await usableTokens(userId, options));
      try {
        return await call(tokens.accessToken);
      } catch (error) {
        if (!(error instanceof MarketplaceError) || error.code !== "unauthorised") throw error;
        refusedGeneration.set(userId, tokens.generation);
        if (!retryOn401) throw error;
        return await call(ofAccount(await usableTokens(userId, options)).accessToken);
      }
    },
  };
}

const anyMay = (): void => undefined;

async function connectedTokens(
  { accounts, mayUse }: Pick<RefreshDeps, "accounts" | "mayUse">,
  userId: UserId,
): Promise<AccountTokens> {
  const tokens = await accounts.tokens(userId);
  if (tokens === null || tokens.state !== "connected") throw new MarketplaceError("session_refused");
  mayUse(tokens);
  return tokens;
}

/**
 * One refresh per account at a time, over all nodes: the holder of the claim calls the marketplace, the others wait for
 * the generation to change.
 */
async function refreshOnce(deps: RefreshDeps, userId: UserId, isUsable: IsUsable): Promise<UsableTokens> {
  const { accounts, clock, owner } = deps;
  let seen: SeenClaim | null = null;
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    const tokens = await connectedTokens(deps, userId);
    if (isUsable(userId, tokens)) return tokens;
    const untilMs = clock.nowMs() + CLAIM_MS;
    const outcome: RefreshClaimOutcome = await accounts.claimRefresh(userId, {
      generation: tokens.generation,
      owner,
      untilMs,
      abandoned: seen !== null && seen.polls >= ABANDONED_AFTER_POLLS ? seen.claim : null,
    });
    if (outcome.kind === "claimed") return await rotate(deps, userId, tokens, untilMs - ANSWER_MS);
    seen = outcome.kind === "held" ? seenAgain(seen, outcome.by) : null;
    await sleep(clock, CLAIM_POLL_MS);
  }
  throw new MarketplaceError("timeout");
}

interface SeenClaim {
  readonly claim: RefreshClaim;
  readonly polls: number;
}

function seenAgain(before: SeenClaim | null, claim: RefreshClaim): SeenClaim {
  const isSame = before?.claim.owner === claim.owner && before.claim.untilMs === claim.untilMs;
  return { claim, polls: isSame ? before.polls + 1 : 0 };
}

async function rotate(
  deps: RefreshDeps,
  userId: UserId,
  tokens: AccountTokens,
  notAfterMs: number,
): Promise<UsableTokens> {
  const { accounts, owner } = deps;
  try {
    const pair = await requestTokenPair(deps, tokens, notAfterMs);
    // Committed before its access token is used: a crash must not leave the invalid refresh token behind.
    const isSaved = await savedPair(deps, userId, { generation: tokens.generation, ...pair });
    // The person saved another token meanwhile: theirs applies, this pair is discarded.
    if (!isSaved) throw new MarketplaceError("unauthorised");
    return { ...tokens, ...pair, generation: tokens.generation + 1 };
  } catch (error) {
    // While the store is unavailable the claim remains: it expires, and the first failure is the one to report.
    await accounts.releaseRefresh(userId, owner).catch((cause: unknown) => {
      if (!deps.isStoreAway(cause)) throw cause;
    });
    if (isRefusal(error)) await markRefused(deps, userId, tokens.generation);
    throw error;
  }
}

/**
 * The marketplace accepts the old refresh token no more and would treat its reuse as theft: a pair that could not be
 * stored is kept in memory and stored as soon as the store answers. False if the person saved another token meanwhile.
 */
async function savedPair(
  deps: AccountSessionsDeps,
  userId: UserId,
  pair: TokenPair & { readonly generation: number },
): Promise<boolean> {
  const { accounts, clock } = deps;
  return await retryWhileAway(deps, clock.nowMs() + CLAIM_MS, async (isRepeated) => {
    if (await accounts.saveRotation(userId, pair)) return true;
    if (!isRepeated) return false;
    // Only the answer to the first call may have been lost.
    const saved = await accounts.tokens(userId);
    const isThisPair = saved?.refreshToken.reveal() === pair.refreshToken.reveal();
    return isThisPair && saved?.generation === pair.generation + 1;
  });
}

/** Answers that forbid another request now, whatever their shape. */
const HELD_OFF: ReadonlySet<MarketplaceError["code"]> = new Set(["blocked", "rate_limited"]);

/**
 * After a lost answer one immediate retry with the same token; never a loop. The wait for the budget may outlast the
 * claim: after `notAfterMs`, or once this process counts as dead, nothing is sent, since another node may have used the
 * token.
 */
async function requestTokenPair(
  deps: RefreshDeps,
  tokens: AccountTokens,
  notAfterMs: number,
): Promise<TokenPair> {
  const { clock, isAlive, mayUse } = deps;
  const { refreshToken } = tokens;
  const refuseLate = (): void => {
    if (clock.nowMs() > notAfterMs || !isAlive()) throw new MarketplaceError("too_late");
    mayUse(tokens);
  };
  try {
    return await deps.marketplace.refreshTokens(refreshToken, refuseLate);
  } catch (error) {
    if (!(error instanceof MarketplaceError) || error.isDefinite || HELD_OFF.has(error.code)) throw error;
    deps.log.warn({ code: error.code }, "the answer to a token refresh was lost: asking once more");
    // Too late for the retry: it is the lost answer that is reported, which leaves open what the token did.
    return await deps.marketplace.refreshTokens(refreshToken, refuseLate).catch((second: unknown) => {
      throw second instanceof MarketplaceError && second.code === "too_late" ? error : second;
    });
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof MarketplaceError &&
    error.isDefinite &&
    (error.code === "session_refused" || error.code === "unauthorised")
  );
}

async function markRefused(deps: AccountSessionsDeps, userId: UserId, generation: number): Promise<void> {
  await deps.accounts.markRefused(userId, generation, deps.clock.nowMs());
  await deps.events.publish({ kind: "settings_changed", userId });
}

/** Calls in a person's session that respect the marketplace's rate limits for that session. */
export interface AccountCalls {
  /**
   * Throws a MarketplaceError `rate_limited` without sending anything, not even a refresh of the token, while the
   * marketplace has asked this account to wait, whichever process it asked; checked again after waiting for the budget.
   */
  call<Result>(
    userId: UserId,
    action: (access: Access) => Promise<Result>,
    options: Omit<AccessOptions, "mayUse">,
  ): Promise<Result>;
  /** A pause that another process reported. */
  pause(userId: UserId, untilMs: number): void;
}

export interface AccountCallsDeps {
  readonly sessions: AccountSessions;
  readonly clock: Clock;
  readonly log: Log;
  /** The marketplace rejected this account: 403, or a page for humans. */
  readonly onBlocked: (userId: UserId) => Promise<void>;
  /** Called whenever the marketplace asks an account to wait: must make it known to other processes and later ones. */
  readonly onPaused: (userId: UserId, untilMs: number) => Promise<void>;
}

const DEFAULT_PAUSE_MS = 1_000;

export function createAccountCalls({
  sessions,
  clock,
  log,
  onBlocked,
  onPaused,
}: AccountCallsDeps): AccountCalls {
  // Few at any time: an entry is removed with the first call after its end.
  const pausedUntilMs = new Map<UserId, number>();

  /** Why nothing may be sent now. */
  const refusal = (userId: UserId): MarketplaceError | null => {
    const untilMs = pausedUntilMs.get(userId);
    if (untilMs === undefined) return null;
    const retryAfterMs = untilMs - clock.nowMs();
    if (retryAfterMs > 0) return new MarketplaceError("rate_limited", { retryAfterMs });
    pausedUntilMs.delete(userId);
    return null;
  };

  /** Concurrent calls may receive different waits: the longest applies. */
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
      let ownRefusal: MarketplaceError | null = null;
      const waitOrRefuse = (): void => {
        ownRefusal = refusal(userId);
        if (ownRefusal !== null) throw ownRefusal;
      };
      const mayUse = ({ askedToWaitUntilMs }: AccountTokens): void => {
        pause(userId, askedToWaitUntilMs);
        waitOrRefuse();
      };
      waitOrRefuse();
      try {
        return await sessions.withAccess(
          userId,
          (access) => action({ reveal: () => access.reveal(), account: userId, mayStillLeave: waitOrRefuse }),
          { ...options, mayUse },
        );
      } catch (error) {
        // Nothing was asked of the marketplace, so it answered nothing new.
        if (error === ownRefusal) throw error;
        // Whatever fails here, the marketplace's answer is the one that counts.
        await learn(userId, error).catch((cause: unknown) => {
          log.error(describeError(cause), "what the marketplace asked of an account could not be stored");
        });
        throw error;
      }
    },
  };
}
