import { sql, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { MoneyLimits } from "#domain/settings.ts";
import { atOnce } from "./at-once.ts";
import type { Db } from "./engines/db.ts";
import { columnOf, driverValue } from "./insert-rows.ts";
import type { Slot } from "./prepared-read.ts";
import { preparedWrite, slotted } from "./prepared-write.ts";
import { purchaseAttempts, purchases } from "./purchase-schema.ts";
import type { AttemptMove, MoneyMove, PurchaseRecord } from "./purchase-store.ts";
import { moneyValues, moneyWords } from "./purchases-money.ts";
import type { toRow } from "./purchases-rows.ts";

/**
 * What a decision about a purchase writes. In words that are made once for each shape of it: a purchase is advanced
 * half a dozen times, and wording its writes anew took longer than deciding them.
 */

type Fields = Readonly<Record<string, unknown>>;

export interface AdvanceWrite {
  readonly before: PurchaseRecord;
  readonly columns: Partial<ReturnType<typeof toRow>>;
  readonly attempt: AttemptMove | null;
  readonly money: readonly MoneyMove[];
  readonly limits: MoneyLimits;
  readonly nowMs: number;
}

/** One statement, whole or not at all. */
export async function writeAdvance(db: Db, write: AdvanceWrite): Promise<void> {
  const { before, columns, attempt, money, limits, nowMs } = write;
  const shape: AdvanceShape = {
    columns: Object.keys(columns),
    attempt: attempt?.kind ?? null,
    hasMoney: money.length > 0,
  };
  await advanceWrite(db, shape, {
    id: before.id,
    ...slotted("purchase", driverValues(purchases, columns)),
    ...(attempt !== null && attemptValues(before, attempt, nowMs)),
    ...(money.length > 0 && moneyValues(before, money, { nowMs, limits })),
  });
}

/** Of the same attempt, perhaps, as the move that is written with the purchase: that one sees what this one did. */
export async function writeAttempt(
  db: Db,
  before: PurchaseRecord,
  move: AttemptMove,
  nowMs: number,
): Promise<void> {
  await attemptWrite(db, move.kind, attemptValues(before, move, nowMs));
}

interface AdvanceShape {
  readonly columns: readonly string[];
  readonly attempt: AttemptMove["kind"] | null;
  readonly hasMoney: boolean;
}

const advanceWrite = preparedWrite(({ columns, attempt, hasMoney }: AdvanceShape, slot) =>
  atOnce(
    [...(hasMoney ? moneyWords(slot) : []), ...(attempt === null ? [] : [attemptWords(attempt, slot)])],
    sql`update ${purchases} set ${settings(purchases, columns, "purchase", slot)} where ${purchases.id} = ${slot("id")}`,
  ),
);

const attemptWrite = preparedWrite(attemptWords);

const ATTEMPT_COLUMNS = {
  opened: [],
  paying: ["digest", "sentAtMs", "deadlineMs"],
  ended: ["endedAtMs", "outcome", "evidence"],
} as const;

function attemptWords(kind: AttemptMove["kind"], slot: Slot<string>): SQL {
  const key = [slot("attempt.purchaseId"), slot("attempt.n")] as const;
  if (kind === "opened")
    return sql`insert into ${purchaseAttempts} (purchase_id, n, user_id, started_at_ms)
      values (${key[0]}, ${key[1]}, ${slot("attempt.userId")}, ${slot("attempt.startedAtMs")})`;
  return sql`update ${purchaseAttempts}
    set ${settings(purchaseAttempts, ATTEMPT_COLUMNS[kind], "attempt", slot)}
    where ${purchaseAttempts.purchaseId} = ${key[0]} and ${purchaseAttempts.n} = ${key[1]}`;
}

function attemptValues({ id, userId }: PurchaseRecord, move: AttemptMove, nowMs: number): Fields {
  const key = { purchaseId: id, n: move.n };
  return slotted(
    "attempt",
    driverValues(purchaseAttempts, { ...key, ...attemptFields(move, userId, nowMs) }),
  );
}

function attemptFields(move: AttemptMove, userId: string, nowMs: number): Fields {
  if (move.kind === "opened") return { userId, startedAtMs: nowMs };
  if (move.kind === "paying") return { digest: move.digest, sentAtMs: nowMs, deadlineMs: move.deadlineMs };
  return { endedAtMs: nowMs, outcome: move.outcome, evidence: move.evidence };
}

/** @param fields names of the table's columns in the program */
function settings(table: PgTable, fields: readonly string[], prefix: string, slot: Slot<string>): SQL {
  return sql.join(
    fields.map(
      (field) => sql`${sql.identifier(columnOf(table, field).name)} = ${slot(`${prefix}.${field}`)}`,
    ),
    sql`, `,
  );
}

function driverValues(table: PgTable, fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, driverValue(columnOf(table, field), value)]),
  );
}
