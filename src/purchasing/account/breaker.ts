import type { Clock } from "#domain/clock.ts";
import { MarketplaceError, type MarketplaceErrorCode } from "#marketplace/errors.ts";
import type { Access, Checkout } from "#marketplace/marketplace.ts";
import type { Log } from "#domain/log.ts";
import { asUserId, type UserId } from "#domain/ids.ts";
import type { PurchaseStore } from "#store/purchase-store.ts";
import { retryWhileAway, type StoreRetry } from "../buying-store.ts";

/** A circuit breaker on the marketplace's answers: enough faults among enough requests stop all purchases. */
export interface Breaker {
  /**
   * @param faultAccount the account of the call; absent: none. A fault after the first byte may concern this account
   * alone (its address, its card, a ban), so each account contributes only a few faults per minute, and of
   * some kinds a single one: no person can stop everyone
   */
  count(isFault: boolean, faultAccount?: FaultOf): void;
  /** Whether the share of faults exceeds the limit now. */
  isTripped(): boolean;
  /** Accounts whose own calls exceed the limit: each is returned once, and judged by later calls from then on. */
  takeFaulty(): readonly string[];
  /** Whether the last minute had no faults, except of fewer than three accounts. */
  isClean(): boolean;
}

interface FaultOf {
  readonly account: string | undefined;
  /** Faults that most likely concern the account alone: counted once per window. */
  readonly isLikelyAccountFault?: boolean;
}

const WINDOW_MS = 60_000;
const MIN_REQUESTS = 20;
const MAX_FAULT_SHARE = 0.3;
const MAX_KEPT = 10_000;
/** Per account in the window: MIN_REQUESTS × MAX_FAULT_SHARE. */
const MAX_FAULTS_OF_ACCOUNT = MIN_REQUESTS * MAX_FAULT_SHARE;
/** This many accounts with faults in the window indicate a fault of the marketplace. */
const MANY_ACCOUNTS = 3;

interface Sample {
  readonly atMs: number;
  readonly isFault: boolean;
  readonly account: string | undefined;
  readonly isLikelyAccountFault: boolean;
}

export function createBreaker(clock: Clock): Breaker {
  let samples: Sample[] = [];
  const reportedAtMs = new Map<string, number>();

  const recent = (): readonly Sample[] => {
    const sinceMs = clock.nowMs() - WINDOW_MS;
    if (samples[0] !== undefined && samples[0].atMs <= sinceMs)
      samples = samples.filter((sample) => sample.atMs > sinceMs);
    return samples;
  };

  return {
    count(isFault, { account, isLikelyAccountFault = false } = { account: undefined }) {
      samples.push({ atMs: clock.nowMs(), isFault, account, isLikelyAccountFault });
      if (samples.length > MAX_KEPT) samples = samples.slice(MAX_KEPT / 2);
    },
    isTripped() {
      const kept = recent();
      const faults = faultsThatCount(kept);
      const requests = kept.filter(({ isFault }) => !isFault).length + faults;
      return requests >= MIN_REQUESTS && faults / requests > MAX_FAULT_SHARE;
    },
    takeFaulty() {
      const nowMs = clock.nowMs();
      for (const [account, atMs] of reportedAtMs) if (nowMs - atMs > WINDOW_MS) reportedAtMs.delete(account);
      const faulty = byAccount(recent())
        .filter(([account, own]) => {
          const since = own.filter(({ atMs }) => atMs > (reportedAtMs.get(account) ?? -Infinity));
          return since.length >= MIN_REQUESTS && shareOfFaults(since) > MAX_FAULT_SHARE;
        })
        .map(([account]) => account);
      for (const account of faulty) reportedAtMs.set(account, nowMs);
      return faulty;
    },
    isClean() {
      const faults = recent().filter(({ isFault }) => isFault);
      const hasFaultWithoutAccount = faults.some(({ account }) => account === undefined);
      return !hasFaultWithoutAccount && byAccount(faults).length < MANY_ACCOUNTS;
    },
  };
}

function byAccount(samples: readonly Sample[]): readonly (readonly [string, readonly Sample[]])[] {
  const named = samples.flatMap((sample) =>
    sample.account === undefined ? [] : [{ ...sample, account: sample.account }],
  );
  return [...Map.groupBy(named, ({ account }) => account)];
}

function shareOfFaults(samples: readonly Sample[]): number {
  return (
    samples.filter(({ isFault, isLikelyAccountFault }) => isFault && !isLikelyAccountFault).length /
    samples.length
  );
}

function faultsThatCount(samples: readonly Sample[]): number {
  const faults = samples.filter(({ isFault }) => isFault);
  const ofAccounts = byAccount(faults).map(([, own]) => {
    const accountFaults = own.filter((sample) => sample.isLikelyAccountFault).length;
    return Math.min(own.length - accountFaults + Math.min(accountFaults, 1), MAX_FAULTS_OF_ACCOUNT);
  });
  const withoutAccount = faults.filter(({ account }) => account === undefined).length;
  return ofAccounts.reduce((sum, count) => sum + count, withoutAccount);
}

/** Faults of the marketplace, not of the listing, the person or the product. */
const FAULTS: ReadonlySet<MarketplaceErrorCode> = new Set<MarketplaceErrorCode>([
  "unreachable",
  "timeout",
  "broken_connection",
  "server_error",
  "redirected",
  "unreadable",
]);

