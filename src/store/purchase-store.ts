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
 * The port of the purchase engine to the store: rows, budgets and the ledger of money.
 * The store applies no purchase rule: it reads facts with their versions, passes them to a pure decision, and writes the
 * result only if the versions are still the same. Otherwise it reads and decides again.
 */
export interface PurchaseStore extends PurchaseBooks, Decisions {
  record(key: PurchaseKey): Promise<PurchaseRecord | null>;
  /** For the operator, who names a purchase without its owner. */
  find(id: PurchaseId): Promise<PurchaseRecord | null>;
  /**
   * Newest first, without hidden ones and bare attempts.
   * @param before only purchases older than this one; none if it belongs to another person
   */
  list(userId: UserId, limit: number, before?: PurchaseId): Promise<readonly PurchaseRecord[]>;
  /** Everything, hidden ones and bare attempts too, newest first: the person's journal. */
  journal(userId: UserId, limit: number): Promise<readonly JournalEntry[]>;
  /** How many of the person's purchases may still cost them money, or give it back. */
  openCount(userId: UserId): Promise<number>;
  /** What counts against the limits of a day ("2026-03-29") or a month ("2026-03"). */
  totals(userId: UserId, period: string): Promise<BudgetTotals>;
  /** The newest purchase of this order. */
  byTransaction(userId: UserId, transactionId: number): Promise<PurchaseRecord | null>;
  /** Hides the final ones. @returns how many */
  hideFinal(userId: UserId, nowMs: number): Promise<number>;

  /** Those whose lease has ended or whose next order check is due, the longest waiting first. */
  due(nowMs: number, limit: number): Promise<readonly PurchaseRecord[]>;
  /** Changes from before a moment that are not published yet, oldest first. */
  unpublished(movedBeforeMs: number, limit: number): Promise<readonly PurchaseRecord[]>;
  /** The ends of automatic buying that were written with this purchase's changes, oldest first. */
  stopsOf(key: PurchaseKey): Promise<readonly BuyingStop[]>;
  /**
   * At the start of the only process: ends the leases and account refreshes of earlier processes.
   * @returns how many purchases were released
   */
  endForeignLeases(owner: string, nowMs: number): Promise<number>;

  /** The purchases of the person that name one of these orders, or last tried to pay it. */
  ownersOfTransactions(
    userId: UserId,
    transactionIds: readonly number[],
  ): Promise<
    readonly Pick<
      PurchaseRecord,
      "id" | "state" | "transactionId" | "attemptTransactionId" | "listingId" | "filterId" | "groupId"
    >[]
  >;
  /**
   * Books an order that was made elsewhere; false when one of the person's purchases names it, or may yet.
   * The money is booked as `extra`: always possible, counted in later decisions.
   */
  recordExternal(order: ExternalOrder): Promise<boolean>;
  /** The right to sweep an account's orders, once per interval over all nodes. */
  claimSweep(userId: UserId, nowMs: number, sweptBeforeMs: number): Promise<boolean>;
  /** People with a purchase that is not final or whose order may still change. */
  userIdsWithOpenPurchases(): Promise<readonly UserId[]>;
  /** People with a filter that buys automatically and a connected account. */
  userIdsWithAutobuy(): Promise<readonly UserId[]>;

  switches(): Promise<readonly StopSwitch[]>;
  /** Durable, and seen by every decision that has not committed yet. */
  setSwitch(change: StopSwitch): Promise<void>;
  accountStop(userId: UserId): Promise<AccountStop | null>;
  /** A stop of one account, clicks included, until the operator lifts it. */
  stopAccount(userId: UserId, reason: string): Promise<void>;
  /** The same where no stop is in force: an existing one keeps its reason. */
  stopUnlessStopped(userId: UserId, reason: string): Promise<void>;
  /** Takes back a stop that was thrown for this reason; one for another reason, and pauses, stay. */
  endAccountStop(userId: UserId, reason: string): Promise<void>;
  /** A pause of one account that lifts itself, longer each time; the answer says until when. */
  pauseAccount(userId: UserId, reason: string, nowMs: number): Promise<number>;
  /** Lifts the account's stop, and the person's own when a breaker threw it; true when that one was lifted. */
  resumeAccount(userId: UserId, nowMs: number): Promise<boolean>;

  /** Inconsistencies between ledger, budgets and purchases, in English, for the operator; empty when there are none. */
  auditLedger(nowMs: number): Promise<readonly string[]>;
}

/**
 * The four operations on which every purchase rests, each a single statement: facts without a lock, and writes that take
 * effect only while the facts are still true.
 */
export interface PurchaseBooks {
  /** In the order of the questions, which concern different people. Null for a purchase that does not exist. */
  facts(questions: readonly Question[]): Promise<readonly (PersonFacts | null)[]>;
  /** Creates purchases of different people and listings, with what goes with them. @returns what became of each, in order */
  open(openings: readonly Opening[]): Promise<readonly OpenResult[]>;
  /** Writes one transition. Null, and nothing written: the purchase, its person or a switch has changed meanwhile. */
  move(move: Move): Promise<Moved | null>;
  /** The purchases were published as they were then; later changes of them stay pending. */
  published(records: readonly Published[]): Promise<void>;
}

