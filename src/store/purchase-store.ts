import type { BuyingStop } from "#domain/buying-rules.ts";
import type { FilterId, GroupId, PurchaseId, UserId } from "#domain/ids.ts";
import type { PurchaseSource } from "#domain/purchase.ts";
import type { MarketplaceSettings, MoneyLimits } from "#domain/settings.ts";
import type { PurchaseAttempt, PurchaseOrigin } from "#domain/story.ts";
import type {
  AccountTokens,
  BudgetTotals,
  ProposalFacts,
  PurchaseFacts,
  PurchaseKey,
  PurchaseRecord,
} from "./purchase-facts.ts";

/**
 * The port of the purchase engine to the store: rows, budgets and the ledger. The store applies no purchase
 * rule: it reads facts with their versions, passes them to a pure decision, and writes the result only if the
 * versions are unchanged (compare-and-set). Otherwise it reads and decides again.
 */
export interface PurchaseStore extends PurchaseOperations, Decisions {
  record(key: PurchaseKey): Promise<PurchaseRecord | null>;
  /** For the operator, who names a purchase without its owner. */
  find(id: PurchaseId): Promise<PurchaseRecord | null>;
  /**
   * Newest first, without hidden ones and bare attempts.
   * @param before only purchases older than this one; none if it belongs to another person
   */
  list(userId: UserId, limit: number, before?: PurchaseId): Promise<readonly PurchaseRecord[]>;
  /** All purchases of the person, including hidden ones and bare attempts, newest first. */
  journal(userId: UserId, limit: number): Promise<readonly JournalEntry[]>;
  /** The number of the person's purchases that may still be charged or refunded. */
  openCount(userId: UserId): Promise<number>;
  /** What counts towards the limits of a day ("2026-03-29") or a month ("2026-03"). */
  totals(userId: UserId, period: string): Promise<BudgetTotals>;
  /** The purchase of this order: of several the newest, but one that is neither failed nor cancelled before all. */
  byTransaction(userId: UserId, transactionId: number): Promise<PurchaseRecord | null>;
  /** Hides final purchases. @returns how many */
  hideFinal(userId: UserId, nowMs: number): Promise<number>;

  /** Purchases whose lease has ended or whose next order check is due, the longest overdue first. */
  due(nowMs: number, limit: number): Promise<readonly PurchaseRecord[]>;
  /** Changes from before a moment that are not published yet, oldest first. */
  unpublished(movedBeforeMs: number, limit: number): Promise<readonly PurchaseRecord[]>;
  /** The ends of automatic buying that this purchase's changes caused and that still hold, oldest first. */
  stopsOf(key: PurchaseKey): Promise<readonly BuyingStop[]>;
  /**
   * At the start of a sole process: ends leases and account refreshes of earlier ones. Planned order checks are due as
   * well, since a clock that was ahead may have planned them for much later.
   * @returns how many purchases are due by that
   */
  endForeignLeases(owner: string, nowMs: number): Promise<number>;

  /** The person's purchases that name one of these orders, or whose last attempt was to pay it. */
  ownersOfTransactions(
    userId: UserId,
    transactionIds: readonly number[],
  ): Promise<readonly PurchaseOfTransaction[]>;
  /**
   * Records an order that was made elsewhere, unpublished; null when one of the person's purchases names it, or may
   * yet. The amount is booked as `extra`: beyond any limit, and counted in later decisions.
   */
  recordExternal(order: ExternalOrder): Promise<PurchaseRecord | null>;
  /** Claims the sweep of an account's orders, once per interval over all nodes. */
  claimSweep(userId: UserId, nowMs: number, sweptBeforeMs: number): Promise<boolean>;
  /** People with a purchase that is not final or whose order may still change. */
  userIdsWithOpenPurchases(): Promise<readonly UserId[]>;
  /** People with a filter that buys automatically and a connected account. */
  userIdsWithAutobuy(): Promise<readonly UserId[]>;

  switches(): Promise<readonly StopSwitch[]>;
  /** Durable, and seen by every decision that has not committed yet. */
  setSwitch(change: StopSwitch): Promise<void>;
  accountStop(userId: UserId): Promise<AccountStop | null>;
  /** Stops one account, clicks included, until the operator lifts it. */
  stopAccount(userId: UserId, reason: string): Promise<void>;
  /** The same unless the account is stopped already: an existing stop keeps its reason. */
  stopUnlessStopped(userId: UserId, reason: string): Promise<void>;
  /** Lifts a stop that was set for this reason; stops for other reasons and pauses stay. */
  endAccountStop(userId: UserId, reason: string): Promise<void>;
  /** Pauses one account for a limited time, longer each time. @returns the end of the pause */
  pauseAccount(userId: UserId, reason: string, nowMs: number): Promise<number>;
  /** Lifts the account's stop, and the person's own if a breaker set it: true if the latter was lifted. */
  resumeAccount(userId: UserId, nowMs: number): Promise<boolean>;

