import type { GroupId, ListingId, UserId } from "#domain/ids.ts";
import { batchCalls, createKeyedQueue } from "#domain/concurrency.ts";
import { isStoreAway, StoreError } from "../errors.ts";
import type { BudgetTotals, PurchaseFacts, PurchaseKey, PurchaseRecord } from "../purchase-facts.ts";
import type {
  Admission,
  Advance,
  Change,
  Decider,
  Decisions,
  PurchaseSnapshot,
  MoneyMove,
  Opening,
  OpenResult,
  PersonFacts,
  Proposal,
  ProposalOutcome,
  PurchaseOperations,
  Versions,
} from "../purchase-store.ts";
import { deltasOf } from "./operations.ts";
import { NEW_PURCHASE } from "./rows.ts";

/**
 * Decisions by compare-and-set: facts are read without a lock, a pure decision is made, and the write takes
 * effect only while the facts are unchanged; otherwise it is decided again. Decisions about one person are
 * serialised within this process, so that only other processes can invalidate them.
 */
export function createDecisions(operations: PurchaseOperations): Decisions {
  const inTurn = createKeyedQueue();
  const open = batchCalls(async (asked: readonly Asked[]) => {
    for (const group of groupsOf(asked)) {
      const userIds = group.map(({ proposal }) => proposal.userId);
      // Not awaited: the next batch concerns other people, or is queued behind this one.
      void inTurn(userIds, () => openGroup(operations, group));
    }
    return () => undefined;
  }, Infinity);

  return {
    async propose<Refusal>(proposal: Proposal, decide: Decide<Refusal>) {
      const { promise, resolve, reject } = Promise.withResolvers<ProposalOutcome<Refusal>>();
      let isSettled = false;
      const asked: Asked = {
        proposal,
        decide: (facts) => {
          // After a failed write the proposals of a batch are retried one by one, also those already answered.
          if (isSettled) return null;
          isSettled = true;
          const admission = decide(facts);
          if (admission.kind !== "admit") {
            resolve({ kind: "refused", refusal: admission.refusal });
            return null;
          }
          isSettled = false;
          return admission;
        },
        resolve,
        reject,
      };
      await open(asked);
      return await promise;
    },
    advance: (key, nowMs, decide, snapshot = null) =>
      inTurn(key.userId, () => advance(operations, { key, nowMs, decide, snapshot })),
  };
}

type Decide<Refusal> = (facts: PersonFacts) => Admission<Refusal>;
type Admit = Extract<Admission<never>, { kind: "admit" }>;

interface Asked {
  readonly proposal: Proposal;
  /** Null: refused, or settled before. Called again with newer facts if the person's have changed. */
  readonly decide: (facts: PersonFacts) => Admit | null;
  readonly resolve: (outcome: Exclude<ProposalOutcome<never>, { kind: "refused" }>) => void;
  readonly reject: (error: unknown) => void;
}

/** A proposal or step gives up after this many invalidated decisions. */
const MAX_DECISIONS = 5;
/** Contention is transient: the caller retries as after any such failure. */
const TOO_BUSY = "a purchase or its person changed too often while it was decided";

/** Bounds the size of a statement and the duration of its locks. */
const MAX_GROUP_SIZE = 32;

/** Groups in which each person and listing occurs once: decisions of one person depend on one another. */
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

/** Settles every proposal of the group and never rejects. After a failure each is decided alone. */
async function openGroup(operations: PurchaseOperations, group: readonly Asked[]): Promise<void> {
  let waiting = group;
  try {
    for (let decisions = 0; waiting.length > 0 && decisions < MAX_DECISIONS; decisions += 1)
      waiting = await openOnce(operations, waiting);
    for (const { reject } of waiting) reject(new StoreError("overloaded", TOO_BUSY));
  } catch (error) {
    // Whether the write took effect is unknown.
    if (waiting.length === 1 || isStoreAway(error)) for (const { reject } of waiting) reject(error);
    else await Promise.all(waiting.map((one) => openGroup(operations, [one])));
  }
}

/** @returns the proposals whose facts changed before the write */
async function openOnce(operations: PurchaseOperations, group: readonly Asked[]): Promise<readonly Asked[]> {
  const facts = await operations.facts(group.map(({ proposal }) => ({ kind: "wish", ...proposal })));
  const decided = group.flatMap((one, n) => {
    const own = facts[n];
    return own === undefined || own === null ? [] : decideOne(one, own);
  });
  if (decided.length === 0) return [];
  const results = await operations.open(decided.map(({ opening }) => opening));
  return decided.flatMap(({ one, facts: own, opening }, n) => {
    const result = results[n] ?? STALE;
    if (result.kind === "stale") return [one];
    one.resolve(outcomeOf(own, opening, result));
    return [];
  });
}

const STALE: OpenResult = { kind: "stale" };

interface Decided {
  readonly one: Asked;
  readonly facts: PersonFacts;
  readonly opening: Opening;
}

/** Empty if the proposal is settled without a write. */
function decideOne(one: Asked, facts: PersonFacts): readonly Decided[] {
  const { proposal } = one;
  try {
    const earlier = facts.own.find((record) => isUntouched(record, proposal));
    if (earlier !== undefined) {
      // An earlier try wrote it, and its acknowledgement was lost.
      const { settings } = facts;
      one.resolve({ kind: "opened", record: earlier, settings, snapshot: null, stops: [] });
      return [];
    }
    const admission = one.decide(facts);
    if (admission === null) return [];
    const intent = proposedRecordOf(proposal, admission, facts.ruleFacts.group?.id ?? null);
    const { spending, versions } = facts;
    const begun = proposal.begin?.(intent, purchaseFacts(facts)) ?? unpublished(intent);
    const change = withHold(begun, intent);
    const origin = proposal.origin ?? null;
    return [{ one, facts, opening: { versions, change, limits: spending.limits, origin } }];
  } catch (error) {
    one.reject(error);
    return [];
  }
}

