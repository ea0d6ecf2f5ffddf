import { BlockList, isIP, isIPv6 } from "node:net";

/** Whether an address lies in one of the given networks ("10.0.0.0/8", "::1"); what is no address lies in none. */
export function createNetworks(networks: readonly string[]): (address: string) => boolean {
  const known = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/", 2);
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) known.addAddress(address, family);
    else known.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && known.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** An IPv4 peer of a socket that listens on both families, as IPv4. */
export function plainAddress(address: string | undefined): string {
  return address?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
}

/**
 * Whose request it is: the peer, or, as far as proxies are named, the last address that they were told and that is
 * none of theirs. What a client claims before that is not believed.
 */
export function clientAddress(
  { peer, forwarded }: { readonly peer: string; readonly forwarded: string | undefined },
  isProxy: (address: string) => boolean,
): string {
  const hops = [...(forwarded?.split(",") ?? []).map((hop) => hop.trim()), peer];
  return hops.findLast((hop) => !isProxy(hop)) ?? peer;
}
