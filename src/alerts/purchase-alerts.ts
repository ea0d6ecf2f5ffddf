/**
 * Reports purchases outside of the pages, through the Discord webhook that a person saved. Nothing waits for it: an alert
 * that cannot be sent is logged and dropped; the purchase is in the list in any case.
 */
import { createHash } from "node:crypto";
import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { PurchaseId, UserId } from "#domain/ids.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Purchase } from "#domain/purchase.ts";
import type { Secret } from "#domain/secret.ts";
import type { Service } from "#domain/service.ts";
import { isAlert, presentPurchaseAlert, presentTestAlert } from "#presenters/purchase-alert.ts";
import type { Store } from "#store/store.ts";
import type { DiscordCalls, DiscordOutcome } from "./discord-calls.ts";

export interface PurchaseAlerts extends Service {
  /** Sends a trial message, so that the owner sees whether the webhook works. */
  test(userId: UserId): Promise<DiscordOutcome | { readonly kind: "absent" }>;
}

export interface PurchaseAlertsDeps {
  readonly store: Pick<Store, "alerts" | "filters">;
  readonly purchaseById: (userId: UserId, id: PurchaseId) => Promise<Purchase | null>;
  readonly discord: DiscordCalls;
  /** The panel's scheme and host. */
  readonly publicUrl: string;
  readonly events: Pick<EventBus, "subscribe">;
  readonly clock: Clock;
  readonly log: Log;
}

/** The bound of pending alerts, which are in memory only. */
const MAX_WAITING_PER_PERSON = 50;
/** From this many pending alerts on, each person may have few, so that slow webhooks do not displace other people's. */
const MANY_WAITING = 1_000;
const FEW_WAITING = 5;
/** Discord asks for waits of seconds; an alert with a longer wait is dropped. */
const MAX_RETRY_WAIT_MS = 60_000;
/** Alerts in progress at the stop may take this long. */
const STOP_PATIENCE_MS = 1_000;

export function createPurchaseAlerts(deps: PurchaseAlertsDeps): PurchaseAlerts {
  const { store, discord, events, clock, log, publicUrl } = deps;
  const lines = createLines();
  const rests = createWebhookRests(clock);
  const ending = Promise.withResolvers<"ending">();
  const send = patientPosts({ discord, clock, rests, ending: ending.promise });
  let unsubscribe: (() => void) | null = null;
  let isOver = false;

  async function tell(userId: UserId, purchaseId: PurchaseId): Promise<void> {
    const webhook = await store.alerts.webhook(userId);
    if (webhook === null || rests.restMs(webhook) > MAX_RETRY_WAIT_MS) return;
    const purchase = await deps.purchaseById(userId, purchaseId);
    if (purchase === null || !isAlert(purchase)) return;
    const { state, filterId } = purchase;
    // Claimed before sending: every node receives the change, and a lost alert is better than a duplicate.
    if (!(await store.alerts.claim({ purchaseId, userId, state, nowMs: clock.nowMs() }))) return;
    const filter = filterId === null ? null : await store.filters.byId(userId, filterId);
    const message = presentPurchaseAlert({ purchase, filterTag: filter?.tag ?? null, publicUrl });
    const outcome = await send(webhook, message);
    if (outcome.kind === "sent") return;
    const cause = outcome.kind === "failed" ? outcome.cause : {};
    log.warn({ userId, purchaseId, outcome: outcome.kind, ...cause }, "an alert could not be sent");
  }

  return {
    async run() {
      unsubscribe ??= events.subscribe((event) => {
        if (event.kind !== "purchase_changed") return;
        const { userId, purchaseId } = event;
        const isTaken = lines.add(userId, async () => {
          if (isOver) return;
          try {
            await tell(userId, purchaseId);
          } catch (error) {
            log.error({ userId, purchaseId, ...describeError(error) }, "an alert could not be made");
          }
        });
        if (!isTaken) log.warn({ userId, purchaseId }, "too many alerts wait: one is not sent");
      });
    },
    async stop() {
      unsubscribe?.();
      ending.resolve("ending");
      const { promise: impatience, resolve } = Promise.withResolvers<void>();
      const cancel = clock.schedule(STOP_PATIENCE_MS, resolve);
      await Promise.race([lines.settled(), impatience]);
      cancel();
      // Pending alerts are dropped.
      isOver = true;
      await discord[Symbol.asyncDispose]();
      await lines.settled();
    },
    async test(userId) {
      const webhook = await store.alerts.webhook(userId);
      if (webhook === null) return { kind: "absent" };
      const outcome = await discord.post(webhook, presentTestAlert(publicUrl));
      // A successful trial ends the webhook's rest.
      rests.note(webhook, outcome);
      return outcome;
    },
  };
}

