import { lookup } from "node:dns/promises";
import type { Service } from "#domain/service.ts";
import type { App } from "#http/route-rule.ts";
import { StartRefused } from "./start-refused.ts";

/** Requests that are under way get this long; then their connections are closed. */
const DRAIN_MS = 1_000;

/** What closes with the port: connections of sockets would keep it open for ever. */
export interface Behind {
  readonly app: App;
  readonly sockets: Service;
  /** What is to be said to whoever asks whether the node is ready. */
  readonly tell: (fault: "stopping" | null) => void;
}

export interface Door {
  /** The port is open early, so that `/health` can tell what the start waits for: all else is refused until then. */
  readonly port: Service;
  /** Work is taken once everything behind the door stands; it is the first to close. */
  readonly work: Service;
}

export function createDoor(
  { app, sockets, tell }: Behind,
  listen: { readonly host: string; readonly port: number },
): Door {
  const port: Service = {
    async run() {
      // A name may have two addresses, and the sockets stand on one server only.
      const { address } = await lookup(listen.host).catch((cause: unknown) => {
        throw new StartRefused("HOST is no address of this machine", { cause });
      });
      await app.listen({ host: address, port: listen.port });
    },
    async stop() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
  const work: Service = {
    async run() {
      tell(null);
      await Promise.resolve();
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
  return { port, work };
}
