/**
 * Sends the alerts of the outbox. A node claims due alerts, one per destination, and writes their outcomes: a
 * slow service delays only its own destinations, and a crash repeats at most one alert per destination.
 */
import type { AlertChannelName } from "#catalogue/alert-channels.ts";
import { type Clock, withTimeout } from "#domain/clock.ts";
import { asPurchaseId, type PurchaseId, type UserId } from "#domain/ids.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Purchase } from "#domain/purchase.ts";
import { euroText } from "#presenters/french-texts.ts";
import { marketLink } from "#presenters/market-links.ts";
import type { ClaimedAlert, OutboxStore, SettledAlert } from "#store/alert-store.ts";
import type { SellerStore } from "#store/store.ts";
import type { Channel, Outcome, OutgoingAlert } from "./channel.ts";
import { type LinkTokens, markOf } from "./links.ts";
import { quietHoursFrom } from "./plan/quiet-hours.ts";

export interface DeliveryDeps {
  readonly outbox: OutboxStore;
  readonly sellers: Pick<SellerStore, "blockedOf">;
  readonly purchaseById: (userId: UserId, id: PurchaseId) => Promise<Purchase | null>;
  readonly channels: Readonly<Record<AlertChannelName, Channel | null>>;
  /** How many nodes send; absent: this one. They share what a channel takes in a second. */
  readonly nodeCount?: (() => Promise<number>) | undefined;
  readonly links: LinkTokens;
  readonly publicUrl: string;
  /** The marketplace as people's browsers reach it. */
  readonly marketUrl: string;
  /** Called when a destination is lost. */
  readonly onLost: (userId: UserId) => void;
  readonly clock: Clock;
  readonly log: Log;
}

const MAX_CLAIMED = 64;
const LEASE_MS = 30_000;
const POLL_MS = 1_000;
/** Outcomes are collected this long and written together. */
const SETTLE_MS = 100;
/** Concurrent sends per channel; one slower than `SLOW_MS` no longer counts, up to `MAX_SLOW`. */
const MAX_SENDING = 32;
const SLOW_MS = 2_000;
const MAX_SLOW = 256;
const STOP_PATIENCE_MS = 1_000;
/** How long the owner of a test waits for its outcome. */
export const TEST_MS = 9_500;

const RETRIES_MS = [1_000, 5_000, 30_000, 120_000];
const LAST_RETRY_MS = 600_000;
/** Maximum attempts with an unknown outcome. */
const MAX_UNKNOWN = 3;

export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #lanes: Lanes;
  readonly #sending = new Set<Promise<void>>();
  readonly #waiters = new Map<string, PromiseWithResolvers<void>>();
  #outcomes: { readonly claimed: ClaimedAlert; readonly settled: SettledAlert }[] = [];
  #flushTimer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();
  #cancelPoll: () => void = () => undefined;
  #isStopped = true;
  #isClaiming = false;
  #claiming: Promise<void> = Promise.resolve();
  #isWanted = false;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    this.#lanes = createLanes(deps.channels, deps.clock);
  }

  run(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    void this.#claimAll().finally(() => this.#pollLater());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPoll();
    // The alerts of a claim in progress are sent too: otherwise the next start would send them again.
    const ended = this.#claiming.then(() => Promise.all(this.#sending));
    await withTimeout(this.#deps.clock, STOP_PATIENCE_MS, ended, null);
    if (this.#flushTimer !== null) clearTimeout(this.#flushTimer);
    await this.#flush();
  }

  /** Call it when alerts may be due. */
  wake(): void {
    void this.#claimAll();
  }

  /** Settles once this node has written an outcome of the alert, or after the timeout. */
  async settled(destinationId: string, subject: string, timeoutMs: number): Promise<void> {
    const key = keyOf(destinationId, subject);
    const waiter = this.#waiters.get(key) ?? Promise.withResolvers<void>();
    this.#waiters.set(key, waiter);
    const timer = setTimeout(waiter.resolve, timeoutMs);
    await waiter.promise;
    clearTimeout(timer);
    this.#waiters.delete(key);
  }

  #claimAll(): Promise<void> {
    this.#isWanted = true;
    if (!this.#isClaiming) this.#claiming = this.#claimWanted();
    return this.#claiming;
  }

  async #claimWanted(): Promise<void> {
    this.#isClaiming = true;
    const { outbox, clock, log, nodeCount } = this.#deps;
    try {
      while (this.#isWanted && !this.#isStopped) {
        this.#isWanted = false;
        const nodes = this.#lanes.arePaced ? ((await nodeCount?.()) ?? 1) : 1;
        const claimed = await outbox.claim({
          room: this.#lanes.room(nodes),
          limit: MAX_CLAIMED,
          leaseMs: LEASE_MS,
          nowMs: clock.nowMs(),
        });
        for (const one of claimed) this.#begin(one);
        if (claimed.length > 0) this.#isWanted = true;
      }
    } catch (error) {
      log.warn({ part: "alerts", ...describeError(error) }, "alerts could not be claimed and wait");
    } finally {
      this.#isClaiming = false;
    }
  }

  #begin(claimed: ClaimedAlert): void {
    const leave = this.#lanes.enter(claimed.channel, () => this.wake());
    const work = deliver(this.#deps, claimed)
      .then((settled) => {
        this.#outcomes.push({ claimed, settled });
        if (!this.#isStopped) this.#flushTimer ??= setTimeout(() => void this.#flush(), SETTLE_MS);
      })
      .catch((error: unknown) => {
        // Its lease expires, and the attempt counts as unknown.
        this.#deps.log.error({ part: "alerts", ...describeError(error) }, "an alert could not be handled");
      })
      .finally(() => {
        leave();
        this.#sending.delete(work);
      });
    this.#sending.add(work);
  }

  #flush(): Promise<void> {
    this.#flushTimer = null;
    this.#flushing = this.#flushing.then(() => this.#writeOutcomes());
    return this.#flushing;
  }

  async #writeOutcomes(): Promise<void> {
    const written = this.#outcomes;
    this.#outcomes = [];
    if (written.length === 0) return;
    const { outbox, onLost, log } = this.#deps;
    try {
      await outbox.settle(written.map(({ settled }) => settled));
    } catch (error) {
      log.warn({ part: "alerts", ...describeError(error) }, "outcomes could not be written yet");
      // The store is closing: the leases expire by themselves.
      if (this.#isStopped) return;
      this.#outcomes.unshift(...written);
      this.#flushTimer ??= setTimeout(() => void this.#flush(), POLL_MS);
      return;
    }
    for (const { claimed, settled } of written) {
      if (settled.isDestinationLost) onLost(claimed.userId);
      this.#waiters.get(keyOf(claimed.destinationId, claimed.subject))?.resolve();
    }
    this.wake();
  }

  #pollLater(): void {
    if (this.#isStopped) return;
    this.#cancelPoll = this.#deps.clock.schedule(POLL_MS, () => {
      void this.#claimAll().finally(() => this.#pollLater());
    });
  }
}

