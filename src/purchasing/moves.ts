import { type BackgroundTasks, createKeyedQueue } from "#domain/concurrency.ts";
import type { EventBus } from "#domain/events.ts";
import type { BuyingStop } from "#domain/buying-rules.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Random } from "#domain/clock.ts";
import type { PurchaseId } from "#domain/ids.ts";
import { isListingGone } from "#domain/purchase.ts";
import type { PurchaseFacts, PurchaseKey, PurchaseRecord } from "#store/purchase-facts.ts";
import type { Advance, Change, Decider, PurchaseSnapshot } from "#store/purchase-store.ts";
import type { AuditEntry } from "#store/store.ts";
import { type BuyingStore, retryWhileAway, type StoreRetry } from "./buying-store.ts";
import { decide } from "./decide/decide.ts";
import { changeTo } from "./decide/change.ts";
import type { Circumstances, PurchaseEvent, PurchaseEventKind } from "./decide/purchase-event.ts";

/** Applies events to purchases and publishes what changed, after the commit and never before. */
export interface Moves {
  /**
   * Null: no such purchase. Otherwise the record after the event, whether or not it changed. While the store is
   * unavailable it is retried for a minute, except for requests that a person waits for.
   * @param snapshot as returned by the previous step of this purchase: saves reading the facts again
   */
  move<Kind extends PurchaseEventKind>(
    key: PurchaseKey,
    event: PurchaseEvent<Kind>,
    snapshot?: PurchaseSnapshot | null,
  ): Promise<MoveResult | null>;
  /** The change that creates a purchase: its intent, and its first attempt unless `begins` is null. */
  opening(intent: PurchaseRecord, facts: PurchaseFacts, begins: { readonly owner: string } | null): Change;
  /** For a purchase that has just been created, by an opening or from an order made elsewhere. */
  announceOpened(opened: Pick<Advance, "stops"> & { readonly record: PurchaseRecord }): void;
  /** Publishes what a process committed but did not publish because it died. */
  publishPending(): Promise<void>;
  /** Records what was published so far. */
  flush(): Promise<void>;
}

interface MoveResult {
  readonly record: PurchaseRecord;
  readonly hasMoved: boolean;
  /** For the next step. */
  readonly snapshot: PurchaseSnapshot | null;
}

export interface MovesDeps extends StoreRetry {
  readonly store: Pick<BuyingStore, "purchases" | "settings">;
  readonly random: Random;
  readonly events: EventBus;
  readonly log: Log;
  readonly background: BackgroundTasks;
  readonly reconcileMs: number;
}

/** Longer than any preparation: its calls end within 10 s each. */
const PREPARATION_LEASE_MS = 90_000;

export function preparationEndsAtMs({ clock }: Pick<StoreRetry, "clock">): number {
  return clock.nowMs() + PREPARATION_LEASE_MS;
}

