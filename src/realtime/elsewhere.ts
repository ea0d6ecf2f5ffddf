import type { UserId } from "#domain/ids.ts";
import type { People } from "./people.ts";
import type { ClientSocket, SocketServer } from "./socket-types.ts";

/** A node that does not answer at once is about to be gone, and its sockets with it. */
const PATIENCE_MS = 500;

/**
 * Answers other nodes how many sockets a person has here, and asks them the same. Where nobody answers in time
 * nothing is counted: a page that cannot open is worse than one too many.
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