  /** Inconsistencies between ledger, budgets and purchases, in English, for the operator; empty when there are none. */
  auditLedger(nowMs: number): Promise<readonly string[]>;
}

/**
 * The four operations behind every purchase, each a single statement: facts are read without a lock, and
 * writes take effect only while the facts are unchanged.
 */
export interface PurchaseOperations {
  /** In the order of the questions, which concern different people. Null if a purchase does not exist. */
  facts(questions: readonly Question[]): Promise<readonly (PersonFacts | null)[]>;
  /** Creates purchases of different people and listings, with dependent rows. @returns results in order */
  open(openings: readonly Opening[]): Promise<readonly OpenResult[]>;
  /** Writes one transition. Null, with nothing written, if the purchase, person or a switch has changed. */
  move(move: Move): Promise<Moved | null>;
  /** Marks the purchases as published in these versions; later changes stay pending. */
  published(records: readonly Published[]): Promise<void>;
}

/** The facts to read: those of a purchase, or those of a wish. */
export type Question =
  | (PurchaseKey & { readonly kind: "purchase"; readonly nowMs: number })
  | ({ readonly kind: "wish" } & Pick<
      Proposal,
      "userId" | "filterId" | "dayKey" | "monthKey" | "nowMs" | "listing"
    >);

/** Identifies a state of the facts. */
export interface Versions {
  /** Null: no such person. */
  readonly person: number | null;
  readonly switches: number;
}

export interface PersonFacts extends ProposalFacts {
  readonly versions: Versions;
  readonly tokens: AccountTokens | null;
  /** The purchase asked about, with its revision; null for a wish. */
  readonly purchase: { readonly record: PurchaseRecord; readonly revision: number } | null;
}

export interface Opening {
  readonly versions: Versions;
  readonly change: Change;
  readonly limits: MoneyLimits;
  readonly origin: PurchaseOriginFacts | null;
}

/** stale: the person or a switch has changed. taken: another purchase of the listing exists. */
export type OpenResult =
  | { readonly kind: "opened"; readonly stops: readonly BuyingStop[] }
  | { readonly kind: "stale" }
  | { readonly kind: "taken" };

export interface Move {
  readonly before: PurchaseRecord;
  readonly revision: number;
  readonly versions: Versions;
  readonly change: Change;
  readonly limits: MoneyLimits;
  readonly nowMs: number;
}

export interface Moved {
  /** The person's version after the move. */
  readonly version: number;
  /** The ends of automatic buying that it caused. */
  readonly stops: readonly BuyingStop[];
}

type Published = Pick<PurchaseRecord, "id" | "state" | "updatedAtMs">;

/** The origin of a purchase, for its history. */
export type PurchaseOriginFacts = Pick<PurchaseOrigin, "firstSeenAtMs" | "leafIds" | "usual">;

/** Purchase decisions, made on facts and written only while these are unchanged (decisions.ts). */
export interface Decisions {
  /**
   * ∅ → INTENT (a simulation: CONFIRMED), or directly the first attempt. No stop switch and no other decision
   * about this person's money can commit between the facts and the write. Idempotent by id. `conflict`:
   * another purchase of the listing committed first. Throws a transient failure if the person's facts kept changing.
   */
  propose<Refusal>(
    proposal: Proposal,
    decide: (facts: ProposalFacts) => Admission<Refusal>,
  ): Promise<ProposalOutcome<Refusal>>;

  /**
   * Every other transition. Null: no such purchase. A decision of null changes nothing.
   * @param snapshot as returned by an earlier call for this purchase: saves reading unchanged facts
   */
  advance(
    key: PurchaseKey,
    nowMs: number,
    decide: Decider,
    snapshot?: PurchaseSnapshot | null,
  ): Promise<Advance | null>;
}

/** A purchase and its facts as last seen by a process, with their versions. */
export interface PurchaseSnapshot {
  readonly record: PurchaseRecord;
  readonly revision: number;
  readonly versions: Versions;
  readonly facts: PurchaseFacts;
  /** The marketplace session that pays. */
  readonly tokens: AccountTokens | null;
}

export interface Proposal extends Pick<
  PurchaseRecord,
  "id" | "userId" | "listing" | "filterId" | "wishedAtMs" | "dayKey" | "monthKey"
