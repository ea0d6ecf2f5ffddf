import type { SessionId, UserId } from "#domain/ids.ts";
import type { Admission } from "./admission.ts";
import type { ClientSocket, SocketServer } from "./socket-types.ts";

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

/** A node that does not answer in this time is probably failing, and its sockets with it. */
const PATIENCE_MS = 500;

/**
 * Answers other nodes how many sockets a person has here, and asks them the same. Nodes that do not answer in time count
 * as none: a page that cannot open is worse than one socket too many.
 */
export function askElsewhere(
  io: SocketServer,
  people: People<ClientSocket>,
): (userId: UserId) => Promise<number> {
  io.on("socketsOf", (userId, answer) => answer(people.socketsOf(userId).length));
  return async (userId) => {
    const { promise: impatience, resolve } = Promise.withResolvers<number>();
    const timer = setTimeout(() => resolve(0), PATIENCE_MS);
    const asked = io.serverSideEmitWithAck("socketsOf", userId).then(
      (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0),
      () => 0,
    );
    const count = await Promise.race([asked, impatience]);
    clearTimeout(timer);
    return count;
  };
}
