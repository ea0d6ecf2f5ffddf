import type { Socket } from "socket.io-client";
import {
  SOCKET_PATH,
  type ClientToServer,
  type HandshakeAuth,
  type ServerToClient,
} from "#contract/socket.ts";
import {
  SOCKET_RANDOMIZATION_FACTOR,
  SOCKET_RECONNECTION_DELAY_MAX_MS,
  SOCKET_RECONNECTION_DELAY_MS,
  SOCKET_TIMEOUT_MS,
} from "#contract/timings.ts";

export type LiveSocket = Socket<ServerToClient, ClientToServer>;

/**
 * Opens the connection with the options of the specification §9. Its code comes on its own, so that the first screen
 * does not wait for it; rejects when that code cannot be had.
 * @param lastCursor asked at every reconnection, so that nothing of the last minutes is lost
 */
export async function openSocket(lastCursor: () => string | undefined): Promise<LiveSocket> {
  const { io } = await import("socket.io-client");
  return io({
    path: SOCKET_PATH,
    withCredentials: true,
    transports: ["websocket", "polling"],
    // Where a proxy lets no websocket through, the next attempt polls.
    tryAllTransports: true,
    timeout: SOCKET_TIMEOUT_MS,
    reconnectionDelay: SOCKET_RECONNECTION_DELAY_MS,
    reconnectionDelayMax: SOCKET_RECONNECTION_DELAY_MAX_MS,
    randomizationFactor: SOCKET_RANDOMIZATION_FACTOR,
    auth: (answer) => {
      const cursor = lastCursor();
      const handshake: HandshakeAuth = cursor === undefined ? {} : { depuis: cursor };
      answer({ ...handshake });
    },
  });
}

/**
 * How long to wait before connecting again after the server closed the connection, which the library leaves to us:
 * anywhere between the shortest and the longest delay, so that a server that restarts is not met by everybody at once.
 * @param chance from 0 to 1
 */
export function reconnectionDelayMs(chance: number): number {
  const spanMs = SOCKET_RECONNECTION_DELAY_MAX_MS - SOCKET_RECONNECTION_DELAY_MS;
  return SOCKET_RECONNECTION_DELAY_MS + chance * spanMs;
}