interface PostingDeps extends Pick<PurchaseAlertsDeps, "discord" | "clock"> {
  readonly rests: WebhookRests;
  /** Settles when the service stops, and ends all waits. */
  readonly ending: Promise<"ending">;
}

/** One retry; both calls respect Discord's waits. */
function patientPosts({ discord, clock, rests, ending }: PostingDeps): DiscordCalls["post"] {
  const hasWaited = async (waitMs: number): Promise<boolean> => {
    if (waitMs === 0) return true;
    const { promise: waited, resolve } = Promise.withResolvers<"waited">();
    const cancel = clock.schedule(waitMs, () => resolve("waited"));
    const end = await Promise.race([waited, ending]);
    cancel();
    return end === "waited";
  };
  return async (webhook, message) => {
    let outcome: DiscordOutcome = { kind: "wait", waitMs: rests.restMs(webhook) };
    for (let calls = 0; calls < 2 && outcome.kind === "wait"; calls += 1) {
      if (outcome.waitMs > MAX_RETRY_WAIT_MS || !(await hasWaited(outcome.waitMs))) return outcome;
      outcome = await discord.post(webhook, message);
      rests.note(webhook, outcome);
    }
    return outcome;
  };
}

/** Runs each person's alerts one at a time, those of different people concurrently, within the bounds. */
function createLines() {
  const lines = new Map<UserId, { last: Promise<void>; count: number }>();
  let waitingCount = 0;
  return {
    /** False when too many are pending. @param task never throws */
    add(userId: UserId, task: () => Promise<void>): boolean {
      const line = lines.get(userId) ?? { last: Promise.resolve(), count: 0 };
      if (line.count >= (waitingCount >= MANY_WAITING ? FEW_WAITING : MAX_WAITING_PER_PERSON)) return false;
      waitingCount += 1;
      line.count += 1;
      lines.set(userId, line);
      line.last = line.last.then(task).then(() => {
        waitingCount -= 1;
        line.count -= 1;
        if (line.count === 0) lines.delete(userId);
      });
      return true;
    },
    async settled(): Promise<void> {
      while (lines.size > 0) await Promise.all([...lines.values()].map(({ last }) => last));
    },
  };
}

/**
 * Webhooks that Discord refused. Discord bans addresses that keep calling them, and then sign-in would fail for everyone. Kept in
 * this process only; a newly saved webhook has no rest, and an accepted message ends one.
 */
export interface WebhookRests {
  /** The remaining time without calls; 0: it may be called. */
  restMs(webhook: Secret): number;
  note(webhook: Secret, outcome: DiscordOutcome): void;
}

/** A deleted webhook does not come back, but an error of Discord's must not silence it permanently. */
const GONE_REST_MS = 24 * 60 * 60_000;
const MAX_RESTING = 10_000;

export function createWebhookRests(clock: Pick<Clock, "nowMs">): WebhookRests {
  /** By hash, so that no secret is kept; the oldest rest comes first. */
  const restsUntilMs = new Map<string, number>();
  return {
    restMs: (webhook) => Math.max(0, (restsUntilMs.get(nameOf(webhook)) ?? 0) - clock.nowMs()),
    note(webhook, outcome) {
      if (outcome.kind === "failed") return;
      const name = nameOf(webhook);
      restsUntilMs.delete(name);
      if (outcome.kind === "sent") return;
      restsUntilMs.set(name, clock.nowMs() + (outcome.kind === "gone" ? GONE_REST_MS : outcome.waitMs));
      const [oldest] = restsUntilMs.keys();
      if (restsUntilMs.size > MAX_RESTING && oldest !== undefined) restsUntilMs.delete(oldest);
    },
  };
}

function nameOf(webhook: Secret): string {
  return createHash("sha256").update(webhook.reveal()).digest("base64url");
}
