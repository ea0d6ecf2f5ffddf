/**
 * Sessions. A session is 256 random bits in a cookie; the store holds only their SHA-256, so that a copy of
 * the store opens no session. User and session are read from the store for every request: the end of a plan,
 * a suspension or a logout elsewhere applies immediately. This room knows no HTTP beyond a cookie's text.
 */
import { createHash, randomBytes } from "node:crypto";
import { batchCalls } from "#domain/concurrency.ts";
import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import { asSessionId, type SessionId, type UserId } from "#domain/ids.ts";
import { levelNow, type User } from "#domain/user.ts";
import type { Session, SessionStatus, SessionStore } from "#store/store.ts";
import { createSessionStatuses } from "./session-statuses.ts";
import { clearedCookieText, cookieText, readCookie } from "./cookies.ts";

const SESSION_COOKIE = "__Host-sid";

/** A session ends after this long without a call; the 60 s refresh of an open page keeps it alive. */
export const SESSION_IDLE_MS = 24 * 60 * 60_000;
/** A session ends after this long in any case. */
export const SESSION_ABSOLUTE_MS = 30 * 24 * 60 * 60_000;
export const MAX_SESSIONS_PER_USER = 5;
// Idle sessions end after a day, so a more precise time is not needed.
const TOUCH_EVERY_MS = 60_000;
const MAX_ASKED_TOGETHER = 1_000;
const SECRET_BYTES = 32;
const SECRET_FORM = /^[A-Za-z0-9_-]{43}$/;

export interface Visitor {
  readonly user: User;
  readonly sessionId: SessionId;
  /** 0 while there is no plan, after its end, and while the person is suspended. */
  readonly level: number;
}

export interface Sessions {
  /** The person of a `Cookie` header; null without a session, or for an unknown or ended one. */
  visitor(cookieHeader: string | undefined): Promise<Visitor | null>;
  /**
   * The session's level as it was at most a second ago, or now; null when it has ended. Open pages may ask at
   * every event: changes are read from the store once a second for all of them.
   */
  levelOf(id: SessionId, as?: "recent" | "now"): Promise<number | null>;
  /**
   * Begins a session and ends the one that it replaces; beyond five, the person's oldest ones end.
   * @returns the whole `Set-Cookie` text
   */
  start(userId: UserId, options?: StartOptions): Promise<{ readonly cookie: string }>;
  /** The person's sessions, most recently used first. */
  ofUser(userId: UserId): Promise<readonly OwnSession[]>;
  /** Ends a session and its devices, and publishes both; an unknown session is not an error. */
  end(sessionId: SessionId): Promise<void>;
  /** Ends all of a person's sessions: suspension, erasure. */
  endAll(userId: UserId): Promise<void>;
  /** Deletes expired sessions from the store. */
  prune(): Promise<void>;
}

interface StartOptions {
  /** The session that this one replaces. */
  readonly replaced?: SessionId | undefined;
  /** Browser and system in a few words. */
  readonly device?: string;
}

/** One of a person's sessions. The handle identifies it and is not a credential. */
interface OwnSession extends Session {
  readonly handle: string;
}

