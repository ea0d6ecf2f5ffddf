/** Who may open a socket, and whether they still may use it. */
import { type Denial, denialFor, type Sessions } from "#auth/sessions.ts";
import type { Clock } from "#domain/clock.ts";
import type { SessionId, UserId } from "#domain/ids.ts";

/** A cached session is read again once it is this old. */
const FRESH_FOR_MS = 1_000;

export interface Admission {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  /** Checks session and plan, read again unless that was done within the last second. */
  isStillValid(): Promise<boolean>;
  /** Starts the read that the next check will need. */
  expectQuestion(): void;
  /** Discards the cached session: the next check reads it again. */
  forget(): void;
}

export type Refusal = Denial | "too_many_sockets" | "unavailable";

export const REFUSAL_TEXTS: Readonly<Record<Refusal, string>> = {
  no_session: "Votre session est terminée : reconnectez-vous.",
  no_plan: "Votre abonnement ne donne pas accès au flux.",
  suspended: "Votre compte est suspendu : contactez le support.",
  too_many_sockets: "Trop d'onglets sont ouverts : cinq connexions au plus par personne.",
  unavailable: "Le flux ne répond pas pour le moment : réessayez dans un instant.",
};

interface AdmissionDeps {
  readonly sessions: Pick<Sessions, "visitor" | "levelOf">;
  readonly clock: Pick<Clock, "nowMs">;
}

export async function admit(
  cookieHeader: string | undefined,
  { sessions, clock }: AdmissionDeps,
): Promise<Admission | Denial> {
  const readAtMs = clock.nowMs();
  const visitor = await sessions.visitor(cookieHeader);
  const denial = denialFor("subscriber", visitor);
  if (visitor === null) return "no_session";
  if (denial !== null) return denial;
  const { user, sessionId } = visitor;

  const readAgain = async (): Promise<boolean> => ((await sessions.levelOf(sessionId)) ?? 0) > 0;
  let latest = { atMs: readAtMs, answer: Promise.resolve(true) };

  const isStillValid = (): Promise<boolean> => {
    const nowMs = clock.nowMs();
    if (nowMs - latest.atMs >= FRESH_FOR_MS) latest = { atMs: nowMs, answer: readAgain() };
    return latest.answer;
  };

  return {
    userId: user.id,
    sessionId,
    isStillValid,
    expectQuestion() {
      // The check itself reports a failure.
      isStillValid().catch(() => undefined);
    },
    forget() {
      latest = { ...latest, atMs: -Infinity };
    },
  };
}
