import { z } from "zod";
import { type BuyingRules, type BuyingStop, type EndReason, NO_RULES } from "#domain/buying-rules.ts";
import { asFilterId, asGroupId, type FilterId, type UserId } from "#domain/ids.ts";
import type { MoneyLimits } from "#domain/settings.ts";
import type { Sql } from "../engines/db.ts";
import {
  accountTokens,
  limitsOf,
  type SavedColumns,
  settingsOf,
  type TokenColumns,
  UNSAVED_SETTINGS,
} from "../people/settings.ts";
import type { BudgetTotals, FilterTerms, SpendingFacts } from "../purchase-facts.ts";
import type {
  AttemptMove,
  AuditEntry,
  MoneyMove,
  Move,
  Moved,
  Opening,
  OpenResult,
  PersonFacts,
  PurchaseOperations,
  Question,
} from "../purchase-store.ts";
import { columnsOf, rowsAsJson, statement } from "../sql/values.ts";
import type { Vault } from "../vault/vault.ts";
import { purchaseAsJson, purchaseInJson, sellerColumns } from "./rows.ts";

const FACTS = statement("facts");
const OPEN = statement("open");
const MOVE = statement("move");
const PUBLISHED = statement("published");

/** The four operations on purchases, each one statement of SQL. */
export function createPurchaseOperations(sql: Sql, vault: Vault): PurchaseOperations {
  return {
    async facts(questions) {
      const rows = await sql.query(FACTS, [rowsAsJson(questions.map(questionRow))]);
      const byNumber = new Map(rows.map((row) => factsRow.parse(row)).map(({ n, facts }) => [n, facts]));
      return questions.map((question, n) => {
        const row = byNumber.get(n);
        return row === undefined ? null : factsOf(vault, question, row);
      });
    },
    async open(openings) {
      // All facts come from one statement and share the version of the switches.
      const switches = openings[0]?.versions.switches ?? null;
      const rows = await sql
        .query(OPEN, [JSON.stringify(openings.map(openingColumns)), switches])
        .catch((error: unknown) => {
          // In a batch the timeout is thrown: the caller then retries each opening alone.
          if (openings.length === 1 && isLockTimeout(error)) return [{ n: 0, kind: "stale", stops: null }];
          throw error;
        });
      const byNumber = new Map(rows.map((row) => openedRow.parse(row)).map((row) => [row.n, row]));
      return openings.map(({ change }, n) => resultOf(byNumber.get(n), change.next.userId));
    },
    move: (move) => write(sql, move),
    async published(records) {
      await sql.query(PUBLISHED, [
        rowsAsJson(records.map(({ id, state, updatedAtMs }) => ({ id, state, updatedAtMs }))),
      ]);
    },
  };
}

function questionRow(question: Question, n: number): object {
  const asked = { n, userId: question.userId, nowMs: Math.trunc(question.nowMs) };
  if (question.kind === "purchase") return { ...asked, purchaseId: question.id };
  const { listing, filterId, dayKey, monthKey } = question;
  return { ...asked, listingId: listing.id, ...sellerColumns(listing), filterId, dayKey, monthKey };
}

/** One row of FACTS, as facts.sql returns it; bytea values are in base64. */
interface FactsDocument extends Omit<
  PersonFacts,
  "settings" | "tokens" | "filter" | "spending" | "own" | "purchase"
> {
  readonly filter: (Omit<FilterTerms, "rules"> & { readonly rules: Partial<BuyingRules> }) | null;
  readonly wrappedDataKey: string | null;
  readonly saved: InBase64<SavedColumns> | null;
  readonly account: InBase64<TokenColumns> | null;
  readonly spending: Omit<SpendingFacts, "limits" | "day" | "month"> & {
    readonly day: BudgetTotals | null;
    readonly month: BudgetTotals | null;
  };
  readonly own: readonly unknown[] | null;
}

type InBase64<Row> = {
  readonly [Field in keyof Row]: Row[Field] extends Uint8Array | null ? string | null : Row[Field];
};

const factsRow = z.object({
  n: z.number(),
  facts: z.custom<FactsDocument>((value) => typeof value === "object"),
});

