import type { Clock } from "#domain/clock.ts";
import { MarketplaceError, type MarketplaceErrorCode } from "#marketplace/errors.ts";
import type { Access, Checkout } from "#marketplace/marketplace.ts";

/** How the marketplace answers: enough faults among enough requests stop everybody's purchases. */
export interface Breaker {
  /**
   * @param account whose call met the fault, where it may be of that account alone (its address, its card, a bar that
   *   the marketplace put on it): such faults count once a minute for each account, so that no one person stops everybody
   */
  count(isFault: boolean, account?: string): void;
  /** Whether the share of faults is past bearing now. */
  isTripped(): boolean;
  /** Long enough without a single fault. */
  isClean(): boolean;
}

const WINDOW_MS = 60_000;
const MIN_REQUESTS = 20;
const MAX_FAULT_SHARE = 0.3;
const MAX_KEPT = 10_000;

interface Sample {
  readonly atMs: number;
  readonly isFault: boolean;
  readonly account: string | undefined;
}

export function createBreaker(clock: Clock): Breaker {
  let samples: Sample[] = [];
  let lastFaultAtMs = -Infinity;

  const recent = (): readonly Sample[] => {
    const sinceMs = clock.nowMs() - WINDOW_MS;
    if (samples[0] !== undefined && samples[0].atMs <= sinceMs)
      samples = samples.filter((sample) => sample.atMs > sinceMs);
    return samples;
  };

  return {
    count(isFault, account) {
      const atMs = clock.nowMs();
      if (account !== undefined && recent().some((sample) => sample.account === account)) return;
      if (isFault && account === undefined) lastFaultAtMs = atMs;
      samples.push({ atMs, isFault, account });
      if (samples.length > MAX_KEPT) samples = samples.slice(MAX_KEPT / 2);
    },
    isTripped() {
      const kept = recent();
      const faults = kept.filter((sample) => sample.isFault).length;
      return kept.length >= MIN_REQUESTS && faults / kept.length > MAX_FAULT_SHARE;
    },
    isClean: () => clock.nowMs() - lastFaultAtMs >= WINDOW_MS,
  };
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
      breaker.count(false);
      return result;
    } catch (error) {
      const code = error instanceof MarketplaceError ? error.code : null;
      // What cannot be read may be a refusal that only this account meets.
      breaker.count(code !== null && FAULTS.has(code), code === "unreadable" ? account : undefined);
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
