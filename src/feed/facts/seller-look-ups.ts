/**
 * Requests sellers' profiles for filters that require their facts: once per seller and 24 hours over all
 * nodes. Has its own lane of the request budget; a refusal pauses the look-ups, not the feed.
 */
import { LRUCache } from "lru-cache";
import PQueue from "p-queue";
import { type Clock, lifetimesBy, sleep } from "#domain/clock.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { SellerFacts } from "#domain/market/seller.ts";
import { isNotFound, MarketplaceError } from "#marketplace/errors.ts";
import type { SellerPages } from "#marketplace/marketplace.ts";
import type { RequestBudget } from "#marketplace/request-budget.ts";
import type { SellerFactStore } from "#store/market-store.ts";
import type { MatchClass } from "#matching/filter-index.ts";

export interface SellerLookUpsParts {
  readonly pages: SellerPages;
  readonly store: Pick<SellerFactStore, "known" | "claim" | "save" | "release" | "pause">;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly log: Log;
  /** False where look-ups have no share of the request budget: none is sent. */
  readonly isOn: boolean;
  /** Other nodes may look up the same sellers. */
  readonly isShared: boolean;
  /** Whether the marketplace refuses the feed's requests. */
  readonly isMarketPaused: () => boolean;
  /** Called with each answer that this node received. */
  readonly onKnown: (sellerId: number, facts: SellerFacts) => void;
}

export interface SellerQuestion {
  /** Thunder first, and within a rank the newest listing, because old ones are no longer bought. */
  readonly rank: MatchClass;
  readonly firstSeenAtMs: number;
  readonly untilMs: number;
  /** Resolves with null as soon as no request may be sent, instead of at `untilMs`. */
  readonly mayEndEarly: boolean;
  /** False once the answer is no longer needed: no request is sent for it. */
  readonly isWanted: () => boolean;
}

interface Waiter extends SellerQuestion {
  readonly resolve: (facts: SellerFacts | null) => void;
}

interface LookUp {
  readonly sellerId: number;
  readonly waiters: Set<Waiter>;
  /** Another node's claim, as this one last read it. */
  claimSeen: ClaimSeen | null;
}

interface ClaimSeen {
  readonly untilMs: number;
  /** It was observed for the whole lifetime of a claim. */
  isLapsed: boolean;
}

type Outcome =
  | { readonly kind: "known"; readonly facts: SellerFacts }
  | { readonly kind: "failed" }
  /** Another node sends the request, or the answer is no longer needed. */
  | { readonly kind: "elsewhere" }
  /** No request before this moment. */
  | { readonly kind: "barred"; readonly untilMs: number };

const RANKS: Readonly<Record<MatchClass, number>> = { thunder: 2, acquire: 1, shown: 0 };
/** Above any Unix time in milliseconds. */
const RANK_STEP = 1e14;
const CONCURRENT_REQUESTS = 2;
const MAX_QUEUED = 500;
/** Delays before a failed request is retried; after the last one no further request is sent. */
const RETRY_WAITS_MS: readonly number[] = [5_000, 30_000, 120_000];
/** Lifetime of a claim: longer than a request's timeout plus the time within which it must be sent. */
const CLAIM_MS = 8_000;
const SENT_WITHIN_MS = 2_000;
const ELSEWHERE_WAIT_MS = 500;
const BARRED_WAIT_MS = 5_000;
/** Pause after a 429 without Retry-After. */
const RATE_LIMITED_MS = 30_000;
/** Lifetime in memory; the store keeps answers for a day. */
const REMEMBERED_MS = 3_600_000;
const MAX_REMEMBERED = 20_000;

/** For a seller whose account no longer exists. */
const NOTHING_KNOWN: SellerFacts = { rating: null, reviewCount: null, countryCode: null };

export class SellerLookUps {
  readonly #parts: SellerLookUpsParts;
  readonly #queue = new PQueue({ concurrency: CONCURRENT_REQUESTS });
  readonly #open = new Map<number, LookUp>();
  readonly #remembered: LRUCache<number, SellerFacts>;
  #isStopped = false;

