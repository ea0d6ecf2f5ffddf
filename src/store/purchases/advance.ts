import { eq, sql, type SQL } from "drizzle-orm";
import type { UserId } from "#domain/ids.ts";
import type { Db, Tx } from "../engines/db.ts";
import { asOnlyWrite } from "../engines/only-write.ts";
import { buyingAccounts, purchaseAttempts, purchases } from "../schema/purchase-tables.ts";
import type {
  Advance,
  Decider,
  PurchaseKey,
  AttemptMove,
  MoneyMove,
  PurchaseRecord,
} from "../purchase-store.ts";
import { readPurchase } from "./facts.ts";
import { lockPerson } from "./locks.ts";
import { changedColumns, type toRow } from "./rows.ts";
import { settings } from "../schema/tables.ts";
import type { PgTable } from "drizzle-orm/pg-core";
import type { MoneyLimits } from "#domain/settings.ts";
import { inOneStatement, columnOf, driverValue } from "../sql/rows.ts";
import { type Slot, preparedWrite, slotted } from "../sql/prepared.ts";
import { moneyValues, moneySql } from "./money.ts";

/** One transition in one transaction: facts under locks, the pure decision, and everything that it writes. */
export async function advance(
  db: Db,
  { id, userId }: PurchaseKey,
  nowMs: number,
  decide: Decider,
): Promise<Advance | null> {
  return await db.transaction(async (tx) => {
    await lockPerson(tx, userId);
    const found = await readPurchase(tx, { id, userId }, nowMs);
    if (found === null) return null;
    const { record: before, facts } = found;
    const change = decide(before, facts);
    if (change === null) return { before, after: before, change };
    const columns = { ...changedColumns(before, change.next), ...(change.isNews && { isPublished: false }) };
    const earlier = change.attempts.slice(0, -1);
    for (const move of earlier) await writeAttempt(tx, before, move, nowMs);
    if (change.stopsUser) await stopUser(tx, userId, nowMs);
    const { money } = change;
    const { limits } = facts;
    const attempt = change.attempts.at(-1) ?? null;
    const write = async (): Promise<void> =>
      await writeAdvance(tx, { before, columns, attempt, money, limits, nowMs });
    const isAlone = earlier.length === 0 && !change.stopsUser;
    await (isAlone ? asOnlyWrite(write) : write());
    return { before, after: change.next, change };
  });
}

async function stopUser(tx: Tx, userId: UserId, nowMs: number): Promise<void> {
  await tx.update(settings).set({ isStopped: true }).where(eq(settings.userId, userId));
  await tx
    .insert(buyingAccounts)
    .values({ userId, stopThrownAtMs: nowMs })
    .onConflictDoUpdate({ target: buyingAccounts.userId, set: { stopThrownAtMs: nowMs } });
}

type Fields = Readonly<Record<string, unknown>>;

interface AdvanceWrite {
  readonly before: PurchaseRecord;
  readonly columns: Partial<ReturnType<typeof toRow>>;
  readonly attempt: AttemptMove | null;
  readonly money: readonly MoneyMove[];
  readonly limits: MoneyLimits;
  readonly nowMs: number;
}

/**
 * One statement, generated once per shape: a purchase is advanced half a dozen times, and generating the SQL each time
 * took longer than the decision.
 */
async function writeAdvance(db: Db, write: AdvanceWrite): Promise<void> {
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

/** In a statement of its own: the move that is written with the purchase may concern the same attempt. */
async function writeAttempt(db: Db, before: PurchaseRecord, move: AttemptMove, nowMs: number): Promise<void> {
  await attemptWrite(db, move.kind, attemptValues(before, move, nowMs));
}

interface AdvanceShape {
  readonly columns: readonly string[];
  readonly attempt: AttemptMove["kind"] | null;
  readonly hasMoney: boolean;
}

const advanceWrite = preparedWrite(({ columns, attempt, hasMoney }: AdvanceShape, slot) =>
  inOneStatement(
    [...(hasMoney ? moneySql(slot) : []), ...(attempt === null ? [] : [attemptSql(attempt, slot)])],
    sql`update ${purchases} set ${assignments(purchases, columns, "purchase", slot)} where ${purchases.id} = ${slot("id")}`,
  ),
);

const attemptWrite = preparedWrite(attemptSql);

const ATTEMPT_COLUMNS = {
  opened: [],
  paying: ["digest", "sentAtMs", "deadlineMs"],
  ended: ["endedAtMs", "outcome", "evidence"],
} as const;

function attemptSql(kind: AttemptMove["kind"], slot: Slot<string>): SQL {
  const key = [slot("attempt.purchaseId"), slot("attempt.n")] as const;
  if (kind === "opened")
    return sql`insert into ${purchaseAttempts} (purchase_id, n, user_id, started_at_ms)
      values (${key[0]}, ${key[1]}, ${slot("attempt.userId")}, ${slot("attempt.startedAtMs")})`;
  return sql`update ${purchaseAttempts}
    set ${assignments(purchaseAttempts, ATTEMPT_COLUMNS[kind], "attempt", slot)}
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

/** @param fields property names of the columns */
function assignments(table: PgTable, fields: readonly string[], prefix: string, slot: Slot<string>): SQL {
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
