import { z } from "zod";
import { type BuyingRules, type BuyingStop, NO_RULES } from "#domain/buying-rules.ts";
import { asFilterId, asGroupId, type UserId } from "#domain/ids.ts";
import type { MoneyLimits } from "#domain/settings.ts";
import type { Sql } from "../engines/db.ts";
import { accountTokens, type TokenColumns } from "../people/accounts.ts";
import { limitsOf, type SavedColumns, settingsOf, UNSAVED_SETTINGS } from "../people/settings.ts";
import type {
  AttemptMove,
  AuditEntry,
  BudgetTotals,
  FilterTerms,
  GroupTerms,
  Move,
  Moved,
  Opening,
  OpenResult,
  PersonFacts,
  Published,
  PurchaseBooks,
  Question,
  RuleSums,
  SpendingFacts,
} from "../purchase-store.ts";
import { FACTS, MOVE, OPEN, PUBLISHED } from "../sql/statements.ts";
import type { Vault } from "../vault/vault.ts";
import { deltasOf, ledgerAmount, sumOfDeltas } from "./money.ts";
import { purchaseAsJson, purchaseInJson, sellerColumns } from "./rows.ts";

/** The four operations on purchases, each one statement of SQL: facts.sql, open.sql, move.sql, published.sql. */
export function createBooks(sql: Sql, vault: Vault): PurchaseBooks {
  return {
    async facts(questions) {
      const rows = await sql.query(FACTS, [JSON.stringify(questions.map(questionAsJson))]);
      const byNumber = new Map(rows.map((row) => factsRow.parse(row).facts).map((row) => [row.n, row]));
      return questions.map((question, n) => {
        const row = byNumber.get(n);
        return row === undefined ? null : factsOf(vault, question, row);
      });
    },
    async open(openings) {
      // All facts are of one statement, so that they share the version of the switches.
      const switches = openings[0]?.versions.switches ?? null;
      const rows = await sql
        .query(OPEN, [JSON.stringify(openings.map(openingAsJson)), switches])
        .catch((error: unknown) => {
          // Together with others, the caller tries each alone.
          if (openings.length === 1 && isLockTimeout(error)) return [{ n: 0, kind: "stale", stops: null }];
          throw error;
        });
      const byNumber = new Map(rows.map((row) => openedRow.parse(row)).map((row) => [row.n, row]));
      return openings.map(({ change }, n) => resultOf(byNumber.get(n), change.next.userId));
    },
    move: (move) => write(sql, move),
    async published(records) {
      await sql.query(PUBLISHED, [JSON.stringify(records.map(publishedAsJson))]);
    },
  };
}

const publishedAsJson = ({ id, state, updatedAtMs }: Published) => ({
  id,
  state,
  updated_at_ms: updatedAtMs,
});

function questionAsJson(question: Question, n: number): object {
  const { userId, nowMs } = question;
  if (question.kind === "purchase")
    return { n, user_id: userId, purchase_id: question.id, now_ms: Math.trunc(nowMs) };
  const { listing, filterId, dayKey, monthKey } = question;
  const { sellerId, sellerLogin } = sellerColumns(listing);
  const offered = { listing_id: listing.id, seller_id: sellerId, seller_login: sellerLogin };
  const wish = { filter_id: filterId, day_key: dayKey, month_key: monthKey };
  return { n, user_id: userId, now_ms: Math.trunc(nowMs), ...offered, ...wish };
}

/** One row of FACTS, as facts.sql writes it: its bytes are in base64. */
interface FactsDocument extends Pick<
  PersonFacts,
  "user" | "rivalState" | "isSellerBlocked" | "beingPaidCount" | "awaitingCount"
> {
  readonly filter: (Omit<FilterTerms, "rules"> & { readonly rules: Partial<BuyingRules> }) | null;
  readonly group: GroupTerms | null;
  readonly taken: RuleSums;
  readonly paid: RuleSums;
  readonly n: number;
  readonly personVersion: number | null;
  readonly switchVersion: number;
  readonly isEveryoneStopped: boolean;
  readonly isAccountStopped: boolean | null;
  readonly wrappedDataKey: string | null;
  readonly saved: InBase64<SavedColumns> | null;
  readonly account: InBase64<TokenColumns> | null;
  readonly day: BudgetTotals | null;
  readonly month: BudgetTotals | null;
  readonly recentUnknownOutcomes: number;
  readonly own: readonly unknown[] | null;
}

type InBase64<Row> = {
  readonly [Field in keyof Row]: Row[Field] extends Uint8Array | null ? string | null : Row[Field];
};

const factsRow = z.object({ facts: z.custom<FactsDocument>((value) => typeof value === "object") });

