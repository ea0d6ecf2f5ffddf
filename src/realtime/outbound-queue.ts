import type { EngineConnection } from "./socket-types.ts";

/** Data for a client that has not left the process yet. */
export interface OutboundQueue {
  /** Calls back once nothing is queued, immediately if that is already so. Only the latest callback is kept. */
  whenEmpty(action: () => void): void;
}

/** More queued data than this means that the client does not read. */
const MAX_QUEUED_BYTES = 256 * 1024;

/**
 * Counts at the connection, below the socket library, so that answers, pushes, acknowledgements and heartbeats are all
 * included.
 */
export function watchOutbound(connection: EngineConnection, onOverflow: () => void): OutboundQueue {
  let waitingBytes = 0;
  let leavingBytes = 0;
  let waiter: (() => void) | null = null;

  function settle(): void {
    if (waitingBytes + leavingBytes > 0 || waiter === null) return;
    const action = waiter;
    waiter = null;
    action();
  }

  connection.on("packetCreate", (packet: { readonly data?: unknown }) => {
    waitingBytes += typeof packet.data === "string" ? Buffer.byteLength(packet.data) : 1;
    if (waitingBytes + leavingBytes > MAX_QUEUED_BYTES) onOverflow();
  });
  connection.on("flush", () => {
    const bytes = waitingBytes;
    waitingBytes = 0;
    leavingBytes += bytes;
    // The connection's own "drain" means that the transport took the packets, not that it wrote them.
    connection.transport.once("drain", () => {
      leavingBytes = Math.max(0, leavingBytes - bytes);
      settle();
    });
  });
  connection.on("upgrade", () => {
    // A transport is replaced only once it has nothing in flight.
    leavingBytes = 0;
    settle();
  });

  return {
    whenEmpty(action) {
      waiter = action;
      settle();
    },
  };
}
