/**
 * Whether a request came over TLS when the public address is https. TLS ends at a proxy: plain HTTP is then accepted
 * only from that proxy, or from this machine when no proxy is configured.
 */
import { createNetworks, plainAddress } from "./networks.ts";

/** The part of a request that the check reads. */
export interface ArrivingRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

export type PlainHttpGuard = (request: ArrivingRequest) => boolean;

export const LOOPBACK: readonly string[] = ["127.0.0.0/8", "::1"];

/**
 * @param trustedProxies addresses and networks ("10.0.0.0/8")
 * @returns true for a request that may be answered
 */
export function createPlainHttpGuard(publicUrl: string, trustedProxies: readonly string[]): PlainHttpGuard {
  if (!publicUrl.startsWith("https:")) return () => true;
  const isKnown = createNetworks([...LOOPBACK, ...trustedProxies]);
  return ({ headers, socket }) => {
    if (!isKnown(plainAddress(socket.remoteAddress))) return false;
    const scheme = headers["x-forwarded-proto"];
    return scheme === undefined || scheme === "https";
  };
}