export function createMoves(deps: MovesDeps): Moves {
  const { store, clock, random, background, reconcileMs } = deps;
  const marks = createMarks(deps);
  const inTurn = createKeyedQueue();
  const publishInTurn = (id: PurchaseId, publishing: () => Promise<void>): void =>
    background.start("publish", () => inTurn(id, publishing));
  const publisher: Publisher = { ...deps, mark: (record) => marks.add(record) };
  // Evaluated when the decision runs, not when it is requested: the call may have been queued.
  const circumstances = (facts: PurchaseFacts): Circumstances => ({
    nowMs: clock.nowMs(),
    jitter: random.next(),
    reconcileMs,
    facts,
  });
  /** When this process first saw each unpublished purchase: order checks keep renewing its `updatedAtMs`. */
  let pendingSinceMs: ReadonlyMap<PurchaseId, number> = new Map();
  return {
    async move(key, event, snapshot = null) {
      const giveUpAtMs = clock.nowMs() + (OF_PEOPLE.has(event.kind) ? 0 : RETRY_FOR_MS);
      return await retryWhileAway(deps, giveUpAtMs, async (isRepeated) => {
        const decideNow: Decider = (record, facts) =>
          markNews(record, decide(record, event, circumstances(facts)));
        const held = isRepeated ? null : snapshot;
        const advance = await store.purchases.advance(key, clock.nowMs(), decideNow, held);
        if (advance === null) return null;
        const { after, change } = advance;
        if (change !== null) publishInTurn(after.id, () => publish(publisher, advance, change));
        const hasMoved = change !== null || (isRepeated && isAlreadyApplied(after, event));
        return { record: after, hasMoved, snapshot: advance.snapshot };
      });
    },
    opening(intent, facts, begins) {
      const at = circumstances(facts);
      const isLive = intent.mode === "live";
      const submitted =
        begins === null || !isLive
          ? null
          : decide(
              intent,
              { kind: "submit", owner: begins.owner, leaseUntilMs: preparationEndsAtMs(deps) },
              at,
            );
      const change = submitted?.next.state === "submitting" ? submitted : changeTo(intent, at, {});
      // Simulations move no money and are not audited.
      return { ...change, isNews: true, ...(isLive && { audit: auditEntryOf(null, intent) }) };
    },
    announceOpened({ record, stops }) {
      publishInTurn(record.id, () => publishRecord(publisher, record, stops));
    },
    async publishPending() {
      const nowMs = clock.nowMs();
      const pending = await store.purchases.unpublished(nowMs, MAX_FORGOTTEN);
      pendingSinceMs = new Map(pending.map(({ id }) => [id, pendingSinceMs.get(id) ?? nowMs]));
      for (const record of pending) {
        const sinceMs = Math.min(record.updatedAtMs, pendingSinceMs.get(record.id) ?? nowMs);
        if (sinceMs > nowMs - FORGOTTEN_AFTER_MS) continue;
        // The change that its process did not publish may have stopped the person's buying, or that of filters. Without
        // a stop the person's settings did not change: a rest after refused payments goes on.
        if (await isStoppedNow(deps, record)) await publishPerson(publisher, record);
        await publishRecord(publisher, record, await store.purchases.stopsOf(record));
      }
    },
    flush: () => marks.flush(),
  };
}

/** True also if that cannot be read: the other purchases must be published. */
async function isStoppedNow(
  { store, log }: Pick<MovesDeps, "store" | "log">,
  { id, userId }: Pick<PurchaseRecord, "id" | "userId">,
): Promise<boolean> {
  try {
    return (await store.settings.get(userId)).limits.isStopped;
  } catch (error) {
    log.warn({ purchaseId: id, ...describeError(error) }, "a person's settings could not be read");
    return true;
  }
}

/** Long enough to mark many purchases in one statement; a process that dies before publishes them again. */
const FLUSH_AFTER_MS = 300;
const MAX_MARKS = 500;
/** Purchases beyond stay unpublished in the store, and are published again. */
const MAX_WAITING_MARKS = 20 * MAX_MARKS;

