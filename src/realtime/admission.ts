/** Admission of sockets, and its later checks. */
import type { DefaultEventsMap, Server, Socket } from "socket.io";
import { type Denial, denialFor, type Sessions } from "#auth/sessions.ts";
import type { ClientToServer, ServerToClient } from "#contract/socket.ts";
import type { SessionId, UserId } from "#domain/ids.ts";

export interface Admission {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  /** Checks session and plan as they are now, or (the default) were at most a second ago. */
  isStillValid(as?: "now" | "recent"): Promise<boolean>;
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
}

export async function admit(
  cookieHeader: string | undefined,
  { sessions }: AdmissionDeps,
): Promise<Admission | Denial> {
  const visitor = await sessions.visitor(cookieHeader);
  const denial = denialFor("subscriber", visitor);
  if (visitor === null) return "no_session";
  if (denial !== null) return denial;
  const { user, sessionId } = visitor;

  return {
    userId: user.id,
    sessionId,
    async isStillValid(as = "recent") {
      return ((await sessions.levelOf(sessionId, as)) ?? 0) > 0;
    },
  };
}

/** More sockets than this for one person are refused. */
export const MAX_SOCKETS_PER_USER = 5;

/** The open sockets, by person. */
export class People<Socket> {
  readonly #maxPerUser: number;
  readonly #places = new Map<UserId, Map<Socket, Admission>>();

  constructor(maxPerUser: number = MAX_SOCKETS_PER_USER) {
    this.#maxPerUser = maxPerUser;
  }

  /** Registers a person's socket; false if the person has the maximum number, over all nodes. */
  enter(socket: Socket, admission: Admission, takenElsewhere = 0): boolean {
    const places = this.#places.get(admission.userId) ?? new Map<Socket, Admission>();
    if (places.size + takenElsewhere >= this.#maxPerUser) return false;
    this.#places.set(admission.userId, places.set(socket, admission));
    return true;
  }

  /** Unregisters the socket; safe to call twice. */
  leave(socket: Socket, userId: UserId): void {
    const places = this.#places.get(userId);
    places?.delete(socket);
    if (places?.size === 0) this.#places.delete(userId);
  }

  socketsOf(userId: UserId): readonly Socket[] {
    return [...(this.#places.get(userId)?.keys() ?? [])];
  }

  ofSession(userId: UserId, sessionId: SessionId): readonly Socket[] {
    return [...(this.#places.get(userId)?.entries() ?? [])]
      .filter(([, admission]) => admission.sessionId === sessionId)
      .map(([socket]) => socket);
  }
}

/** The other nodes of the product. */
export interface OtherNodes {
  /** Answers the other nodes' questions about a person's sockets on this node. */
  answerWith(countHere: (userId: UserId) => number): Promise<void>;
  /** The number of a person's sockets on the other nodes. */
  socketsOf(userId: UserId): Promise<number>;
}

interface SocketData {
  admission?: Admission;
}

export type SocketServer = Server<ClientToServer, ServerToClient, DefaultEventsMap, SocketData>;
export type ClientSocket = Socket<ClientToServer, ServerToClient, DefaultEventsMap, SocketData>;

/** The connection below a socket: one for all transports of a client. */
export type EngineConnection = ClientSocket["conn"];
