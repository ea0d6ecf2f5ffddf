import type { Clock } from "#domain/clock.ts";
import type { EngineConnection, SocketServer } from "./socket-types.ts";
import { createTokenBucket } from "./token-bucket.ts";

/** Far more than any page sends, heartbeats and change of transport included. */
const PACKETS_PER_SECOND = 20;
const PACKET_BURST = 100;

/** Ends a connection whose client floods it, whatever it floods it with. */
export function watchForFloods(
  io: SocketServer,
  deps: { readonly clock: Pick<Clock, "nowMs">; readonly cut: (connection: EngineConnection) => void },
): void {
  io.engine.on("connection", (connection: EngineConnection) => {
    const pace = createTokenBucket({ perSecond: PACKETS_PER_SECOND, burst: PACKET_BURST });
    connection.on("packet", () => {
      if (!pace.take(deps.clock.nowMs())) deps.cut(connection);
    });
  });
}