/** Records publications together, after a short delay: nothing depends on them but a restart. */
function createMarks({ store, clock, background }: Pick<MovesDeps, "store" | "clock" | "background">) {
  const waiting: PurchaseRecord[] = [];
  let isScheduled = false;
  const add = (records: readonly PurchaseRecord[]): void => {
    waiting.push(...records.slice(0, Math.max(0, MAX_WAITING_MARKS - waiting.length)));
  };
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_MARKS);
      try {
        await store.purchases.published(batch);
      } catch (error) {
        // Marked with the next publication.
        add(batch);
        throw error;
      }
    }
  };
  return {
    add(record: PurchaseRecord): void {
      add([record]);
      if (isScheduled) return;
      isScheduled = true;
      clock.schedule(FLUSH_AFTER_MS, () => {
        isScheduled = false;
        background.start("published marks", flush);
      });
    },
    flush,
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
function isAlreadyApplied(record: PurchaseRecord, { owner, leaseUntilMs, n }: EventMarks): boolean {
  if (leaseUntilMs !== undefined) return record.leaseOwner === owner && record.dueAtMs === leaseUntilMs;
  return record.attemptCount === n && record.attemptPhase === "none";
}

/** Longer than any node takes from a commit to its publication. */
const FORGOTTEN_AFTER_MS = 10_000;
const MAX_FORGOTTEN = 100;

/** The need to publish and the audit entry are written with the change itself. */
function markNews(before: PurchaseRecord, change: Change | null): Change | null {
  if (change === null) return null;
  const after = change.next;
  if (isAudited(before, change)) return { ...change, isNews: true, audit: auditEntryOf(before, after) };
  const isNews = isVisible(before, after) || change.stopsUser;
  return isNews ? { ...change, isNews } : change;
}

function isAudited(before: PurchaseRecord, { next, money }: Change): boolean {
  const needsPerson = AUDITED.has(next.state) || next.failureReason === "not_cancelled";
  return before.state !== next.state && (money.length > 0 || needsPerson);
}

interface Publisher extends MovesDeps {
  /** Marks the purchase as published in this version. */
  readonly mark: (record: PurchaseRecord) => void;
}

async function publish(deps: Publisher, { before, after, stops }: Advance, change: Change): Promise<void> {
  if (isVisible(before, after)) await publishPurchase(deps, after);
  if (isListingGone(before) !== isListingGone(after)) await publishAvailability(deps, after);
  if (change.stopsUser) await publishStop(deps, after);
  await publishStops(deps, after, stops);
  if (change.isNews !== true) return;
  if (change.audit !== undefined) logMove(deps, before, after);
  deps.mark(after);
}

/** For a purchase without a change at hand: a new one, or one left unpublished. */
async function publishRecord(
  deps: Publisher,
  record: PurchaseRecord,
  stops: readonly BuyingStop[],
): Promise<void> {
  await publishPurchase(deps, record);
  if (isListingGone(record)) await publishAvailability(deps, record);
  await publishStops(deps, record, stops);
  if (record.mode !== "simulation") logMove(deps, null, record);
  deps.mark(record);
}

/** Besides every move of money, and cancels that were refused: states that may need a person. */
const AUDITED: ReadonlySet<PurchaseRecord["state"]> = new Set([
  "unknown",
  "quarantine",
  "awaiting",
  "cancelling",
  "cancel_unknown",
]);

/** Whether the person's list looks different: attempts and leases are not shown. */
function isVisible(before: PurchaseRecord, after: PurchaseRecord): boolean {
  const staysPending = PENDING_STATES.has(before.state) && PENDING_STATES.has(after.state);
  return (
    (before.state !== after.state && !staysPending) ||
    before.confirmUrl !== after.confirmUrl ||
    before.transactionId !== after.transactionId
  );
}

const PENDING_STATES: ReadonlySet<PurchaseRecord["state"]> = new Set(["intent", "submitting", "unknown"]);

async function publishPurchase({ events }: MovesDeps, { id, userId }: PurchaseRecord): Promise<void> {
  await events.publish({ kind: "purchase_changed", userId, purchaseId: id });
}

async function publishAvailability({ events }: MovesDeps, record: PurchaseRecord): Promise<void> {
  const { listingId } = record;
  await events.publish({ kind: "availability_known", listingId, isGone: isListingGone(record) });
}

async function publishStop(deps: MovesDeps, record: PurchaseRecord): Promise<void> {
  const { id, userId } = record;
  deps.log.error({ userId, purchaseId: id }, "a breaker stopped the automatic purchases of this person");
  await publishPerson(deps, record);
}

async function publishPerson({ events }: MovesDeps, { userId }: PurchaseRecord): Promise<void> {
  await events.publish({ kind: "user_changed", userId });
  await events.publish({ kind: "settings_changed", userId });
}

function factsOf(before: PurchaseRecord | null, after: PurchaseRecord) {
  return {
    purchaseId: after.id,
    from: before?.state ?? null,
    reason: after.failureReason,
    chargedCents: after.chargedCents,
  };
}

function auditEntryOf(before: PurchaseRecord | null, after: PurchaseRecord): AuditEntry {
  const { updatedAtMs: atMs, userId } = after;
  return { atMs, kind: `purchase.${after.state}`, userId, details: factsOf(before, after) };
}

function logMove({ log }: MovesDeps, before: PurchaseRecord | null, after: PurchaseRecord): void {
  const facts = { ...factsOf(before, after), userId: after.userId };
  if (after.state === "quarantine" || after.state === "cancel_unknown")
    log.error(facts, `a purchase needs a person: ${after.state}`);
  else log.info(facts, `purchase ${after.state}`);
}

/** Filters that stopped buying with the change. */
async function publishStops(
  { events, log }: MovesDeps,
  { id: purchaseId }: PurchaseRecord,
  stops: readonly BuyingStop[],
): Promise<void> {
  for (const stop of stops) {
    const { userId, filterIds, reason } = stop;
    log.info({ userId, purchaseId, reason, count: filterIds.length }, "automatic buying ended by itself");
    await events.publish({ kind: "filters_changed", userId, filterIds });
    await events.publish({ kind: "autobuy_stopped", purchaseId, ...stop });
  }
}
