import type { ListingId, UserId } from "#domain/ids.ts";
import type { MarketplaceSettings, MoneyLimits } from "#domain/settings.ts";
import { batchCalls } from "#domain/concurrency.ts";
import { inOneStatement, insertRows } from "../sql/rows.ts";
import type { Db, Tx } from "../engines/db.ts";
import { asOnlyWrite } from "../engines/only-write.ts";
import { purchases } from "../schema/purchase-tables.ts";
import type { Admission, Proposal, ProposalFacts, PurchaseRecord, PurchaseStore } from "../purchase-store.ts";
import { readProposalFacts } from "./facts.ts";
import { lockPeople } from "./locks.ts";
import { openingWrites } from "./money.ts";
import { toRow } from "./rows.ts";
import { isStoreAway } from "../errors.ts";
import { isUrgent } from "../urgency.ts";
import type { Vault } from "../vault/vault.ts";

/**
 * How purchases begin. One page of the market leads to simultaneous wishes of many people: proposals of one event-loop
 * tick are decided in one transaction, each by its own person's facts, which costs little more than a single one.
 */

export interface PurchaseStoreDeps {
  readonly db: Db;
  readonly vault: Vault;
}

type Admit = Extract<Admission<never>, { kind: "admit" }>;

interface Asked {
  readonly proposal: Proposal;
  /** Null: refused. May be called again with later facts when the transaction failed. */
  readonly admit: (facts: ProposalFacts) => Admit | null;
}

type Opening =
  | { readonly kind: "opened"; readonly record: PurchaseRecord; readonly settings: MarketplaceSettings }
  | { readonly kind: "refused" }
  | { readonly kind: "conflict" };

/** Bounds how long a transaction keeps its people's locks. */
const MAX_GROUP_SIZE = 32;

/** Longer than other decisions take. After it a locked person is decided alone and delays no one else. */
const LOCK_TIMEOUT_MS = 250;

export function createProposals(deps: PurchaseStoreDeps): Pick<PurchaseStore, "propose"> {
  const gather = () =>
    batchCalls(async (asked: readonly Asked[]) => {
      const openings = openAsked(deps, asked);
      // Not awaited here: later batches take their own locks.
      return (one) => openings.get(one) ?? CONFLICT;
    }, Infinity);
  const open = { urgent: gather(), usual: gather() };

  return {
    async propose(proposal, decide) {
      const last: { admission: ReturnType<typeof decide> | null } = { admission: null };
      const opening = await open[isUrgent() ? "urgent" : "usual"]({
        proposal,
        admit: (facts) => {
          last.admission = decide(facts);
          return last.admission.kind === "admit" ? last.admission : null;
        },
      });
      if (opening.kind !== "refused") return opening;
      if (last.admission?.kind !== "refuse") throw new Error("a refused proposal has a refusal");
      return { kind: "refused", refusal: last.admission.refusal };
    },
  };
}

function openAsked(deps: PurchaseStoreDeps, asked: readonly Asked[]): ReadonlyMap<Asked, Promise<Opening>> {
  return new Map(
    groupsOf(asked).flatMap((group) => {
      const whole = openGroup(deps, group);
      return group.map((one) => [one, openingOf(deps, one, whole)] as const);
    }),
  );
}

/** Groups in which each person, whose decisions build on one another, and each listing comes once. */
function groupsOf(asked: readonly Asked[]): readonly (readonly Asked[])[] {
  const groups: { readonly asked: Asked[]; readonly keys: Set<UserId | ListingId> }[] = [];
  for (const one of asked) {
    const { userId, listing } = one.proposal;
    const hasRoom = groups.find(
      ({ asked: others, keys }) =>
        others.length < MAX_GROUP_SIZE && !keys.has(userId) && !keys.has(listing.id),
    );
    const group = hasRoom ?? { asked: [], keys: new Set() };
    if (hasRoom === undefined) groups.push(group);
    group.asked.push(one);
    group.keys.add(userId).add(listing.id);
  }
  return groups.map((group) => group.asked);
}

type Openings = ReadonlyMap<Asked, Opening>;

/** After a failure of the group each is decided alone, so that one cannot fail the others. */
async function openingOf(
  deps: PurchaseStoreDeps,
  one: Asked,
  whole: Promise<Openings | null>,
): Promise<Opening> {
  const openings = (await whole) ?? (await openGroup(deps, [one]));
  return openings?.get(one) ?? CONFLICT;
}

