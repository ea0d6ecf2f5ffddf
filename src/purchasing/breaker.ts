import type { Clock } from "#domain/clock.ts";
import { MarketplaceError, type MarketplaceErrorCode } from "#marketplace/errors.ts";
import type { Access, Checkout } from "#marketplace/marketplace.ts";

/** How the marketplace answers: enough faults among enough requests stop everybody's purchases. */
export interface Breaker {
  /**
   * @param about whose call it was; absent: nobody's. Whatever a call of an account meets once its first byte left may
   *   be of that account alone (its address, its card, a bar that the marketplace put on it): a few such faults count a
   *   minute, so that no one person stops everybody, and of some kinds a single one
   */
  count(isFault: boolean, about?: FaultOf): void;
  /** Whether the share of faults is past bearing now. */
  isTripped(): boolean;
  /** Accounts whose own calls fail past bearing: each is named once, and judged by later calls from then on. */
  takeFaulty(): readonly string[];
  /** Long enough without a single fault but of one or two accounts. */
  isClean(): boolean;
}

interface FaultOf {
  readonly account: string | undefined;
  /** What is most likely of the account alone counts once a minute. */
  readonly isLikelyItsOwn?: boolean;
}

const WINDOW_MS = 60_000;
const MIN_REQUESTS = 20;
const MAX_FAULT_SHARE = 0.3;
const MAX_KEPT = 10_000;
/** Of one account in the window: as many as are borne among the fewest requests that are judged. */
const MAX_FAULTS_OF_ACCOUNT = MIN_REQUESTS * MAX_FAULT_SHARE;
/** So many accounts at fault within the window speak of the marketplace. */
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

/** What is the marketplace's fault, not the listing's, the person's or ours. */
const FAULTS: ReadonlySet<MarketplaceErrorCode> = new Set<MarketplaceErrorCode>([
  "unreachable",
  "timeout",
  "broken_connection",
  "server_error",
  "redirected",
  "unreadable",
]);

/** The same checkout, each of whose calls is counted. */
export function countedCheckout(checkout: Checkout, breaker: Breaker): Checkout {
  const counted = async <Result>({ account }: Access, call: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await call();
      breaker.count(false, { account });
      return result;
    } catch (error) {
      const code = error instanceof MarketplaceError ? error.code : null;
      const about = code === "unreachable" ? undefined : account;
      // What cannot be read is most likely a refusal that only this account meets.
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