function factsOf(
  vault: Vault,
  question: Question,
  { saved, account, wrappedDataKey, ...row }: FactsDocument,
): PersonFacts | null {
  const own = (row.own ?? []).map((document) => purchaseInJson.parse(document));
  const asked = question.kind === "purchase" ? question.id : null;
  const purchase = own.find(({ record }) => record.id === asked) ?? null;
  if (asked !== null && purchase === null) return null;
  const { filter, spending } = row;
  return {
    ...row,
    ...sessionOf(vault, { saved, account, wrappedDataKey }),
    filter: filter === null ? null : { ...filter, rules: { ...NO_RULES, ...filter.rules } },
    spending: saved === null ? NO_SPENDING : spendingOf(saved, spending),
    own: own.map(({ record }) => record),
    purchase,
  };
}

function sessionOf(
  vault: Vault,
  { saved, account, wrappedDataKey }: Pick<FactsDocument, "saved" | "account" | "wrappedDataKey">,
): Pick<PersonFacts, "settings" | "tokens"> {
  if (saved === null || wrappedDataKey === null) return { settings: UNSAVED_SETTINGS, tokens: null };
  const key = vault.dataKey(saved.userId, Buffer.from(wrappedDataKey, "base64"));
  const sealed = {
    ...saved,
    sealedAddress: bytesOf(saved.sealedAddress),
    sealedPickupPoints: bytesOf(saved.sealedPickupPoints),
  };
  const session = account && {
    ...account,
    sealedRefreshToken: bytesOf(account.sealedRefreshToken),
    sealedAccessToken: bytesOf(account.sealedAccessToken),
  };
  return {
    settings: settingsOf(key, sealed, session),
    tokens: session === null ? null : accountTokens(key, session),
  };
}

function bytesOf(base64: string | null): Uint8Array | null {
  return base64 === null ? null : Buffer.from(base64, "base64");
}

export const NOTHING_SPENT: BudgetTotals = { heldCents: 0, capturedCents: 0, extraCents: 0, purchases: 0 };

/** Used for erased people: forbids any spending. */
export const NO_SPENDING: SpendingFacts = {
  isEveryoneStopped: false,
  isAccountStopped: true,
  limits: { dayEur: 0, monthEur: 0, purchasesPerDay: 0, isStopped: true, isPrudent: true },
  mandateVersion: null,
  day: NOTHING_SPENT,
  month: NOTHING_SPENT,
  recentUnknownOutcomes: 0,
};

function spendingOf(saved: InBase64<SavedColumns>, { day, month, ...rest }: FactsDocument["spending"]) {
  return { ...rest, limits: limitsOf(saved), day: day ?? NOTHING_SPENT, month: month ?? NOTHING_SPENT };
}

function openingColumns({ versions, change, limits, origin }: Opening, n: number): object {
  const { next, audit, isNews = false } = change;
  const values = {
    n,
    version: versions.person,
    isTold: !isNews,
    ...capsOf(limits),
    ...auditOf(audit),
    firstSeenAtMs: origin?.firstSeenAtMs,
    leafIds: origin === null ? null : JSON.stringify(origin.leafIds),
    usualCents: origin?.usual?.medianCents,
    usualSample: origin?.usual?.sampleSize,
  };
  return { ...purchaseAsJson(next), ...columnsOf(values) };
}

const capsOf = ({ dayEur, monthEur }: MoneyLimits) => ({
  dayCapCents: dayEur * 100,
  monthCapCents: monthEur * 100,
});

const auditOf = (audit: AuditEntry | undefined) =>
  audit && { auditKind: audit.kind, auditDetails: JSON.stringify(audit.details) };

/** The stops that the statements return; null: none. */
const stopRows = z.nullable(
  z.array(
    z.object({
      reason: z.enum(["group", "max_purchases", "total_budget", "failures"]),
      groupId: z.nullable(z.string()),
      /** Joined by commas. */
      filterIds: z.string(),
    }),
  ),
);

function stopsIn(rows: z.infer<typeof stopRows>, userId: UserId): readonly BuyingStop[] {
  return (rows ?? []).map(({ reason, groupId, filterIds }) => ({
    userId,
    reason,
    groupId: groupId === null ? null : asGroupId(groupId),
    filterIds: filterIds.split(",").map(asFilterId),
  }));
}

/** The details of an audit entry `autobuy.stopped`. */
export function stopOfEntry(details: unknown, userId: UserId): BuyingStop | null {
  const [stop] = stopsIn(stopRows.safeParse([details]).data ?? null, userId);
  return stop ?? null;
}