  constructor(parts: SellerLookUpsParts) {
    this.#parts = parts;
    this.#remembered = new LRUCache({
      max: MAX_REMEMBERED,
      ttl: REMEMBERED_MS,
      ...lifetimesBy(parts.clock),
    });
  }

  /** A seller's facts if they are cached; sends no request. */
  remembered(sellerId: number): SellerFacts | null {
    return this.#remembered.get(sellerId) ?? null;
  }

  /** Takes an answer that this or another node received. */
  learn(sellerId: number, facts: SellerFacts): void {
    this.#remembered.set(sellerId, facts);
    const lookUp = this.#open.get(sellerId);
    if (lookUp !== undefined) for (const waiter of lookUp.waiters) waiter.resolve(facts);
  }

  /** The facts as soon as they are known; null if they are not by `untilMs`. Never rejects. */
  async ask(sellerId: number, question: SellerQuestion): Promise<SellerFacts | null> {
    const known = this.remembered(sellerId);
    if (known !== null) return known;
    const { clock } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<SellerFacts | null>();
    const waiter: Waiter = { ...question, resolve };
    const cancel = clock.schedule(Math.max(0, question.untilMs - clock.nowMs()), () => resolve(null));
    const lookUp = this.#join(sellerId, waiter);
    try {
      return await promise;
    } finally {
      cancel();
      lookUp.waiters.delete(waiter);
    }
  }

  /** Sends no further requests; open questions resolve with null at their `untilMs`. */
  stop(): void {
    this.#isStopped = true;
    this.#queue.clear();
  }

  #join(sellerId: number, waiter: Waiter): LookUp {
    const open = this.#open.get(sellerId);
    if (open !== undefined) {
      open.waiters.add(waiter);
      this.#raise(open, waiter);
      return open;
    }
    const lookUp: LookUp = { sellerId, waiters: new Set([waiter]), claimSeen: null };
    this.#open.set(sellerId, lookUp);
    void this.#run(lookUp).finally(() => this.#open.delete(sellerId));
    return lookUp;
  }

  #raise({ sellerId, waiters }: LookUp, waiter: Waiter): void {
    const priority = priorityOf(waiter);
    if (priority < highestPriority(waiters)) return;
    try {
      this.#queue.setPriority(String(sellerId), priority);
    } catch {
      // It is not queued: its request is in flight, or it waits for a retry.
    }
  }

  /** Retries until there is an answer or no caller waits for one. */
  async #run(lookUp: LookUp): Promise<void> {
    const { clock } = this.#parts;
    let failures = 0;
    while (lookUp.waiters.size > 0 && !this.#isStopped) {
      const outcome = await this.#attempt(lookUp);
      if (outcome.kind === "known") {
        this.learn(lookUp.sellerId, outcome.facts);
        return;
      }
      let waitMs = ELSEWHERE_WAIT_MS;
      if (outcome.kind === "failed") {
        waitMs = RETRY_WAITS_MS[failures] ?? Infinity;
        failures += 1;
      } else if (outcome.kind === "barred") {
        for (const waiter of lookUp.waiters) if (waiter.mayEndEarly) waiter.resolve(null);
        waitMs = Math.max(BARRED_WAIT_MS, outcome.untilMs - clock.nowMs());
      }
      // After the clock was set forward their own timers would come too late, and this loop would not wait at all.
      const nowMs = clock.nowMs();
      for (const waiter of lookUp.waiters) if (waiter.untilMs <= nowMs) waiter.resolve(null);
      // Waiters that time out leave the set in the same event-loop turn.
      await sleep(clock, Math.min(waitMs, longestWaitMs(lookUp.waiters, nowMs)));
    }
  }

  async #attempt(lookUp: LookUp): Promise<Outcome> {
    const { store, clock, isOn, isMarketPaused, log } = this.#parts;
    const barred: Outcome = { kind: "barred", untilMs: clock.nowMs() };
    if (!isWanted(lookUp)) return barred;
    try {
      const known = (await store.known([lookUp.sellerId], clock.nowMs())).get(lookUp.sellerId);
      if (known !== undefined) return { kind: "known", facts: known };
      if (lookUp.claimSeen?.isLapsed === false) return { kind: "elsewhere" };
      if (!isOn || isMarketPaused() || this.#queue.size >= MAX_QUEUED) return barred;
      const options = { priority: highestPriority(lookUp.waiters), id: String(lookUp.sellerId) };
      return await this.#queue.add(async () => await this.#inTurn(lookUp), options);
    } catch (error) {
      // The store is unavailable, or this node is stopping.
      if (!this.#isStopped) log.warn(describeError(error), "a seller could not be looked up");
      return barred;
    }
  }

  async #inTurn(lookUp: LookUp): Promise<Outcome> {
    const { store, clock, budget, isMarketPaused } = this.#parts;
    const { sellerId } = lookUp;
    if (!isWanted(lookUp)) return { kind: "elsewhere" };
    await budget.take("look_up");
    const nowMs = clock.nowMs();
    if (!isWanted(lookUp) || this.#isStopped) return { kind: "elsewhere" };
    if (isMarketPaused()) return { kind: "barred", untilMs: nowMs };
    const untilMs = nowMs + CLAIM_MS;
    const lapsedUntilMs = lookUp.claimSeen?.untilMs ?? null;
    const claim = await store.claim(sellerId, { nowMs, untilMs, lapsedUntilMs });
    if (claim.kind === "known") return claim;
    if (claim.kind === "paused") return { kind: "barred", untilMs: claim.untilMs };
    if (claim.kind === "taken") {
      if (claim.untilMs === 0 || claim.untilMs === lapsedUntilMs)
        return { kind: "barred", untilMs: Infinity };
      this.#see(lookUp, claim.untilMs);
      return { kind: "elsewhere" };
    }
    lookUp.claimSeen = null;
    const tookMs = clock.nowMs() - nowMs;
    const isTooLate = tookMs < 0 || tookMs > SENT_WITHIN_MS;
    if (isTooLate || !isWanted(lookUp) || this.#isStopped) {
      await store.release(sellerId, untilMs);
      return { kind: "elsewhere" };
    }
    return await this.#request(sellerId, untilMs);
  }

  /** Times the claim's lifetime locally, because the nodes' clocks differ and may be adjusted. */
  #see(lookUp: LookUp, untilMs: number): void {
    // Without other nodes the claim is left over from an earlier process.
    const seen: ClaimSeen = { untilMs, isLapsed: !this.#parts.isShared };
    lookUp.claimSeen = seen;
    this.#parts.clock.schedule(CLAIM_MS, () => {
      seen.isLapsed = true;
    });
  }

  async #request(sellerId: number, claimUntilMs: number): Promise<Outcome> {
    const { pages, store, clock, log, onKnown } = this.#parts;
    let facts: SellerFacts;
    try {
      facts = await pages.seller(sellerId);
    } catch (error) {
      if (!(error instanceof MarketplaceError)) throw error;
      const pause = pauseAfter(error);
      if (pause !== null) {
        const untilMs = await store.pause(clock.nowMs(), pause.retryAfterMs);
        await store.release(sellerId, claimUntilMs);
        log.warn({ code: error.code, untilMs }, "look-ups of sellers are paused");
        return { kind: "barred", untilMs };
      }
      if (!isNotFound(error)) {
        await store.release(sellerId, claimUntilMs);
        return { kind: "failed" };
      }
      facts = NOTHING_KNOWN;
    }
    await store.save(sellerId, facts, clock.nowMs());
    onKnown(sellerId, facts);
    return { kind: "known", facts };
  }
}

function isWanted({ waiters }: LookUp): boolean {
  return waiters.values().some((waiter) => waiter.isWanted());
}

function priorityOf({ rank, firstSeenAtMs }: SellerQuestion): number {
  return RANKS[rank] * RANK_STEP + firstSeenAtMs;
}

function highestPriority(waiters: ReadonlySet<Waiter>): number {
  return Math.max(0, ...Array.from(waiters, priorityOf));
}

function longestWaitMs(waiters: ReadonlySet<Waiter>, nowMs: number): number {
  return Math.max(0, ...Array.from(waiters, ({ untilMs }) => untilMs - nowMs));
}

/** The pause that a failed request demands; null: none. `retryAfterMs` null: the store chooses the length. */
function pauseAfter({
  code,
  retryAfterMs,
}: MarketplaceError): { readonly retryAfterMs: number | null } | null {
  switch (code) {
    case "rate_limited":
      return { retryAfterMs: retryAfterMs ?? RATE_LIMITED_MS };
    case "blocked":
    case "unauthorised":
    case "session_refused":
      return { retryAfterMs: null };
    default:
      return null;
  }
}