function factsOf(vault: Vault, question: Question, row: FactsDocument): PersonFacts | null {
  const own = (row.own ?? []).map((document) => purchaseInJson.parse(document));
  const asked = question.kind === "purchase" ? question.id : null;
  const purchase = own.find(({ record }) => record.id === asked) ?? null;
  if (asked !== null && purchase === null) return null;
  const { user, filter, rivalState, isSellerBlocked, beingPaidCount, awaitingCount } = row;
  const { group, taken, paid } = row;
  return {
    versions: { person: row.personVersion, switches: row.switchVersion },
    ...sessionOf(vault, row),
    user,
    filter: filter === null ? null : { ...filter, rules: { ...NO_RULES, ...filter.rules } },
    rivalState,
    isSellerBlocked,
    beingPaidCount,
    awaitingCount,
    ruleFacts: { group, taken, paid },
    spending: spendingOf(row),
    own: own.map(({ record }) => record),
    purchase,
  };
}

function sessionOf(
  vault: Vault,
  { saved, account, wrappedDataKey }: FactsDocument,
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

/** An erased person may spend nothing. */
export const NO_SPENDING: SpendingFacts = {
  isEveryoneStopped: false,
  isAccountStopped: true,
  limits: { dayEur: 0, monthEur: 0, purchasesPerDay: 0, isStopped: true, isPrudent: true },
  mandateVersion: null,
  day: NOTHING_SPENT,
  month: NOTHING_SPENT,
  recentUnknownOutcomes: 0,
};

function spendingOf({ saved, ...row }: FactsDocument): SpendingFacts {
  if (saved === null) return NO_SPENDING;
  return {
    isEveryoneStopped: row.isEveryoneStopped,
    isAccountStopped: row.isAccountStopped ?? true,
    limits: limitsOf(saved),
    mandateVersion: saved.mandateVersion,
    day: row.day ?? NOTHING_SPENT,
    month: row.month ?? NOTHING_SPENT,
    recentUnknownOutcomes: row.recentUnknownOutcomes,
  };
}

function openingAsJson({ versions, change, limits, origin }: Opening, n: number): object {
  const { next, audit, isNews = false } = change;
  return {
    n,
    version: versions.person,
    ...purchaseAsJson(next),
    is_told: !isNews,
    ...capsAsJson(limits),
    ...auditAsJson(audit),
    first_seen_at_ms: origin?.firstSeenAtMs ?? null,
    leaf_ids: origin === null ? null : JSON.stringify(origin.leafIds),
    usual_cents: origin?.usual?.medianCents ?? null,
    usual_sample: origin?.usual?.sampleSize ?? null,
  };
}

const capsAsJson = ({ dayEur, monthEur }: MoneyLimits) => ({
  day_cap_cents: dayEur * 100,
  month_cap_cents: monthEur * 100,
});

const auditAsJson = (audit: AuditEntry | undefined) => ({
  audit_kind: audit?.kind ?? null,
  audit_details: audit === undefined ? null : JSON.stringify(audit.details),
});

/** As the statements return what ended: null for nothing. */
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

/** Another transaction holds the person's row for longer than decisions take: it may be changing what was decided by. */
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
    amount_cents: ledgerAmount(each),
    ...deltasOf(each),
  }));
  const values = [
    JSON.stringify(moveAsJson(move)),
    versions.switches,
    JSON.stringify(attemptsAsJson(attempts, move.nowMs)),
    JSON.stringify(entries),
  ];
  const [row] = await sql.query(MOVE, values).catch((error: unknown) => {
    if (isLockTimeout(error)) return [{ version: null, stops: null }];
    throw error;
  });
  const { version, stops } = movedRow.parse(row);
  return version === null ? null : { version, stops: stopsIn(stops, move.before.userId) };
}

function moveAsJson({ before, revision, versions, change, limits, nowMs }: Move): object {
  const { next, money, stopsUser, isNews = false, audit } = change;
  return {
    ...purchaseAsJson({ ...next, id: before.id, userId: before.userId }),
    version: versions.person,
    revision,
    is_news: isNews,
    stops_user: stopsUser,
    now_ms: nowMs,
    moves_money: money.length > 0,
    ...sumOfDeltas(money),
    ...capsAsJson(limits),
    ...auditAsJson(audit),
  };
}

/** One row for each attempt, since a statement may write each row only once. */
function attemptsAsJson(moves: readonly AttemptMove[], nowMs: number): readonly object[] {
  const byNumber = Map.groupBy(moves, ({ n }) => n);
  return Array.from(byNumber, ([n, ofOne]) =>
    ofOne.reduce((row, move) => ({ ...row, ...attemptColumns(move, nowMs) }), { n }),
  );
}

function attemptColumns(move: AttemptMove, nowMs: number): object {
  if (move.kind === "opened") return { started_at_ms: nowMs };
  if (move.kind === "paying") return { digest: move.digest, sent_at_ms: nowMs, deadline_ms: move.deadlineMs };
  const { outcome, evidence } = move;
  return { ended_at_ms: nowMs, outcome, evidence: JSON.stringify(evidence) };
}
