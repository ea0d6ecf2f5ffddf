import { asc, eq, lt, or, sql } from "drizzle-orm";
import { z } from "zod";
import type { SessionId, UserId } from "#domain/ids.ts";
import { batchLookups } from "#domain/concurrency.ts";
import type { Db, Tx } from "../engines/db.ts";
import { deleteInChunks, isOneOfTexts, isStorable, parsedRows } from "../sql/values.ts";
import { removeDevicesOf } from "./alerts.ts";
import { userOf } from "./users.ts";
import { sessions, standingChanges, users } from "../schema/tables.ts";
import type { SessionStore } from "../store.ts";
import type { Vault } from "../vault/vault.ts";

const MAX_BATCH = 1_000;

const isAmong = (ids: readonly SessionId[]) => isOneOfTexts(sessions.id, ids);

const statusColumns = {
  id: sessions.id,
  userId: sessions.userId,
  createdAtMs: sessions.createdAtMs,
  lastSeenAtMs: sessions.lastSeenAtMs,
  plan: users.plan,
  planEndsAtMs: users.planEndsAtMs,
  isSuspended: users.isSuspended,
  /** As computed by the triggers of migration 0010. */
  userKey: sql<string>`md5(${users.id})`,
};

const changesRow = z.object({ mark: z.string(), user_keys: z.array(z.string()) });

/** Twice the maximum age of a mark, by the database's clock, which also dates the changes. */
const isOld = sql`${standingChanges.atMs} < extract(epoch from clock_timestamp()) * 1000 - 7200000`;

export function createSessionStore(db: Db, vault: Vault): SessionStore {
  /** Read on every request, also refused ones: concurrent reads are batched into one statement. */
  const rowOf = batchLookups(
    async (ids: readonly SessionId[]) =>
      await db
        .select({ session: sessions, user: users })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .where(isAmong(ids)),
    ({ session }) => session.id,
    MAX_BATCH,
  );

  return {
    async create(session) {
      await db.insert(sessions).values(session);
    },
    async find(id) {
      const row = isStorable(id) ? await rowOf(id) : null;
      // Decrypted per caller: one person's unreadable value must not fail the others of the batch.
      return row === null ? null : { session: row.session, user: userOf(vault, row.user) };
    },
    async statuses(ids) {
      return await db
        .select(statusColumns)
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .where(isAmong(ids.filter(isStorable)));
    },
    async statusChanges(mark) {
      // The changes of transactions that were open at the mark or began later.
      const changes = sql`
        select pg_snapshot_xmin(pg_current_snapshot())::text as mark, array(
          select distinct ${standingChanges.userKey} from ${standingChanges}
          where ${standingChanges.transaction} >= ${mark}::bigint
        ) as user_keys`;
      const [row] = await parsedRows(db, changesRow, changes);
      const { mark: next, user_keys: userKeys } = changesRow.parse(row);
      return { mark: next, userKeys: new Set(userKeys) };
    },
    async touch(ids, nowMs) {
      // Several nodes may touch the same sessions in any order: skipping locked rows prevents deadlocks.
      const free = sql`(select ${sessions.id} from ${sessions}
        where ${isAmong(ids.filter(isStorable))} for no key update skip locked)`;
      await db
        .update(sessions)
        .set({ lastSeenAtMs: nowMs })
        .where(sql`${sessions.id} in ${free}`);
    },
    async end(id, nowMs, keptFor) {
      return await db.transaction(async (tx) => {
        const ended = await tx.delete(sessions).where(eq(sessions.id, id)).returning({ id: sessions.id });
        const deviceOwners = await removeDevicesOf(tx, [id], { nowMs, keptFor });
        return { isEnded: ended.length > 0, deviceOwners };
      });
    },
    async ofUser(userId) {
      return await db
        .select()
        .from(sessions)
        .where(eq(sessions.userId, userId))
        .orderBy(asc(sessions.createdAtMs), asc(sessions.id));
    },
    endAll: (userId, nowMs) => db.transaction((tx) => endAllOf(tx, userId, nowMs)),
    async prune(idleBeforeMs, createdBeforeMs) {
      await db
        .delete(sessions)
        .where(or(lt(sessions.lastSeenAtMs, idleBeforeMs), lt(sessions.createdAtMs, createdBeforeMs)));
      await deleteInChunks(db, standingChanges, isOld);
    },
  };
}

async function endAllOf(tx: Tx, userId: UserId, nowMs: number): Promise<readonly SessionId[]> {
  const ended = await tx.delete(sessions).where(eq(sessions.userId, userId)).returning({ id: sessions.id });
  const ids = ended.map(({ id }) => id);
  await removeDevicesOf(tx, ids, { nowMs });
  return ids;
}
