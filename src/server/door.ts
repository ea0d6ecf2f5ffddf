import { lookup } from "node:dns/promises";
import type { Service } from "#domain/service.ts";
import type { App } from "#http/route-rule.ts";
import { StartRefused } from "./start-refused.ts";

/** Requests in progress may take this long at the stop; then their connections are closed. */
const DRAIN_MS = 1_000;

/** Closed with the port: open socket connections would keep it open. */
export interface Behind {
  readonly app: App;
  readonly sockets: Service;
  /** The readiness of the node, for `/health`. */
  readonly tell: (fault: "stopping" | null) => void;
}

export interface Door {
  /** The port opens early, so that `/health` can report the progress of the start; other requests are refused until then. */
  readonly port: Service;
  /** Accepts requests once all other parts run; the first part to stop. */
  readonly work: Service;
}

export function createDoor(
  { app, sockets, tell }: Behind,
  listen: { readonly host: string; readonly port: number },
): Door {
  const port: Service = {
    async run() {
      // A host name may have two addresses, but the socket server uses one HTTP server.
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
      // Refuses new connections first: a client that loses its socket reconnects immediately.
      const closed = app.close();
      await sockets.stop();
      await closed;
      clearTimeout(impatience);
    },
  };
  return { port, work };
}
