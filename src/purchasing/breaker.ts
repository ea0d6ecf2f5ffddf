import type { Clock } from "#domain/clock.ts";
import { MarketplaceError, type MarketplaceErrorCode } from "#marketplace/errors.ts";
import type { Access, Checkout } from "#marketplace/marketplace.ts";

/** A circuit breaker on the marketplace's answers: enough faults among enough requests stop all purchases. */
export interface Breaker {
  /**
   * @param about the account of the call; absent: none. A fault after the first byte may concern this account alone
   * (its address, its card, a ban): only a few such faults count per minute, and of some kinds a single one, so that no
   * person can stop everyone
   */
  count(isFault: boolean, about?: FaultOf): void;
  /** Whether the share of faults exceeds the limit now. */
  isTripped(): boolean;
  /** Accounts whose own calls exceed the limit: each is returned once, and judged by later calls from then on. */
  takeFaulty(): readonly string[];
  /** Long enough without faults, except of one or two accounts. */
  isClean(): boolean;
}

interface FaultOf {
  readonly account: string | undefined;
  /** Faults that most likely concern the account alone count once a minute. */
  readonly isLikelyItsOwn?: boolean;
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
  readonly isLikelyItsOwn: boolean;
}

export function createBreaker(clock: Clock): Breaker {
  let samples: Sample[] = [];
  const judgedAtMs = new Map<string, number>();

  const recent = (): readonly Sample[] => {
    const sinceMs = clock.nowMs() - WINDOW_MS;
    if (samples[0] !== undefined && samples[0].atMs <= sinceMs)
      samples = samples.filter((sample) => sample.atMs > sinceMs);
    return samples;
  };

  return {
    count(isFault, { account, isLikelyItsOwn = false } = { account: undefined }) {
      samples.push({ atMs: clock.nowMs(), isFault, account, isLikelyItsOwn });
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
      for (const [account, atMs] of judgedAtMs) if (nowMs - atMs > WINDOW_MS) judgedAtMs.delete(account);
      const faulty = byAccount(recent())
        .filter(([account, own]) => {
          const since = own.filter(({ atMs }) => atMs > (judgedAtMs.get(account) ?? -Infinity));
          return since.length >= MIN_REQUESTS && shareOfFaults(since) > MAX_FAULT_SHARE;
        })
        .map(([account]) => account);
      for (const account of faulty) judgedAtMs.set(account, nowMs);
      return faulty;
    },
    isClean() {
      const faults = recent().filter(({ isFault }) => isFault);
      const isOfNobody = faults.some(({ account }) => account === undefined);
      return !isOfNobody && byAccount(faults).length < MANY_ACCOUNTS;
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
  return samples.filter(({ isFault, isLikelyItsOwn }) => isFault && !isLikelyItsOwn).length / samples.length;
}

function faultsThatCount(samples: readonly Sample[]): number {
  const faults = samples.filter(({ isFault }) => isFault);
  const ofAccounts = byAccount(faults).map(([, own]) => {
    const likelyItsOwn = own.filter((sample) => sample.isLikelyItsOwn).length;
    return Math.min(own.length - likelyItsOwn + Math.min(likelyItsOwn, 1), MAX_FAULTS_OF_ACCOUNT);
  });
  const ofNobody = faults.filter(({ account }) => account === undefined).length;
  return ofAccounts.reduce((sum, count) => sum + count, ofNobody);
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
  const counted = async <Result>({ account }: Access, call: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await call();
      breaker.count(false, { account });
      return result;
    } catch (error) {
      const code = error instanceof MarketplaceError ? error.code : null;
      const about = code === "unreachable" ? undefined : account;
      // An unreadable answer is most likely a refusal that only this account gets.
      const isLikelyItsOwn = code === "unreadable";
      breaker.count(code !== null && FAULTS.has(code), { account: about, isLikelyItsOwn });
      throw error;
    }
  };
  return {
    openTransaction: (access, wanted) => counted(access, () => checkout.openTransaction(access, wanted)),
    buildCheckout: (access, transactionId) =>
      counted(access, () => checkout.buildCheckout(access, transactionId)),
    updateCheckout: (access, id, choices) =>
      counted(access, () => checkout.updateCheckout(access, id, choices)),
    nearbyPickupPoints: (access, near) => counted(access, () => checkout.nearbyPickupPoints(access, near)),
    turnToPay: () => checkout.turnToPay(),
    pay: (access, checkoutId, checksum, notAfterMs) =>
      counted(access, () => checkout.pay(access, checkoutId, checksum, notAfterMs)),
    payment: (access, checkoutId) => counted(access, () => checkout.payment(access, checkoutId)),
    orders: (access, page) => counted(access, () => checkout.orders(access, page)),
    transaction: (access, transactionId) =>
      counted(access, () => checkout.transaction(access, transactionId)),
    requestCancel: (access, transactionId) =>
      counted(access, () => checkout.requestCancel(access, transactionId)),
  };
}