function keyOf(destinationId: string, subject: string): string {
  return `${destinationId} ${subject}`;
}

interface Lanes {
  /** A channel has a pace, which the nodes share. */
  readonly arePaced: boolean;
  /** How many alerts of each channel this one of the nodes may claim now. */
  room(nodes: number): Readonly<Partial<Record<AlertChannelName, number>>>;
  /** @returns call it when the send has ended */
  enter(name: AlertChannelName, onRoom: () => void): () => void;
}

function createLanes(channels: DeliveryDeps["channels"], clock: Pick<Clock, "nowMs">): Lanes {
  const lanes = Object.entries(channels).flatMap(([name, channel]) =>
    channel === null ? [] : [{ name, channel, busy: 0, all: 0, spent: 0, secondMs: 0 }],
  );
  return {
    arePaced: lanes.some(({ channel }) => channel.maxPerSecond !== undefined),
    room(nodes) {
      const nowMs = clock.nowMs();
      return Object.fromEntries(
        lanes.map((lane) => {
          if (nowMs - lane.secondMs >= 1_000) Object.assign(lane, { secondMs: nowMs, spent: 0 });
          const perNode = Math.max(1, Math.floor((lane.channel.maxPerSecond ?? Infinity) / nodes));
          const ofSecond = perNode - lane.spent;
          return [lane.name, Math.max(0, Math.min(MAX_SENDING - lane.busy, MAX_SLOW - lane.all, ofSecond))];
        }),
      );
    },
    enter(name, onRoom) {
      const lane = lanes.find((one) => one.name === name);
      if (lane === undefined) return () => undefined;
      lane.busy += 1;
      lane.all += 1;
      lane.spent += 1;
      let isCounted = true;
      const stopCounting = (): void => {
        if (!isCounted) return;
        isCounted = false;
        lane.busy -= 1;
      };
      const timer = setTimeout(() => {
        stopCounting();
        onRoom();
      }, SLOW_MS);
      return () => {
        clearTimeout(timer);
        stopCounting();
        lane.all -= 1;
      };
    },
  };
}

/** Sends one alert, unless it is obsolete. */
async function deliver(deps: DeliveryDeps, claimed: ClaimedAlert): Promise<SettledAlert> {
  const obstacle = await obstacleTo(deps, claimed);
  if (obstacle !== null)
    return { ...settledBase(claimed, deps.clock.nowMs()), ...obstacle, isOutcomeKnown: true };
  const channel = deps.channels[claimed.channel];
  if (channel === null) return settledAs(claimed, { kind: "wait", waitMs: null }, deps.clock.nowMs());
  const outcome = await channel.send(claimed.address, outgoingOf(deps, claimed));
  const nowMs = deps.clock.nowMs();
  const settled = settledAs(claimed, outcome, nowMs);
  const pauseMs = channel.minIntervalMs ?? 0;
  return { ...settled, notBeforeMs: Math.max(settled.notBeforeMs, nowMs + pauseMs) };
}

type Obstacle = Pick<SettledAlert, "result" | "reason">;

