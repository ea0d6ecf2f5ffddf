/** How many connections stand open at once: each costs a file of the system and the memory of what it has not read. */
import type { Socket } from "node:net";
import { createNetworks, networksOf, plainAddress } from "#auth/networks.ts";
import { LOOPBACK } from "#auth/plain-http.ts";
import type { HttpConfig } from "./http-deps.ts";

/** A page holds seven at most: whole offices behind one address fit. */
const MAX_PER_ADDRESS = 256;

/** Where connections come in: a server of Node's. */
interface Connecting {
  on(event: "connection", listener: (wire: Peer) => void): unknown;
}
type Peer = Pick<Socket, "remoteAddress" | "destroy"> & {
  once(event: "close", listener: () => void): unknown;
};

/**
 * Closes at once what comes beyond an address's share. A proxy that is trusted holds those of everybody, and in the
 * sandbox this machine is many people: they are not counted.
 */
export function boundConnections(
  server: Connecting,
  config: Pick<HttpConfig, "areRateLimitsOn" | "isSandbox" | "trustedProxies">,
): void {
  if (!config.areRateLimitsOn) return;
  const isFree = createNetworks([...config.trustedProxies, ...(config.isSandbox ? LOOPBACK : [])]);
  const openOf = new Map<string, number>();

  function count(name: string, change: 1 | -1): void {
    const open = (openOf.get(name) ?? 0) + change;
    if (open === 0) openOf.delete(name);
    else openOf.set(name, open);
  }

  server.on("connection", (wire) => {
    const address = plainAddress(wire.remoteAddress);
    if (isFree(address)) return;
    const networks = networksOf(address);
    if (networks.some(({ name, share }) => (openOf.get(name) ?? 0) >= MAX_PER_ADDRESS * share)) {
      wire.destroy();
      return;
    }
    for (const { name } of networks) count(name, 1);
    wire.once("close", () => {
      for (const { name } of networks) count(name, -1);
    });
  });
}
