import type { UserId } from "#domain/ids.ts";
import type { People } from "./people.ts";
import type { ClientSocket, SocketServer } from "./socket-types.ts";

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