async function obstacleTo(deps: DeliveryDeps, claimed: ClaimedAlert): Promise<Obstacle | null> {
  const { userId, type, subject, message } = claimed;
  if (claimed.isSuspended) return { result: "useless", reason: "suspended" };
  // Planned while the address was still valid. A test is always sent.
  if (claimed.isLost && type !== "test") return { result: "useless", reason: "lost" };
  if (!claimed.isWanted) return { result: "useless", reason: "filter" };
  const isOfListings = type === "article" || type === "group";
  // These may have changed while the alert waited for a service that takes few at a time.
  if (isOfListings && !claimed.isSubscriber) return { result: "useless", reason: "plan" };
  if (isOfListings && !claimed.hasArticles) return { result: "useless", reason: "off" };
  if (isOfListings && deps.clock.nowMs() < claimed.settings.pausedUntilMs)
    return { result: "useless", reason: "paused" };
  if (claimed.unknownAttempts > MAX_UNKNOWN) return { result: "uncertain", reason: "unknown" };
  if (deps.clock.nowMs() > lastMomentOf(claimed))
    return { result: "abandoned", reason: type === "article" ? "late" : "away" };
  if (message.article !== undefined) {
    const blocked = await deps.sellers.blockedOf(userId);
    if (blocked.has(message.article.seller)) return { result: "useless", reason: "blocked" };
  }
  if (type === "bank") {
    const purchase = await deps.purchaseById(userId, asPurchaseId(subject.split(":")[1] ?? ""));
    if (purchase?.state !== "awaiting") return { result: "useless", reason: "settled" };
  }
  return null;
}

/** A test is sent once, while its owner waits, and has no time for retries. */
function lastMomentOf({ type, attempts, plannedAtMs, giveUpAtMs }: ClaimedAlert): number {
  return type === "test" && attempts === 1 ? plannedAtMs + TEST_MS : giveUpAtMs;
}

/** Quiet hours may have begun since planning: only tests and alerts about a waiting bank sound in them. */
function hasSound({ type, isLoud, settings }: ClaimedAlert, nowMs: number): boolean {
  if (!isLoud || type === "bank" || type === "test") return isLoud;
  const quiet = quietHoursFrom(settings.quiet, nowMs);
  return quiet === null || nowMs < quiet.startMs;
}

const ARTICLE_TTL_S = 600;
const OTHER_TTL_S = 24 * 3_600;

function outgoingOf(
  { links, publicUrl, marketUrl, clock }: DeliveryDeps,
  claimed: ClaimedAlert,
): OutgoingAlert {
  const { userId, subject, type, message, email, settings } = claimed;
  const { article } = message;
  const token = article === undefined ? null : links(userId, subject);
  return {
    type,
    message,
    isLoud: hasSound(claimed, clock.nowMs()),
    mark: markOf(subject),
    url: token === null ? `${publicUrl}${message.path}` : `${publicUrl}/alerte#${token}`,
    listing:
      article === undefined || token === null
        ? null
        : {
            buyLabel: `Acheter ${euroText(article.totalPriceCents)}`,
            marketUrl: marketLink(marketUrl, article.path),
            token,
            mayBuyByReply: settings.buysFromTelegram,
          },
    ttlS: type === "article" ? ARTICLE_TTL_S : OTHER_TTL_S,
    email,
  };
}

function settledBase({ id, destinationId }: ClaimedAlert, nowMs: number): SettledAlert {
  return {
    id,
    destinationId,
    result: "waiting",
    reason: null,
    dueAtMs: nowMs,
    isOutcomeKnown: false,
    sentAtMs: null,
    notBeforeMs: 0,
    isDestinationLost: false,
  };
}

/** Converts an outcome into the new state of the alert and its destination. */
export function settledAs(claimed: ClaimedAlert, outcome: Outcome, nowMs: number): SettledAlert {
  const base = settledBase(claimed, nowMs);
  const delayMs = RETRIES_MS[claimed.attempts - 1] ?? LAST_RETRY_MS;
  switch (outcome.kind) {
    case "sent":
      return { ...base, result: "sent", isOutcomeKnown: true, sentAtMs: nowMs };
    case "gone":
      return { ...base, result: "refused", reason: "lost", isOutcomeKnown: true, isDestinationLost: true };
    case "refused":
      return { ...base, result: "refused", reason: "refused", isOutcomeKnown: true };
    case "wait": {
      const { waitMs } = outcome;
      const dueAtMs = nowMs + Math.max(delayMs, waitMs ?? 0);
      const reason = waitMs === null ? "away" : "rate";
      const notBeforeMs = waitMs === null ? 0 : nowMs + waitMs;
      const waiting = { ...base, reason, dueAtMs, isOutcomeKnown: true, notBeforeMs };
      return dueAtMs > claimed.giveUpAtMs ? { ...waiting, result: "abandoned" } : waiting;
    }
    case "unknown": {
      const dueAtMs = nowMs + delayMs;
      const isLast = claimed.unknownAttempts >= MAX_UNKNOWN || dueAtMs > claimed.giveUpAtMs;
      return { ...base, reason: "unknown", dueAtMs, result: isLast ? "uncertain" : "waiting" };
    }
    default:
      return outcome satisfies never;
  }
}
