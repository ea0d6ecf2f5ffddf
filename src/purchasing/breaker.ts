import type { Clock } from "#domain/clock.ts";
import { MarketplaceError, type MarketplaceErrorCode } from "#marketplace/errors.ts";
import type { Checkout } from "#marketplace/marketplace.ts";

/** How the marketplace answers: enough faults among enough requests stop everybody's purchases. */
export interface Breaker {
  count(isFault: boolean): void;
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
    count(isFault) {
      const atMs = clock.nowMs();
      if (isFault) lastFaultAtMs = atMs;
      samples.push({ atMs, isFault });
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
  const counted = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await call();
      breaker.count(false);
      return result;
    } catch (error) {
      breaker.count(error instanceof MarketplaceError && FAULTS.has(error.code));
      throw error;
    }
  };
  return {
    openTransaction: (access, wanted) => counted(() => checkout.openTransaction(access, wanted)),
    buildCheckout: (access, transactionId) => counted(() => checkout.buildCheckout(access, transactionId)),
    updateCheckout: (access, id, choices) => counted(() => checkout.updateCheckout(access, id, choices)),
    nearbyPickupPoints: (access, near) => counted(() => checkout.nearbyPickupPoints(access, near)),
    turnToPay: () => checkout.turnToPay(),
    pay: (access, checkoutId, checksum, notAfterMs) =>
      counted(() => checkout.pay(access, checkoutId, checksum, notAfterMs)),
    payment: (access, checkoutId) => counted(() => checkout.payment(access, checkoutId)),
    orders: (access, page) => counted(() => checkout.orders(access, page)),
    transaction: (access, transactionId) => counted(() => checkout.transaction(access, transactionId)),
    requestCancel: (access, transactionId) => counted(() => checkout.requestCancel(access, transactionId)),
  };
}