interface SessionsDeps {
  readonly sessions: SessionStore;
  readonly events: Pick<EventBus, "publish">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** The `Set-Cookie` text that removes the session's cookie. */
export const CLEARED_SESSION_COOKIE = clearedCookieText(SESSION_COOKIE, "Strict");

/** How the audit log names a session: the beginning of its id, which is itself a hash. */
export function sessionMark(id: SessionId): string {
  return id.slice(0, 16);
}

/** The session id of a `Cookie` header, whether or not that session exists. */
export function sessionIdOf(cookieHeader: string | undefined): SessionId | null {
  const secret = readCookie(cookieHeader, SESSION_COOKIE);
  return secret !== undefined && SECRET_FORM.test(secret) ? idOfSecret(secret) : null;
}

export function createSessions(deps: SessionsDeps): Sessions {
  const { sessions, events, clock } = deps;
  const statuses = createSessionStatuses(deps);

  const touch = batchCalls(async (ids: readonly SessionId[]) => {
    await sessions.touch(ids, clock.nowMs());
    return () => undefined;
  }, MAX_ASKED_TOGETHER);

  return {
    end: (sessionId) => end(deps, sessionId),
    async levelOf(id, as = "recent") {
      const levelIn = (status: SessionStatus | null): number | null => {
        const nowMs = clock.nowMs();
        return status === null || isOver(status, nowMs) ? null : levelNow(status, nowMs);
      };
      const recent = as === "now" ? null : levelIn(await statuses.of(id));
      // The cached status may predate the session's latest use.
      return recent ?? levelIn(await statuses.reread(id));
    },
    async visitor(cookieHeader) {
      const sessionId = sessionIdOf(cookieHeader);
      if (sessionId === null) return null;
      const found = await sessions.find(sessionId);
      if (found === null) return null;
      const nowMs = clock.nowMs();
      if (isOver(found.session, nowMs)) {
        // Alerts must still reach a person who merely did not visit for a day.
        await end(deps, sessionId, found.user.id);
        return null;
      }
      if (nowMs - found.session.lastSeenAtMs >= TOUCH_EVERY_MS) await touch(sessionId);
      return { user: found.user, sessionId, level: levelNow(found.user, nowMs) };
    },
    async ofUser(userId) {
      const nowMs = clock.nowMs();
      const live = (await sessions.ofUser(userId)).filter((session) => !isOver(session, nowMs));
      return live
        .map((session) => ({ ...session, handle: handleOf(session.id) }))
        .toSorted((one, other) => other.lastSeenAtMs - one.lastSeenAtMs);
    },
    async start(userId, { replaced, device = "" } = {}) {
      const secret = randomBytes(SECRET_BYTES).toString("base64url");
      const nowMs = clock.nowMs();
      await sessions.create({
        id: idOfSecret(secret),
        userId,
        createdAtMs: nowMs,
        lastSeenAtMs: nowMs,
        device,
      });
      // The same browser: its page renews the device under the new session. Another person's alerts end there.
      if (replaced !== undefined) await end(deps, replaced, userId);
      // Counted after the insert, so that concurrent sign-ins cannot leave more than five.
      const live = (await sessions.ofUser(userId)).filter((session) => !isOver(session, nowMs));
      for (const { id } of live.slice(0, Math.max(0, live.length - MAX_SESSIONS_PER_USER)))
        await end(deps, id);
      return { cookie: cookieText(SESSION_COOKIE, secret, "Strict", SESSION_ABSOLUTE_MS / 1000) };
    },
    async endAll(userId) {
      const ended = await sessions.endAll(userId, clock.nowMs());
      for (const sessionId of ended) await events.publish({ kind: "session_ended", userId, sessionId });
    },
    async prune() {
      const nowMs = clock.nowMs();
      await sessions.prune(nowMs - SESSION_IDLE_MS, nowMs - SESSION_ABSOLUTE_MS);
    },
  };
}

async function end(
  { sessions, events, clock }: SessionsDeps,
  id: SessionId,
  devicesKeptFor?: UserId,
): Promise<void> {
  const found = await sessions.find(id);
  // Also when it is unknown: a session that expired has left its devices.
  const { isEnded, deviceOwners } = await sessions.end(id, clock.nowMs(), devicesKeptFor);
  const ownerId = isEnded ? found?.user.id : undefined;
  if (ownerId !== undefined) await events.publish({ kind: "session_ended", userId: ownerId, sessionId: id });
  // The end of their session says it to its own person.
  const others = deviceOwners.filter((userId) => userId !== ownerId);
  for (const userId of others) await events.publish({ kind: "alerts_changed", userId });
}

function isOver(session: Pick<Session, "createdAtMs" | "lastSeenAtMs">, nowMs: number): boolean {
  return (
    nowMs - session.lastSeenAtMs >= SESSION_IDLE_MS || nowMs - session.createdAtMs >= SESSION_ABSOLUTE_MS
  );
}

function idOfSecret(secret: string): SessionId {
  return asSessionId(createHash("sha256").update(secret).digest("hex"));
}

/** A separate hash, so that a handle reveals nothing of the store. */
function handleOf(id: SessionId): string {
  return createHash("sha256").update(`handle ${id}`).digest("base64url").slice(0, 22);
}

/** Who may make a call: anyone, a signed-in person, or a person whose plan includes the panel. */
export type Access = "anyone" | "signed_in" | "subscriber";

/** suspended differs from no_plan only in the text. */
export type Denial = "no_session" | "no_plan" | "suspended";

/**
 * Why a visitor may not make a call; null when they may.
 * The level was read from the store for this call, so a change of plan applies immediately.
 */
export function denialFor(access: Access, visitor: Visitor | null): Denial | null {
  if (access === "anyone") return null;
  if (visitor === null) return "no_session";
  if (access === "signed_in" || visitor.level > 0) return null;
  return visitor.user.isSuspended ? "suspended" : "no_plan";
}