/** Null: nothing was committed; for a single proposal, because of another person's purchase of the listing. */
async function openGroup(
  { db, vault }: PurchaseStoreDeps,
  group: readonly Asked[],
): Promise<Openings | null> {
  try {
    return await db.transaction((tx) => openWithin(tx, vault, group));
  } catch (error) {
    // Whether it was committed is unknown.
    if (isStoreAway(error)) throw error;
    if (group.length > 1 || isConflict(error)) return null;
    throw error;
  }
}

const CONFLICT = { kind: "conflict" } as const;
const UNIQUE_VIOLATION = "23505";
const ONE_OF_A_LISTING: ReadonlySet<unknown> = new Set(["purchases_once", "purchases_one_live_per_listing"]);

function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isIt =
    "code" in error &&
    error.code === UNIQUE_VIOLATION &&
    "constraint" in error &&
    ONE_OF_A_LISTING.has(error.constraint);
  return isIt || isConflict(error.cause);
}

async function openWithin(tx: Tx, vault: Vault, group: readonly Asked[]): Promise<Openings> {
  const proposals = group.map(({ proposal }) => proposal);
  const userIds = proposals.map(({ userId }) => userId);
  await lockPeople(tx, userIds, group.length > 1 ? LOCK_TIMEOUT_MS : undefined);
  const factsOf = await readProposalFacts(tx, vault, proposals);
  const decided = group.map((one) => {
    const facts = factsOf(one.proposal);
    const admission = one.admit(facts);
    return { one, facts, record: admission === null ? null : proposedRecordOf(one.proposal, admission) };
  });
  await insertOpened(
    tx,
    decided.flatMap(({ facts, record }) =>
      record === null ? [] : [{ record, limits: facts.spending.limits }],
    ),
  );
  return new Map(
    decided.map(({ one, facts: { settings }, record }) => [
      one,
      record === null ? { kind: "refused" } : { kind: "opened", record, settings },
    ]),
  );
}

interface Opened {
  readonly record: PurchaseRecord;
  readonly limits: MoneyLimits;
}

/** Waits for transactions that insert or end a purchase of the same listing; a live one violates the unique index. */
async function insertOpened(tx: Tx, opened: readonly Opened[]): Promise<void> {
  if (opened.length === 0) return;
  // Always in the same order, so that transactions cannot deadlock.
  const inOrder = opened.toSorted(({ record: one }, { record: other }) => one.listingId - other.listingId);
  const rows = inOrder.map(({ record }) => ({ ...toRow(record), isPublished: false }));
  const holds = inOrder
    .filter(({ record }) => record.mode === "live")
    .map(({ record, limits }) => ({
      booking: record,
      move: { kind: "hold", cents: record.holdCents, isFirst: true } as const,
      nowMs: record.decidedAtMs,
      limits,
    }));
  await asOnlyWrite(() => tx.execute(inOneStatement(openingWrites(holds), insertRows(purchases, rows))));
}

/** A simulation is over as soon as it is decided. */
export function proposedRecordOf(
  proposal: Proposal,
  admission: Extract<Admission<never>, { kind: "admit" }>,
): PurchaseRecord {
  const isLive = admission.mode === "live";
  return {
    id: proposal.id,
    userId: proposal.userId,
    listingId: proposal.listing.id,
    epoch: admission.epoch,
    source: proposal.source,
    lane: admission.lane,
    filterId: proposal.filterId,
    mode: admission.mode,
    state: isLive ? "intent" : "confirmed",
    failureReason: null,
    priceCapCents: admission.priceCapCents,
    holdCents: isLive ? admission.holdCents : 0,
    chargedCents: null,
    paymentMethodId: admission.paymentMethodId,
    transactionId: null,
    confirmUrl: null,
    decidedAtMs: proposal.nowMs,
    updatedAtMs: proposal.nowMs,
    isHidden: false,
    reachedCheckout: false,
    listing: proposal.listing,
    wishedAtMs: proposal.wishedAtMs,
    dayKey: proposal.dayKey,
    monthKey: proposal.monthKey,
    leaseOwner: isLive ? proposal.owner : null,
    dueAtMs: isLive ? proposal.leaseUntilMs : null,
    notBeforeMs: 0,
    attemptCount: 0,
    attemptPhase: "none",
    attemptTransactionId: null,
    checkoutId: null,
    hadUnknownOutcome: admission.hadUnknownOutcome,
    watch: null,
  };
}
