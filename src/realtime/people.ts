import type { SessionId, UserId } from "#domain/ids.ts";
import type { Admission } from "./admission.ts";

/** More sockets than this for one person are refused. */
export const MAX_SOCKETS_PER_USER = 5;

/** The sockets of everybody who is here, by person. */
export class People<Socket> {
  readonly #maxPerUser: number;
  readonly #places = new Map<UserId, Map<Socket, Admission>>();

  constructor(maxPerUser: number = MAX_SOCKETS_PER_USER) {
    this.#maxPerUser = maxPerUser;
  }

  /** Takes a place for a person's socket; false when all of theirs are taken, here or elsewhere. */
  enter(socket: Socket, admission: Admission, takenElsewhere = 0): boolean {
    const places = this.#places.get(admission.userId) ?? new Map<Socket, Admission>();
    if (places.size + takenElsewhere >= this.#maxPerUser) return false;
    this.#places.set(admission.userId, places.set(socket, admission));
    return true;
  }

  /** Gives the place back; safe to call twice. */
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
