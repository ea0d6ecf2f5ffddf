import type { IncomingMessage } from "node:http";
import type { Clock } from "#domain/clock.ts";
import type { EngineConnection, SocketServer } from "./socket-types.ts";
import { createTokenBucket } from "./token-bucket.ts";

/** Far more than any page sends, heartbeats and change of transport included. */
const PACKETS_PER_SECOND = 20;
const PACKET_BURST = 100;
/**
 * Questions and heartbeats are some tens of bytes a second; several frames of the greatest length still fit. Counted
 * on the wire, since a ping of the WebSocket protocol or a probe is answered below what is a packet here: who sends
 * them without end and never reads would have the answers pile up.
 */
const BYTES_PER_SECOND = 8 * 1024;
const BYTE_BURST = 96 * 1024;

/** Ends a connection whose client floods it, whatever it floods it with. */
export function watchForFloods(
  io: SocketServer,
  deps: { readonly clock: Pick<Clock, "nowMs">; readonly cut: (connection: EngineConnection) => void },
): void {
  // Told of each WebSocket before its first byte is read, also of one that only tries to become a connection's own.
  io.engine.on("headers", (_headers: unknown, { headers, socket: wire }: IncomingMessage) => {
    if (headers.upgrade === undefined) return;
    const pace = createTokenBucket({ perSecond: BYTES_PER_SECOND, burst: BYTE_BURST });
    wire.on("data", (bytes: Uint8Array) => {
      if (!pace.take(deps.clock.nowMs(), bytes.byteLength)) wire.destroy();
    });
  });
  io.engine.on("connection", (connection: EngineConnection) => {
    const pace = createTokenBucket({ perSecond: PACKETS_PER_SECOND, burst: PACKET_BURST });
    connection.on("packet", () => {
      if (!pace.take(deps.clock.nowMs())) deps.cut(connection);
    });
  });
}
