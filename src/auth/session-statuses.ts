/**
 * Cached statuses of sessions, which decide whether open pages may continue. Changes are read once a second
 * for all sessions together; ends of plans and sessions by time need no read.
 */
import { batchLookups } from "#domain/concurrency.ts";
import type { Clock } from "#domain/clock.ts";
import type { SessionId } from "#domain/ids.ts";
import type { SessionStatus, SessionStore } from "#store/store.ts";

export interface SessionStatuses {
  /** The session's status as it was at most a second ago; null if there is no such session. */
  of(id: SessionId): Promise<SessionStatus | null>;
  /** The session's status, read now. */
  reread(id: SessionId): Promise<SessionStatus | null>;
}

interface SessionStatusesDeps {
  readonly sessions: Pick<SessionStore, "statuses" | "statusChanges">;
  readonly clock: Pick<Clock, "nowMs">;
}

const FRESH_FOR_MS = 1_000;
/** The store keeps changes for longer. After a longer pause everything is read again. */
const MARK_LASTS_MS = 30 * 60_000;
const MAX_ASKED_TOGETHER = 1_000;
/** Several times the number of open pages of a process. */
const MAX_KEPT = 50_000;

export function createSessionStatuses({ sessions, clock }: SessionStatusesDeps): SessionStatuses {
  const kept = new Map<SessionId, SessionStatus>();
  let mark: string | null = null;
  let askedAtMs = -Infinity;
  let asking: Promise<void> | null = null;
  /** Increases with each read of changes: a status read before it may predate one of these. */
  let answers = 0;

  const read = batchLookups(
    (ids: readonly SessionId[]) => sessions.statuses(ids),
    (status) => status.id,
    MAX_ASKED_TOGETHER,
  );

  async function ask(): Promise<void> {
    const nowMs = clock.nowMs();
    const isMarkValid = nowMs - askedAtMs < MARK_LASTS_MS;
    const changes = await sessions.statusChanges(isMarkValid ? mark : null);
    if (!isMarkValid) kept.clear();
    if (changes.userKeys.size > 0)
      for (const [id, { userKey }] of kept) if (changes.userKeys.has(userKey)) kept.delete(id);
    mark = changes.mark;
    askedAtMs = nowMs;
    answers += 1;
  }

  /** One read of changes for all calls within a second. */
  async function askUnlessFresh(): Promise<void> {
    const ageMs = clock.nowMs() - askedAtMs;
    if (ageMs >= 0 && ageMs < FRESH_FOR_MS) return;
    asking ??= ask().finally(() => {
      asking = null;
    });
    await asking;
  }

  async function reread(id: SessionId): Promise<SessionStatus | null> {
    const answersBefore = answers;
    const status = await read(id);
    kept.delete(id);
    if (status !== null && answers === answersBefore && asking === null && kept.size < MAX_KEPT)
      kept.set(id, status);
    return status;
  }

  return {
    reread,
    async of(id) {
      await askUnlessFresh();
      return kept.get(id) ?? (await reread(id));
    },
  };
}