/** Created by an earlier try of the same proposal and not changed since. */
function isUntouched(record: PurchaseRecord, { id, owner, nowMs }: Proposal): boolean {
  if (record.id !== id || record.leaseOwner !== owner) return false;
  const isBegun = record.state === "submitting" && record.attemptPhase === "preparing";
  return (record.state === "intent" || isBegun) && record.dueAtMs !== null && record.dueAtMs > nowMs;
}

function unpublished(next: PurchaseRecord): Change {
  return { next, money: [], attempts: [], stopsUser: false, isNews: true };
}

function withHold(change: Change, { mode, holdCents }: PurchaseRecord): Change {
  const hold: MoneyMove = { kind: "hold", cents: holdCents, isFirst: true };
  return mode === "live" ? { ...change, money: [hold] } : change;
}

type Written = Exclude<OpenResult, { kind: "stale" }>;

function outcomeOf(
  facts: PersonFacts,
  { versions, change }: Opening,
  result: Written,
): Exclude<ProposalOutcome<never>, { kind: "refused" }> {
  if (result.kind === "taken") return { kind: "conflict" };
  const { settings, tokens } = facts;
  const { stops } = result;
  const opened = { revision: 0, versions: nextOf(versions), facts: purchaseFacts(facts), tokens };
  const snapshot = stops.length > 0 ? null : after(change, opened);
  return { kind: "opened", record: change.next, settings, snapshot, stops };
}

const nextOf = (versions: Versions): Versions => ({ ...versions, person: (versions.person ?? 0) + 1 });

interface Step {
  readonly key: PurchaseKey;
  readonly nowMs: number;
  readonly decide: Decider;
  readonly snapshot: PurchaseSnapshot | null;
}

async function advance(
  operations: PurchaseOperations,
  { key, nowMs, decide, snapshot }: Step,
): Promise<Advance | null> {
  let held = snapshot;
  for (let decisions = 0; decisions < MAX_DECISIONS; decisions += 1) {
    const known: PurchaseSnapshot | null = held ?? (await readSnapshot(operations, key, nowMs));
    if (known === null) return null;
    const { record: before, facts } = known;
    const change = decide(before, facts);
    if (change === null) {
      const isFresh = held === null;
      held = null;
      // Cached facts may be stale: only fresh ones may decide that nothing is to be done.
      if (!isFresh) continue;
      return { before, after: before, change, snapshot: known, stops: [] };
    }
    const { revision, versions } = known;
    const moved = await operations.move({ before, revision, versions, change, limits: facts.limits, nowMs });
    if (moved !== null) {
      const isOutdated = moved.stops.length > 0 || change.stopsUser;
      const written = { revision: revision + 1, versions: { ...versions, person: moved.version } };
      const next = isOutdated ? null : after(change, { ...known, ...written });
      return { before, after: change.next, change, snapshot: next, stops: moved.stops };
    }
    held = null;
  }
  throw new StoreError("overloaded", TOO_BUSY);
}

async function readSnapshot(
  operations: PurchaseOperations,
  key: PurchaseKey,
  nowMs: number,
): Promise<PurchaseSnapshot | null> {
  const [facts] = await operations.facts([{ kind: "purchase", id: key.id, userId: key.userId, nowMs }]);
  if (facts === undefined || facts === null || facts.purchase === null) return null;
  const { purchase, versions, tokens } = facts;
  return { ...purchase, versions, facts: purchaseFacts(facts), tokens };
}

function purchaseFacts({ spending, filter, isSellerBlocked, ruleFacts }: PersonFacts): PurchaseFacts {
  return { ...spending, filter, isSellerBlocked, ruleFacts };
}

/** The state after a write, including its own effect on the facts. */
function after(change: Change, known: Omit<PurchaseSnapshot, "record">): PurchaseSnapshot {
  return { ...known, record: change.next, facts: withMoney(known.facts, change.money) };
}

function withMoney(facts: PurchaseFacts, moves: readonly MoneyMove[]): PurchaseFacts {
  return { ...facts, day: moves.reduce(addMove, facts.day), month: moves.reduce(addMove, facts.month) };
}

function addMove(totals: BudgetTotals, move: MoneyMove): BudgetTotals {
  const { held, captured, extra, purchases } = deltasOf(move);
  return {
    heldCents: totals.heldCents + held,
    capturedCents: totals.capturedCents + captured,
    extraCents: totals.extraCents + extra,
    purchases: totals.purchases + purchases,
  };
}

/** A simulation is confirmed immediately. */
export function proposedRecordOf(
  proposal: Proposal,
  admission: Admit,
  groupId: GroupId | null,
): PurchaseRecord {
  const { id, userId, listing, source, filterId, wishedAtMs, nowMs, dayKey, monthKey } = proposal;
  const { kind: _, ...terms } = admission;
  const isLive = terms.mode === "live";
  return {
    ...NEW_PURCHASE,
    ...terms,
    id,
    userId,
    listing,
    listingId: listing.id,
    source,
    filterId,
    groupId,
    state: isLive ? "intent" : "confirmed",
    holdCents: isLive ? terms.holdCents : 0,
    wishedAtMs,
    decidedAtMs: nowMs,
    updatedAtMs: nowMs,
    dayKey,
    monthKey,
    leaseOwner: isLive ? proposal.owner : null,
    dueAtMs: isLive ? proposal.leaseUntilMs : null,
  };
}
