import { lookup } from "node:dns/promises";
import type { Service } from "#domain/service.ts";
import type { App } from "#http/route-rule.ts";

/** Requests that are under way get this long; then their connections are closed. */
const DRAIN_MS = 1_000;

/** What closes with the port: connections of sockets would keep it open for ever. */
export interface Behind {
  readonly app: App;
  readonly sockets: Service;
  /** What is to be said to whoever asks whether the node is ready. */
  readonly tell: (fault: "stopping" | null) => void;
}

/** The port: opened once everything behind it stands, and the first to close. */
export function createDoor(
  { app, sockets, tell }: Behind,
  { host, port }: { readonly host: string; readonly port: number },
): Service {
  return {
    async run() {
      // A name may have two addresses, and the sockets stand on one server only.
      const { address } = await lookup(host);
      await app.listen({ host: address, port });
      tell(null);
    },
    async stop() {
      tell("stopping");
      const impatience = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      // Closed to new connections first: a client that loses its socket tries again at once.
      const closed = app.close();
      await sockets.stop();
      await closed;
      clearTimeout(impatience);
    },
  };
}