/** Wraps a checkout so that each call is counted. */
export function countedCheckout(checkout: Checkout, breaker: Breaker): Checkout {
  const counted =
    <Given extends readonly [Access, ...unknown[]], Result>(call: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      const [{ account }] = given;
      try {
        const result = await call(...given);
        breaker.count(false, { account });
        return result;
      } catch (error) {
        const code = error instanceof MarketplaceError ? error.code : null;
        const faultAccount = code === "unreachable" ? undefined : account;
        // An unreadable answer is most likely a refusal that only this account gets.
        const isLikelyAccountFault = code === "unreadable";
        breaker.count(code !== null && FAULTS.has(code), { account: faultAccount, isLikelyAccountFault });
        throw error;
      }
    };
  return {
    openTransaction: counted((...given) => checkout.openTransaction(...given)),
    buildCheckout: counted((...given) => checkout.buildCheckout(...given)),
    updateCheckout: counted((...given) => checkout.updateCheckout(...given)),
    nearbyPickupPoints: counted((...given) => checkout.nearbyPickupPoints(...given)),
    turnToPay: () => checkout.turnToPay(),
    pay: counted((...given) => checkout.pay(...given)),
    payment: counted((...given) => checkout.payment(...given)),
    orders: counted((...given) => checkout.orders(...given)),
    transaction: counted((...given) => checkout.transaction(...given)),
    requestCancel: counted((...given) => checkout.requestCancel(...given)),
  };
}

/** Automatic stops: evaluated periodically, and lifted automatically only where that is safe. */
export interface Guards {
  /**
   * Stops everyone while the marketplace fails and resumes after a healthy period; an account that fails alone is
   * paused alone.
   */
  updateBreaker(): Promise<void>;
  /** Stops everyone permanently if the ledger is inconsistent. */
  auditLedger(): Promise<void>;
  /** The marketplace rejected an account: it is paused, longer each time. */
  pauseBlocked(userId: UserId): Promise<void>;
}

export interface GuardsDeps extends StoreRetry {
  readonly purchases: Pick<PurchaseStore, "switches" | "setSwitch" | "auditLedger" | "pauseAccount">;
  readonly breaker: Breaker;
  readonly log: Log;
}

/** How long the pause of an account that was turned away waits for the store. */
const PAUSE_WITHIN_MS = 10_000;
/** How long every node must be healthy before the breaker closes. */
const CLEAN_MS = 60_000;
/** While faults continue, the node that sees them reports more often than the others could resume. */
const RENEWED_AFTER_MS = 20_000;

export function createGuards(deps: GuardsDeps): Guards {
  const { purchases, breaker, clock, log } = deps;
  /** The last change of the open breaker, and when this node made or first saw it, by its own clock. */
  let seen: { readonly changedAtMs: number; readonly atMs: number } | null = null;
  const breakerSince = async (): Promise<number | null> => {
    const found = (await purchases.switches()).find(({ name }) => name === "breaker");
    if (found?.isOn !== true) seen = null;
    else if (seen?.changedAtMs !== found.changedAtMs)
      seen = { changedAtMs: found.changedAtMs, atMs: clock.nowMs() };
    return seen?.atMs ?? null;
  };
  const pauseAccount = async (userId: UserId): Promise<void> => {
    const untilMs = await purchases.pauseAccount(userId, "too many of its calls fail", clock.nowMs());
    log.warn({ userId, untilMs }, "too many calls of one account fail: its purchases rest");
  };
  return {
    async updateBreaker() {
      for (const account of breaker.takeFaulty()) await pauseAccount(asUserId(account));
      const sinceMs = await breakerSince();
      const nowMs = clock.nowMs();
      if (breaker.isTripped()) {
        if (sinceMs !== null && nowMs - sinceMs < RENEWED_AFTER_MS) return;
        if (sinceMs === null) log.error({}, "too many calls fail: everybody's purchases are stopped");
        await purchases.setSwitch({
          name: "breaker",
          isOn: true,
          reason: "too many calls to the marketplace fail",
          changedAtMs: nowMs,
        });
        seen = { changedAtMs: nowMs, atMs: nowMs };
        return;
      }
      if (sinceMs === null || !breaker.isClean() || nowMs - sinceMs < CLEAN_MS) return;
      await purchases.setSwitch({ name: "breaker", isOn: false, reason: "", changedAtMs: nowMs });
      log.info({}, "the marketplace is well again: purchases go on");
    },
    async auditLedger() {
      const nowMs = clock.nowMs();
      const findings = await purchases.auditLedger(nowMs);
      if (findings.length === 0) return;
      for (const finding of findings.slice(0, 10)) log.error({ finding }, "the books contradict themselves");
      const reason = findings[0] ?? "";
      await purchases.setSwitch({ name: "auditor", isOn: true, reason, changedAtMs: nowMs });
    },
    async pauseBlocked(userId) {
      const nowMs = clock.nowMs();
      const untilMs = await retryWhileAway(deps, nowMs + PAUSE_WITHIN_MS, () =>
        purchases.pauseAccount(userId, "the marketplace turned the account away", nowMs),
      );
      log.warn({ userId, untilMs }, "the marketplace turned an account away: its purchases rest");
    },
  };
}
