import type { EventBus } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import type { Random } from "#domain/clock.ts";
import { batchCalls } from "#domain/concurrency.ts";
import type { Change, PurchaseKey, PurchaseRecord, Publication } from "#store/purchase-store.ts";
import type { Background } from "./background.ts";
import type { AuditEntry } from "#store/store.ts";
import { type BuyingStore, retryWhileAway, type StoreRetry } from "./buying-store.ts";
import { decide } from "./decide/decide.ts";
import type { PurchaseEvent, PurchaseEventKind } from "./decide/purchase-event.ts";

/** Applies events to purchases and publishes what changed, after the commit and never before. */
export interface Moves {
  /**
   * Null: no such purchase. Otherwise the record after the event, whether or not it changed. While the store is
   * unavailable it is retried for a minute, except for requests that a person waits for.
   */
  move<Kind extends PurchaseEventKind>(
    key: PurchaseKey,
    event: PurchaseEvent<Kind>,
  ): Promise<{ readonly record: PurchaseRecord; readonly hasMoved: boolean } | null>;
  /** For a purchase that has just been created. */
  announceOpened(record: PurchaseRecord): void;
  /** Publishes what a process committed but did not publish because it died. */
  publishPending(): Promise<void>;
}

export interface MovesDeps extends StoreRetry {
  readonly store: Pick<BuyingStore, "purchases" | "filters">;
  readonly random: Random;
  readonly events: EventBus;
  readonly log: Log;
  readonly background: Background;
  readonly reconcileMs: number;
}

export function createMoves(deps: MovesDeps): Moves {
  const { store, clock, random, background, reconcileMs } = deps;
  const markPublished = batchCalls(async (told: readonly Publication[]) => {
    await store.purchases.markPublished(told);
    return () => undefined;
  }, MAX_BATCH);
  const publisher: Publisher = { ...deps, markPublished };
  return {
    async move(key, event) {
      const giveUpAtMs = clock.nowMs() + (OF_PEOPLE.has(event.kind) ? 0 : RETRY_FOR_MS);
      return await retryWhileAway(deps, giveUpAtMs, async (isRepeated) => {
        const advance = await store.purchases.advance(key, clock.nowMs(), (record, facts) =>
          // The time of the decision, not of the call, which may have waited long for its turn.
          markNews(
            record,
            decide(record, event, { nowMs: clock.nowMs(), jitter: random.next(), reconcileMs, facts }),
          ),
        );
        if (advance === null) return null;
        const { before, after, change } = advance;
        if (change !== null)
          background.inOrder(after.id, "publish", () => publish(publisher, before, change));
        return { record: after, hasMoved: change !== null || (isRepeated && isItsOwn(after, event)) };
      });
    },
    announceOpened(record) {
      background.inOrder(record.id, "publish", async () => {
        await publishRecord(publisher, record);
      });
    },
    async publishPending() {
      const movedBeforeMs = clock.nowMs() - FORGOTTEN_AFTER_MS;
      for (const record of await store.purchases.unpublished(movedBeforeMs, MAX_FORGOTTEN)) {
        await publishRecord(publisher, record);
      }
    },
  };
}

/** Half of the lease of an attempt: within it the event still belongs to this process. */
const RETRY_FOR_MS = 45_000;
/** A person waits for these and can try again. */
const OF_PEOPLE: ReadonlySet<PurchaseEventKind> = new Set(["cancel_asked", "resolved"]);

/** Distinguishes events of the same kind. */
interface EventMarks {
  readonly kind: PurchaseEventKind;
  readonly owner?: string;
  readonly leaseUntilMs?: number;
  readonly n?: number;
}

/** The event took effect already and only its answer was lost: the lease identifies the caller. */
function isItsOwn(record: PurchaseRecord, { owner, leaseUntilMs, n }: EventMarks): boolean {
  if (leaseUntilMs !== undefined) return record.leaseOwner === owner && record.dueAtMs === leaseUntilMs;
  return record.attemptCount === n && record.attemptPhase === "none";
}

/** Longer than any node takes from a commit to its publication. */
const FORGOTTEN_AFTER_MS = 10_000;
const MAX_FORGOTTEN = 100;

