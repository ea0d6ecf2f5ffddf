/**
 * Plans alerts about purchases and accounts from the audit log, which has every change that causes one, on
 * any node. Reads it by number, each second; an entry that commits late has a smaller number, so the last
 * minute is read again.
 */
import { z } from "zod";
import { ALERT_CHANNELS, isAlertChannel } from "#catalogue/alert-channels.ts";
import { type Clock, DAY_MS } from "#domain/clock.ts";
import { asFilterId, asGroupId, asPurchaseId, type PurchaseId, type UserId } from "#domain/ids.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { Purchase, PurchaseState } from "#domain/purchase.ts";
import { type AccountNews, accountAlert, isAnnounced, purchaseAlert } from "#presenters/alerte.ts";
import type { AlertStore, PlannedAlert } from "#store/alert-store.ts";
import { type FilterStore, type GroupStore, nameOfStop } from "#store/market-store.ts";
import type { AuditStore, NumberedEntry } from "#store/store.ts";
import { decidePurchase, type PurchaseOutcome } from "./decide.ts";
import { OVERLAP_MS, type Planner } from "./planner.ts";

export interface AuditReaderDeps {
  readonly alerts: Pick<AlertStore, "destinations" | "outbox">;
  readonly audit: Pick<AuditStore, "after" | "hasEarlier">;
  readonly filters: Pick<FilterStore, "byId">;
  readonly groups: Pick<GroupStore, "list">;
  readonly purchaseById: (userId: UserId, id: PurchaseId) => Promise<Purchase | null>;
  /** Adds the person's mailbox as a destination if it is missing. */
  readonly ensureMail: (userId: UserId) => Promise<void>;
  /** Whether a failure is the store's, and transient. */
  readonly isStoreAway: (error: unknown) => boolean;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

const PAGE_SIZE = 500;
/** A device that was not seen for this long is new. */
const DEVICE_KNOWN_MS = 90 * DAY_MS;
const BANK_AGAIN_MS = 3 * 60_000;

/** @returns a function that handles new entries and remembers its position */
export function createAuditReader(deps: AuditReaderDeps): (planner: Planner) => Promise<void> {
  const { alerts, audit, clock } = deps;
  /** Handled entries after the floor, with the time of handling. */
  const done = new Map<number, number>();
  let floor: number | null = null;

  return async (planner) => {
    const started = floor === null;
    floor ??= await alerts.outbox.mark("audit");
    const before = floor;
    let lastId = floor;
    for (;;) {
      const page = await audit.after(lastId, PAGE_SIZE);
      for (const entry of page) {
        lastId = entry.id;
        if (done.has(entry.id)) continue;
        await handleOrPassOver(deps, planner, entry);
        done.set(entry.id, clock.nowMs());
      }
      if (page.length < PAGE_SIZE) break;
    }
    const oldMs = clock.nowMs() - OVERLAP_MS;
    for (const [id, atMs] of done) {
      if (atMs > oldMs) continue;
      floor = Math.max(floor, id);
      done.delete(id);
    }
    if (floor > before || started) await planner.write({ alerts: [], counters: [], marks: { audit: floor } });
  };
}

/** An entry that fails by itself would fail again, and must not keep later ones, of everybody, from being read. */
async function handleOrPassOver(
  deps: AuditReaderDeps,
  planner: Planner,
  entry: NumberedEntry,
): Promise<void> {
  try {
    await handle(deps, planner, entry);
  } catch (error) {
    if (deps.isStoreAway(error)) throw error;
    const facts = { part: "alerts", userId: entry.userId, ...describeError(error) };
    deps.log.error(facts, "an entry of the audit log cannot be planned and is passed over");
  }
}

async function handle(deps: AuditReaderDeps, planner: Planner, entry: NumberedEntry): Promise<void> {
  const { userId, kind } = entry;
  if (userId === null) return;
  if (kind.startsWith("purchase.")) {
    await handlePurchase(deps, planner, { ...entry, userId });
    return;
  }
  const news = await accountNewsOf(deps, { ...entry, userId });
  if (news === null) return;
  await deps.ensureMail(userId);
  const person = await planner.person(userId);
  if (person === null) return;
  const { id, atMs, details } = entry;
  const nowMs = deps.clock.nowMs();
  const { destinationId } = details;
  await planner.write({
    alerts: [
      {
        userId,
        type: "account",
        subject: `audit:${id}`,
        message: accountAlert(news),
        // During quiet hours it is sent without sound.
        isLoud: planner.moment(person, atMs).quiet === null,
        plannedAtMs: nowMs,
        dueAtMs: nowMs,
        giveUpAtMs: nowMs + DAY_MS,
        // No channel receives an alert about itself.
        ...(typeof destinationId === "string" ? { exceptDestinationId: destinationId } : {}),
      },
    ],
    counters: [],
  });
}

type OwnEntry = NumberedEntry & { readonly userId: UserId };

async function accountNewsOf(deps: AuditReaderDeps, entry: OwnEntry): Promise<AccountNews | null> {
  const { details, userId, id, atMs, kind } = entry;
  switch (kind) {
    case "login": {
      const { device, isNew } = details;
      if (typeof device !== "string" || isNew === true) return null;
      const sinceMs = atMs - DEVICE_KNOWN_MS;
      const isKnown = await deps.audit.hasEarlier({
        userId,
        kind,
        beforeId: id,
        sinceMs,
        fact: "device",
        value: device,
      });
      return isKnown ? null : { kind: "login", device };
    }
    case "alerts.added":
      return { kind: "channel_added", name: await channelNameOf(deps, entry) };
    case "alerts.removed":
      return { kind: "channel_removed", name: labelOf(details) };
    case "account.refused":
      return { kind: "account_refused" };
    case "buying.stopped":
      return await breakerNewsOf(deps, userId, details);
    case "autobuy.stopped":
      return await stopNewsOf(deps, userId, details);
    default:
      return null;
  }
}

const breakerDetails = z.object({
  reason: z.enum(["overcharge", "unknown_outcomes"]),
  purchaseId: z.string().transform(asPurchaseId),
});

/** 'Tout arrêter' that a purchase switched on, not the person. */
async function breakerNewsOf(
  { purchaseById }: Pick<AuditReaderDeps, "purchaseById">,
  userId: UserId,
  details: unknown,
): Promise<AccountNews | null> {
  const read = breakerDetails.safeParse(details);
  if (!read.success) return null;
  const { reason, purchaseId } = read.data;
  const purchase = await purchaseById(userId, purchaseId);
  return { kind: "buying_stopped", reason, title: purchase?.listing.title ?? "" };
}

const stopDetails = z.object({
  reason: z.enum(["group", "max_purchases", "total_budget", "failures"]),
  groupId: z
    .string()
    .nullable()
    .transform((id) => (id === null ? null : asGroupId(id))),
  // Details of an audit entry are plain values: ids are joined by commas.
  filterIds: z.string().transform((ids) => ids.split(",").map(asFilterId)),
});

/** Automatic buying of a filter or group that ended by its own rules. */
async function stopNewsOf(
  deps: Pick<AuditReaderDeps, "filters" | "groups">,
  userId: UserId,
  details: unknown,
): Promise<AccountNews | null> {
  const read = stopDetails.safeParse(details);
  if (!read.success) return null;
  const stop = { ...read.data, userId };
  return { kind: "autobuy_stopped", stop, name: await nameOfStop(stop, deps) };
}

/** "Telegram · Léa", from the destination itself; its label once it is removed. */
async function channelNameOf(
  { alerts }: Pick<AuditReaderDeps, "alerts">,
  { userId, details }: OwnEntry,
): Promise<string> {
  const label = labelOf(details);
  const own = await alerts.destinations.ofUser(userId);
  const name = own.find(({ id }) => id === details["destinationId"])?.name ?? label;
  return name === label ? label : `${label} · ${name}`;
}

function labelOf({ channel }: NumberedEntry["details"]): string {
  return typeof channel === "string" && isAlertChannel(channel) ? ALERT_CHANNELS[channel].label : "";
}

async function handlePurchase(deps: AuditReaderDeps, planner: Planner, entry: OwnEntry): Promise<void> {
  const { userId, details, kind } = entry;
  const { purchaseId } = details;
  const state = STATES[kind];
  if (state === undefined || typeof purchaseId !== "string") return;
  const now = await deps.purchaseById(userId, asPurchaseId(purchaseId));
  // A refused cancellation is announced separately: the person may believe that the purchase was cancelled.
  const isKept = state === "confirmed" && details["reason"] === "not_cancelled";
  const purchase = now === null ? null : asOf(now, state, isKept);
  if (purchase === null || !isAnnounced(purchase)) return;
  const person = await planner.person(userId);
  if (person === null) return;
  await deps.ensureMail(userId);
  const filter = purchase.filterId === null ? null : await deps.filters.byId(userId, purchase.filterId);
  const message = purchaseAlert(purchase, filter?.tag ?? null);
  const nowMs = deps.clock.nowMs();
  const common = { userId, message, plannedAtMs: nowMs, giveUpAtMs: nowMs + DAY_MS };
  if (state === "awaiting") {
    const bank = (n: number, dueAtMs: number): PlannedAlert => {
      return { ...common, type: "bank", subject: `bank:${purchaseId}:${n}`, isLoud: true, dueAtMs };
    };
    await planner.write({ alerts: [bank(1, nowMs), bank(2, nowMs + BANK_AGAIN_MS)], counters: [] });
    return;
  }
  if (isKept) {
    // Counted in no digest a second time. During quiet hours it is sent without sound.
    const isLoud = planner.moment(person, entry.atMs).quiet === null;
    const subject = `purchase:${purchaseId}:not_cancelled:${entry.id}`;
    await planner.write({
      alerts: [{ ...common, type: "purchase", subject, isLoud, dueAtMs: nowMs }],
      counters: [],
    });
    return;
  }
  const outcome = outcomeOf(purchase, entry.id);
  const decision = decidePurchase(person.reader, outcome, planner.moment(person, entry.atMs));
  if (decision.kind === "nothing") return;
  const counters = [{ userId, counters: decision.counters }];
  const subject = `purchase:${purchaseId}:${state}`;
  await planner.write({
    alerts:
      decision.kind === "send"
        ? [{ ...common, type: "purchase", subject, isLoud: decision.isLoud, dueAtMs: nowMs }]
        : [],
    counters: decision.kind === "count" ? counters : [],
  });
  person.reader = { ...person.reader, counters: decision.counters };
}

/** As it was by its entry: it may have changed since, and later states have entries of their own. */
function asOf(now: Purchase, state: PurchaseState, isKept: boolean): Purchase {
  if (state !== "confirmed") return { ...now, state };
  return { ...now, state, failureReason: isKept ? "not_cancelled" : null };
}

const STATES: Readonly<Record<string, PurchaseState | undefined>> = {
  "purchase.confirmed": "confirmed",
  "purchase.external": "confirmed",
  "purchase.awaiting": "awaiting",
  "purchase.cancelled": "cancelled",
  "purchase.failed": "failed",
  "purchase.quarantine": "quarantine",
};

function outcomeOf({ state, chargedCents, listing }: Purchase, entryId: number): PurchaseOutcome {
  if (state === "confirmed")
    return { kind: "confirmed", cents: chargedCents ?? listing.totalPriceCents, entryId };
  return { kind: state === "quarantine" ? "undecided" : "cancelled", entryId };
}
