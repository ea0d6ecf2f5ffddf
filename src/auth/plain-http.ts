/**
 * Whether a request came the way that the public address promises. TLS ends at a proxy in front of us: with an https
 * address, plain HTTP is only believed from that proxy, or from this machine when none is named.
 */
import { BlockList, isIPv6 } from "node:net";

/** As much of a request as is looked at. */
export interface ArrivingRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

export type PlainHttpGuard = (request: ArrivingRequest) => boolean;

/**
 * @param trustedProxies addresses and networks ("10.0.0.0/8")
 * @returns true for a request that may be answered
 */
export function createPlainHttpGuard(publicUrl: string, trustedProxies: readonly string[]): PlainHttpGuard {
  if (!publicUrl.startsWith("https:")) return () => true;
  const known = new BlockList();
  for (const proxy of ["127.0.0.0/8", "::1", ...trustedProxies]) addNetwork(known, proxy);
  return ({ headers, socket }) => {
    const peer = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
    if (!known.check(peer, isIPv6(peer) ? "ipv6" : "ipv4")) return false;
    const scheme = headers["x-forwarded-proto"];
    return scheme === undefined || scheme === "https";
  };
}

function addNetwork(known: BlockList, network: string): void {
  const [address = "", bits] = network.split("/", 2);
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  if (bits === undefined) known.addAddress(address, family);
  else known.addSubnet(address, Number(bits), family);
}