/** The need to publish is recorded in the same transaction as the change. */
function markNews(before: PurchaseRecord, change: Change | null): Change | null {
  if (change === null) return null;
  const after = change.next;
  const isNews = isVisible(before, after) || change.stopsUser || isAudited(before, change);
  return isNews ? { ...change, isNews } : change;
}

function isAudited(before: PurchaseRecord, { next, money }: Change): boolean {
  return before.state !== next.state && (money.length > 0 || AUDITED.has(next.state));
}

const MAX_BATCH = 200;

interface Publisher extends MovesDeps {
  /**
   * Marks changes as published and writes their audit entries; settles once that is durable, and if it rejects they are
   * published again. Batched, so that publishing many purchases does not delay the one being paid.
   */
  readonly markPublished: (told: Publication) => Promise<void>;
}

async function publish(deps: Publisher, before: PurchaseRecord, change: Change): Promise<void> {
  const after = change.next;
  if (isVisible(before, after)) await publishPurchase(deps, after);
  if (change.stopsUser) await publishStop(deps, after);
  if (before.state !== after.state) await stopFullFilter(deps, after);
  if (change.isNews !== true) return;
  const entry = isAudited(before, change) ? auditEntryOf(deps, before, after) : null;
  await deps.markPublished({ record: after, entry });
}

/** For a purchase without a change at hand: a new one, or one left unpublished. */
async function publishRecord(deps: Publisher, record: PurchaseRecord): Promise<void> {
  await publishPurchase(deps, record);
  await stopFullFilter(deps, record);
  // No money moved: a simulating filter must not fill the audit and the log.
  const entry = record.mode === "simulation" ? null : auditEntryOf(deps, null, record);
  await deps.markPublished({ record, entry });
}

/** Besides every move of money: states that may need a person. */
const AUDITED: ReadonlySet<PurchaseRecord["state"]> = new Set([
  "unknown",
  "quarantine",
  "awaiting",
  "cancelling",
  "cancel_unknown",
]);

/** Whether the person's list looks different: attempts and leases are not shown. */
function isVisible(before: PurchaseRecord, after: PurchaseRecord): boolean {
  const isOnlyOnItsWay = ON_ITS_WAY.has(before.state) && ON_ITS_WAY.has(after.state);
  return (
    (before.state !== after.state && !isOnlyOnItsWay) ||
    before.confirmUrl !== after.confirmUrl ||
    before.transactionId !== after.transactionId
  );
}

const ON_ITS_WAY: ReadonlySet<PurchaseRecord["state"]> = new Set(["intent", "submitting", "unknown"]);

async function publishPurchase({ events }: MovesDeps, { id, userId }: PurchaseRecord): Promise<void> {
  await events.publish({ kind: "purchase_changed", userId, purchaseId: id });
}

async function publishStop({ events, log }: MovesDeps, { id, userId }: PurchaseRecord): Promise<void> {
  log.error({ userId, purchaseId: id }, "a breaker stopped the automatic purchases of this person");
  await events.publish({ kind: "user_changed", userId });
  await events.publish({ kind: "settings_changed", userId });
}

/** The audit entry of a change, which is also logged. */
function auditEntryOf({ log }: MovesDeps, before: PurchaseRecord | null, after: PurchaseRecord): AuditEntry {
  const facts = {
    purchaseId: after.id,
    from: before?.state ?? null,
    reason: after.failureReason,
    chargedCents: after.chargedCents,
  };
  if (after.state === "quarantine" || after.state === "cancel_unknown")
    log.error({ ...facts, userId: after.userId }, `a purchase needs a person: ${after.state}`);
  else log.info({ ...facts, userId: after.userId }, `purchase ${after.state}`);
  return { atMs: after.updatedAtMs, kind: `purchase.${after.state}`, userId: after.userId, details: facts };
}

/** A filter whose accepted purchases reach its maximum stops buying automatically. */
async function stopFullFilter({ store, events }: MovesDeps, record: PurchaseRecord): Promise<void> {
  const { filterId, userId, state } = record;
  if (filterId === null || (state !== "confirmed" && state !== "awaiting")) return;
  if (!(await store.purchases.hasReachedMaximum(filterId))) return;
  const filterIds = await store.filters.stopAutobuy(userId, [filterId]);
  if (filterIds.length > 0) await events.publish({ kind: "filters_changed", userId, filterIds });
}