> {
  readonly source: Exclude<PurchaseSource, "external">;
  readonly nowMs: number;
  readonly owner: string;
  readonly leaseUntilMs: number;
  readonly origin?: PurchaseOriginFacts;
  /** The change that creates the intent, possibly with its first attempt. Absent: the intent, unpublished. */
  readonly begin?: (intent: PurchaseRecord, facts: PurchaseFacts) => Change;
}

export type Admission<Refusal> =
  /** The lane of the plan in the facts, not of the wish. */
  | ({ readonly kind: "admit" } & Pick<
      PurchaseRecord,
      "mode" | "lane" | "epoch" | "priceCapCents" | "holdCents" | "paymentMethodId" | "hadUnknownOutcome"
    >)
  | { readonly kind: "refuse"; readonly refusal: Refusal };

export type ProposalOutcome<Refusal> =
  /** `settings`: those at the decision. */
  | {
      readonly kind: "opened";
      readonly record: PurchaseRecord;
      readonly settings: MarketplaceSettings;
      readonly snapshot: PurchaseSnapshot | null;
      readonly stops: readonly BuyingStop[];
    }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "conflict" };

export type Decider = (record: PurchaseRecord, facts: PurchaseFacts) => Change | null;

/** One transition: the new row, and the dependent rows of the same transaction. */
export interface Change {
  readonly next: PurchaseRecord;
  readonly money: readonly MoneyMove[];
  readonly attempts: readonly AttemptMove[];
  /** Whether a breaker turns the person's stop switch on. */
  readonly stopsUser: boolean;
  /** Whether it must be published: recorded with the change itself, until `published`. */
  readonly isNews?: boolean;
  readonly audit?: AuditEntry;
}

export interface Advance {
  readonly before: PurchaseRecord;
  readonly after: PurchaseRecord;
  readonly change: Change | null;
  /** For the next call; null if the write itself changed other facts. */
  readonly snapshot: PurchaseSnapshot | null;
  /** The ends of automatic buying that it caused. */
  readonly stops: readonly BuyingStop[];
}

/** All amounts in cents. */
export type MoneyMove =
  /** The first hold counts the purchase; later ones adjust the amount to the last quote. */
  | { readonly kind: "hold"; readonly cents: number; readonly isFirst: boolean }
  | { readonly kind: "release"; readonly heldCents: number }
  | { readonly kind: "capture"; readonly heldCents: number; readonly cents: number }
  | { readonly kind: "overshoot"; readonly cents: number }
  /** Recorded only: a refund frees no limit. */
  | { readonly kind: "refund"; readonly cents: number }
  | { readonly kind: "external"; readonly cents: number };

export type Evidence = Readonly<Record<string, string | number | boolean | null>>;

export type AttemptMove =
  | { readonly kind: "opened"; readonly n: number }
  | {
      readonly kind: "paying";
      readonly n: number;
      /** Hash of checkout, checksum and amounts. */
      readonly digest: string;
      readonly deadlineMs: number;
    }
  | { readonly kind: "ended"; readonly n: number; readonly outcome: string; readonly evidence: Evidence };

/** What tells whether a purchase paid a transaction. */
export type PurchaseOfTransaction = Pick<
  PurchaseRecord,
  "id" | "state" | "transactionId" | "attemptTransactionId" | "hadUnknownOutcome" | "filterId" | "groupId"
>;

export interface ExternalOrder extends Pick<
  PurchaseRecord,
  "id" | "userId" | "listingId" | "listing" | "dayKey" | "monthKey"
> {
  readonly transactionId: number;
  /** The same if a purchase may have paid it; absent or null: none. */
  readonly attemptTransactionId?: number | null;
  /** Filter and group of that purchase; absent or null: none. */
  readonly filterId?: FilterId | null;
  readonly groupId?: GroupId | null;
  readonly totalCents: number;
  readonly orderedAtMs: number;
  readonly nowMs: number;
}

/** Switches that stop all buying. `breaker` is lifted automatically, the others only by the operator. */
export type StopSwitchName = "operator" | "breaker" | "auditor";

export interface StopSwitch {
  readonly name: StopSwitchName;
  readonly isOn: boolean;
  readonly reason: string;
  readonly changedAtMs: number;
}

export interface AccountStop {
  /** Null: until the operator lifts it. */
  readonly untilMs: number | null;
  readonly reason: string;
}

export interface JournalEntry {
  readonly purchase: PurchaseRecord;
  readonly attempts: readonly (PurchaseAttempt & { readonly outcome: string | null })[];
}

export interface AuditEntry {
  readonly atMs: number;
  readonly kind: string;
  readonly userId: UserId | null;
  /** Plain facts, never a secret or an address. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}