/** The stops with only those of their filters that are still off by them: the others may buy again, or are gone. */
export function holdingStops(
  stops: readonly BuyingStop[],
  endOf: (filterId: FilterId) => EndReason | null | undefined,
): readonly BuyingStop[] {
  return stops
    .map((stop) => ({ ...stop, filterIds: stop.filterIds.filter((id) => endOf(id) === stop.reason) }))
    .filter(({ filterIds }) => filterIds.length > 0);
}

const openedRow = z.object({
  n: z.number(),
  kind: z.enum(["opened", "stale", "taken"]),
  stops: stopRows,
});

function resultOf(row: z.infer<typeof openedRow> | undefined, userId: UserId): OpenResult {
  if (row === undefined) throw new Error("an opening has no result");
  const { kind, stops } = row;
  return kind === "opened" ? { kind, stops: stopsIn(stops, userId) } : { kind };
}

const LOCK_TIMEOUT = "55P03";

/** Another transaction holds the person's row for longer than decisions take, perhaps to change the facts. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === LOCK_TIMEOUT;
}

const movedRow = z.object({ version: z.number().nullable(), stops: stopRows });

async function write(sql: Sql, move: Move): Promise<Moved | null> {
  const { versions } = move;
  const { money, attempts } = move.change;
  const entries = money.map((each, n) => ({
    n,
    kind: each.kind,
    amountCents: ledgerAmount(each),
    ...deltasOf(each),
  }));
  const values = [
    JSON.stringify(moveColumns(move)),
    versions.switches,
    rowsAsJson(attemptRows(attempts, move.nowMs)),
    rowsAsJson(entries),
  ];
  const [row] = await sql.query(MOVE, values).catch((error: unknown) => {
    if (isLockTimeout(error)) return [{ version: null, stops: null }];
    throw error;
  });
  const { version, stops } = movedRow.parse(row);
  return version === null ? null : { version, stops: stopsIn(stops, move.before.userId) };
}

function moveColumns({ before, revision, versions, change, limits, nowMs }: Move): object {
  const { next, money, stopsUser, isNews = false, audit } = change;
  const values = {
    version: versions.person,
    revision,
    isNews,
    stopsUser,
    nowMs,
    movesMoney: money.length > 0,
    ...sumOfDeltas(money),
    ...capsOf(limits),
    ...auditOf(audit),
  };
  return { ...purchaseAsJson({ ...next, id: before.id, userId: before.userId }), ...columnsOf(values) };
}

/** One row for each attempt, since a statement may write each row only once. */
function attemptRows(moves: readonly AttemptMove[], nowMs: number): readonly object[] {
  const byNumber = Map.groupBy(moves, ({ n }) => n);
  return Array.from(byNumber, ([n, ofOne]) =>
    ofOne.reduce((row, move) => ({ ...row, ...attemptFields(move, nowMs) }), { n }),
  );
}

function attemptFields(move: AttemptMove, nowMs: number): object {
  if (move.kind === "opened") return { startedAtMs: nowMs };
  if (move.kind === "paying") return { digest: move.digest, sentAtMs: nowMs, deadlineMs: move.deadlineMs };
  return { endedAtMs: nowMs, outcome: move.outcome, evidence: JSON.stringify(move.evidence) };
}

/** What a money move changes in the budgets of its day and month, in cents. */
interface Deltas {
  readonly held: number;
  readonly captured: number;
  readonly extra: number;
  readonly purchases: number;
}

const NONE: Deltas = { held: 0, captured: 0, extra: 0, purchases: 0 };

export function deltasOf(move: MoneyMove): Deltas {
  if (move.kind === "hold") return { ...NONE, held: move.cents, purchases: move.isFirst ? 1 : 0 };
  if (move.kind === "release") return { ...NONE, held: -move.heldCents, purchases: -1 };
  if (move.kind === "capture") return { ...NONE, held: -move.heldCents, captured: move.cents };
  // A refund is recorded and changes no budget.
  return { ...NONE, extra: EXTRA_SIGN[move.kind] * move.cents };
}

const EXTRA_SIGN = { overshoot: 1, external: 1, refund: 0 } as const;

function sumOfDeltas(moves: readonly MoneyMove[]): Deltas {
  return moves.map(deltasOf).reduce(add, NONE);
}

export function ledgerAmount(move: MoneyMove): number {
  return move.kind === "release" ? move.heldCents : move.cents;
}

function add(one: Deltas, other: Deltas): Deltas {
  return {
    held: one.held + other.held,
    captured: one.captured + other.captured,
    extra: one.extra + other.extra,
    purchases: one.purchases + other.purchases,
  };
}
