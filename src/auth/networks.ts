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
 * The address of one entry of `X-Forwarded-For`: some proxies write its port behind it, and then an IPv6 one in
 * brackets. A port is another one for each connection: who is counted with it is not counted at all.
 */
export function forwardedAddress(entry: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? [];
  return plainAddress(bracketed ?? dotted ?? entry);
}

/** Whom an address belongs to when calls are counted by address. */
export interface Network {
  readonly name: string;
  /** How many times what one address may is allowed to all of it together. */
  readonly share: number;
}

/** A /48 has 65,536 of the /64, and one subscriber may be given all of it: together they are eight. */
const SHARE_OF_SITE = 8;

/**
 * Who counts as one when calls are counted by address: an IPv4 address, or the /64 that one subscriber of IPv6 has to
 * himself with all of its 2^64 addresses, and beside it the /48 that he may have. IPv4 written as IPv6 is IPv4; what
 * is no address counts as it is written.
 */
export function networksOf(address: string): readonly Network[] {
  const [plain = ""] = forwardedAddress(address).split("%", 1);
  if (!isIPv6(plain)) return [{ name: plain, share: 1 }];
  const groups = groupsOf(plain);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
    return [{ name: bytes.join("."), share: 1 }];
  }
  const [site, subnet] = [groups.slice(0, 3), groups.slice(0, 4)].map((head) =>
    head.map((group) => group.toString(16)).join(":"),
  );
  return [
    { name: `${subnet}::/64`, share: 1 },
    { name: `${site}::/48`, share: SHARE_OF_SITE },
  ];
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  // A URL writes every address in one way: without dots, the longest run of zeros as "::".
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::", 2);
  const read = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [read(head), read(tail ?? "")];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

/**
 * Whose request it is: the peer, or, as far as proxies are named, the last address that they were told and that is
 * none of theirs. What a client claims before that is not believed.
 */
export function clientAddress(
  { peer, forwarded }: { readonly peer: string; readonly forwarded: string | undefined },
  isProxy: (address: string) => boolean,
): string {
  const hops = [...(forwarded?.split(",") ?? []).map((hop) => forwardedAddress(hop.trim())), peer];
  return hops.findLast((hop) => !isProxy(hop)) ?? peer;
}
