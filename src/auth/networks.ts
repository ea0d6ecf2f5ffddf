import { BlockList, isIP, isIPv6 } from "node:net";

/** Whether an address belongs to one of the given networks ("10.0.0.0/8", "::1"); false for an invalid address. */
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

/** The IPv4 address of a peer on a dual-stack socket ("::ffff:1.2.3.4"); other addresses are unchanged. */
export function plainAddress(address: string | undefined): string {
  return address?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
}

/**
 * The address of one entry of `X-Forwarded-For`: some proxies append the port, with IPv6 in brackets. The port differs
 * for each connection, so a client counted with its port would never reach a limit.
 */
export function forwardedAddress(entry: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? [];
  return plainAddress(bracketed ?? dotted ?? entry);
}

/** A client for limits per address. */
export interface Network {
  readonly name: string;
  /** The multiple of one address's limit that all of its addresses together may use. */
  readonly share: number;
}

/** A /48 has 65,536 /64 networks and may belong to one subscriber: it gets the limit of eight addresses. */
const SHARE_OF_SITE = 8;

/**
 * The clients that an address counts towards: an IPv4 address, or the /64 of an IPv6 subscriber and the /48
 * that the subscriber may have. IPv4 mapped into IPv6 is IPv4; an invalid address counts as text.
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
  // URL normalises an address: without dots, the longest run of zeros as "::".
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::", 2);
  const read = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [first, last] = [read(head), read(tail ?? "")];
  return [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
}

/**
 * The client's address: the peer, or behind trusted proxies the last forwarded address that is not a proxy's.
 * Earlier entries are set by the client and ignored.
 */
export function clientAddress(
  { peer, forwarded }: { readonly peer: string; readonly forwarded: string | undefined },
  isProxy: (address: string) => boolean,
): string {
  const hops = [...(forwarded?.split(",") ?? []).map((hop) => forwardedAddress(hop.trim())), peer];
  return hops.findLast((hop) => !isProxy(hop)) ?? peer;
}

/** The part of a request that the check reads. */
interface ArrivingRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

type PlainHttpGuard = (request: ArrivingRequest) => boolean;

export const LOOPBACK: readonly string[] = ["127.0.0.0/8", "::1"];

/**
 * Whether a request came over TLS when the public address is https. TLS ends at a proxy: plain HTTP is then accepted
 * only from that proxy, or from this machine when no proxy is configured.
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
