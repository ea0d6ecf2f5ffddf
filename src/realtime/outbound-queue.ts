import type { EngineConnection } from "./socket-types.ts";

/** What was sent to a client and has not left the process yet. */
export interface OutboundQueue {
  /** Calls back once nothing is queued: at once when that is so already. Only the latest caller is kept. */
  whenEmpty(action: () => void): void;
}

/** More than this waiting for one client means that it does not read. */
const MAX_QUEUED_BYTES = 256 * 1024;

/**
 * Counts at the connection, below the socket library, so that everything counts: answers, pushes,
 * acknowledgements, heartbeats.
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
    // The connection's own "drain" only says that the transport has taken the packets, not that it wrote them.
    connection.transport.once("drain", () => {
      leavingBytes = Math.max(0, leavingBytes - bytes);
      settle();
    });
  });
  connection.on("upgrade", () => {
    // A transport is left only once it has nothing under way.
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