/** Whose facts: those of one purchase, or those of a wish. */
export type Question =
  | (PurchaseKey & { readonly kind: "purchase"; readonly nowMs: number })
  | ({ readonly kind: "wish" } & Pick<
      Proposal,
      "userId" | "filterId" | "dayKey" | "monthKey" | "nowMs" | "listing"
    >);

/** What identifies a state of the facts. */
export interface Versions {
  /** Null: there is no such person. */
  readonly person: number | null;
  readonly switches: number;
}

export interface PersonFacts extends ProposalFacts {
  readonly versions: Versions;
  readonly tokens: AccountTokens | null;
  /** The purchase that was asked about, with its revision; null for a wish. */
  readonly purchase: { readonly record: PurchaseRecord; readonly revision: number } | null;
}

export interface Opening {
  readonly versions: Versions;
  readonly change: Change;
  readonly limits: MoneyLimits;
  readonly origin: PurchaseOriginFacts | null;
}

/** stale: the person or a switch changed. taken: another purchase of the listing is there. */
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
  /** What ended with it: these filters no longer buy automatically. */
  readonly stops: readonly BuyingStop[];
}

export type Published = Pick<PurchaseRecord, "id" | "state" | "updatedAtMs">;

/** How a purchase came about, for its story. */
export type PurchaseOriginFacts = Pick<PurchaseOrigin, "firstSeenAtMs" | "leafIds" | "usual">;

/** Decisions about purchases, made on facts and written while they hold (decisions.ts). */
export interface Decisions {
  /**
   * ∅ → INTENT (a simulation: CONFIRMED), or already the first attempt. No stop switch and no other decision about this
   * person's money can commit between the facts and the write. Asking again for the same id finds what the first call
   * created. `conflict`: another purchase of the listing committed first, or the person's facts did not hold still.
   */
  propose<Refusal>(
    proposal: Proposal,
    decide: (facts: ProposalFacts) => Admission<Refusal>,
  ): Promise<ProposalOutcome<Refusal>>;

  /**
   * Every other transition. Null: no such purchase. A decision of null changes nothing.
   * @param inHand what an earlier call returned of this purchase: saves reading the facts while they still hold
   */
  advance(key: PurchaseKey, nowMs: number, decide: Decider, inHand?: InHand | null): Promise<Advance | null>;
}

/** A purchase and its facts as a process knows them, with the versions by which the store recognises them. */
export interface InHand {
  readonly record: PurchaseRecord;
  readonly revision: number;
  readonly versions: Versions;
  readonly facts: PurchaseFacts;
  /** The session with which it is bought. */
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
  /** What is written for the new intent: itself, or already its first attempt. Absent: the intent, unpublished. */
  readonly begin?: (intent: PurchaseRecord, facts: PurchaseFacts) => Change;
}

export type Admission<Refusal> =
  /** The lane is that of the plan in the facts, not of the wish. */
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
      readonly inHand: InHand | null;
      readonly stops: readonly BuyingStop[];
    }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "conflict" };

export type Decider = (record: PurchaseRecord, facts: PurchaseFacts) => Change | null;

/** One transition: the row as it will be, and what goes with it in the same transaction. */
export interface Change {
  readonly next: PurchaseRecord;
  readonly money: readonly MoneyMove[];
  readonly attempts: readonly AttemptMove[];
  /** A breaker turns the person's stop switch on. */
  readonly stopsUser: boolean;
  /** To be published: recorded with the change itself, until `published`. */
  readonly isNews?: boolean;
  readonly audit?: AuditEntry;
}

export interface Advance {
  readonly before: PurchaseRecord;
  readonly after: PurchaseRecord;
  readonly change: Change | null;
  /** For the next call; null where the write itself outdated it. */
  readonly inHand: InHand | null;
  /** What ended with it. */
  readonly stops: readonly BuyingStop[];
}

/** All amounts in cents. */
export type MoneyMove =
  /** The first hold counts a purchase; later ones move it up or down to the last quote. */
  | { readonly kind: "hold"; readonly cents: number; readonly isFirst: boolean }
  | { readonly kind: "release"; readonly heldCents: number }
  | { readonly kind: "capture"; readonly heldCents: number; readonly cents: number }
  | { readonly kind: "overshoot"; readonly cents: number }
  /** Recorded, never booked back: a refund does not re-open a limit. */
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

export interface ExternalOrder extends Pick<
  PurchaseRecord,
  "id" | "userId" | "listingId" | "listing" | "dayKey" | "monthKey"
> {
  readonly transactionId: number;
  /** Of the purchase that began to pay it, whose filter and group count it; absent or null: none. */
  readonly filterId?: FilterId | null;
  readonly groupId?: GroupId | null;
  readonly totalCents: number;
  readonly orderedAtMs: number;
  readonly nowMs: number;
}

/** What stopped all buying; `breaker` lifts itself, the others only the operator lifts. */
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
