import type { IncomingMessage } from "node:http";
import { clientAddress, createNetworks, type Network, networksOf, plainAddress } from "#auth/networks.ts";
import { LOOPBACK } from "#auth/plain-http.ts";
import type { Clock } from "#domain/clock.ts";
import { createTokenBucket, type TokenBucket } from "./token-bucket.ts";

/** Many people behind one address reconnect together after a restart; an attacker continues beyond the burst. */
const HANDSHAKES_PER_SECOND = 5;
const HANDSHAKE_BURST = 120;
const MAX_SOURCES = 20_000;

export interface HandshakePaceOptions {
  readonly trustedProxies: readonly string[];
  /** In the sandbox one machine is many people: its own address is not counted. */
  readonly isSandbox: boolean;
  readonly clock: Pick<Clock, "nowMs">;
}

/** False for a handshake from an address (IPv6: a /64, or a /48 with eight times the limit) that has opened too many. */
export function createHandshakePace(options: HandshakePaceOptions): (request: IncomingMessage) => boolean {
  const isProxy = createNetworks(options.trustedProxies);
  const isOwnMachine = createNetworks(LOOPBACK);
  // Least recently used first.
  const paces = new Map<string, TokenBucket>();

  function paceOf({ name, share }: Network): TokenBucket {
    const pace =
      paces.get(name) ??
      createTokenBucket({ perSecond: HANDSHAKES_PER_SECOND * share, burst: HANDSHAKE_BURST * share });
    paces.delete(name);
    paces.set(name, pace);
    const [oldest] = paces.keys();
    if (paces.size > MAX_SOURCES && oldest !== undefined) paces.delete(oldest);
    return pace;
  }

  return ({ headers, socket }) => {
    const forwarded = headers["x-forwarded-for"];
    const peer = plainAddress(socket.remoteAddress);
    const address = clientAddress({ peer, forwarded: [forwarded ?? []].flat().join(",") }, isProxy);
    if (options.isSandbox && isOwnMachine(address)) return true;
    const nowMs = options.clock.nowMs();
    return networksOf(address).every((network) => paceOf(network).take(nowMs));
  };
}
