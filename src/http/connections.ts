/** Bounds the open connections per address: each costs a file descriptor and the memory of unread output. */
import type { Socket } from "node:net";
import { createNetworks, networksOf, plainAddress } from "#auth/networks.ts";
import { LOOPBACK } from "#auth/plain-http.ts";
import type { HttpConfig } from "./http-deps.ts";

/** A page opens at most seven, so a whole office behind one address fits. */
const MAX_PER_ADDRESS = 256;

/** The part of Node's server that is needed. */
interface Connecting {
  on(event: "connection", listener: (wire: Peer) => void): unknown;
}
type Peer = Pick<Socket, "remoteAddress" | "destroy"> & {
  once(event: "close", listener: () => void): unknown;
};

/**
 * Closes connections above an address's share. A trusted proxy carries everybody's connections, and in the sandbox this
 * machine is many people: they are not counted.
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
