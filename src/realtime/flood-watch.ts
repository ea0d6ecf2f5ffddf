import type { IncomingMessage } from "node:http";
import type { Clock } from "#domain/clock.ts";
import type { EngineConnection, SocketServer } from "./socket-types.ts";
import { createTokenBucket } from "./token-bucket.ts";

/** Far more than any page sends, heartbeats and transport upgrades included. */
const PACKETS_PER_SECOND = 20;
const PACKET_BURST = 100;
/**
 * Polls and heartbeats are some tens of bytes a second; several frames of maximum length still fit. Counted on the wire,
 * because WebSocket pings and probes are answered below the packet level: a client that sends them endlessly without
 * reading would make the answers pile up.
 */
const BYTES_PER_SECOND = 8 * 1024;
const BYTE_BURST = 96 * 1024;

/** Closes a connection whose client floods it with data of any kind. */
export function watchForFloods(
  io: SocketServer,
  deps: { readonly clock: Pick<Clock, "nowMs">; readonly cut: (connection: EngineConnection) => void },
): void {
  // Called for each WebSocket before its first byte is read, including those of an unfinished upgrade.
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
