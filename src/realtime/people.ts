import type { SessionId, UserId } from "#domain/ids.ts";
import type { Admission } from "./admission.ts";

/** More sockets than this for one person are refused. */
export const MAX_SOCKETS_PER_USER = 5;

/** The open sockets, by person. */
export class People<Socket> {
  readonly #maxPerUser: number;
  readonly #places = new Map<UserId, Map<Socket, Admission>>();

  constructor(maxPerUser: number = MAX_SOCKETS_PER_USER) {
    this.#maxPerUser = maxPerUser;
  }

  /** Registers a person's socket; false when all of their places are taken, here or on other nodes. */
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
  /** Answers their questions how many sockets a person has here. */
  answerWith(countHere: (userId: UserId) => number): Promise<void>;
  /** How many sockets a person has there. */
  socketsOf(userId: UserId): Promise<number>;
}
