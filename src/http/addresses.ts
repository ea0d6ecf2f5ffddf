/** Addresses of requests: which belong to the API, and what of them cannot be read. Pure. */

const API_ROOTS: readonly string[] = ["auth", "filtres", "vinted", "purchase", "articles", "health"];

/** What a request line names on this host: a client may also write scheme and host in front (RFC 9112, §3.2.2). */
export function localAddress(address: string): string {
  return address.replace(/^https?:\/\/[^/?]*/i, "");
}

/**
 * The path of a request line as the router understands it: without its query, escapes read but for those of signs
 * (%2F is no slash). An address that cannot be read (isDecodable) keeps its escapes.
 */
export function pathOf(address: string): string {
  const [path = ""] = localAddress(address).split("?", 1);
  return isDecodable(path) ? decodeURI(path) : path;
}

/** Whether a path belongs to the API: its answers are JSON, whatever they say. */
export function isApiPath(path: string): boolean {
  return API_ROOTS.includes(path.split("/", 2)[1] ?? "");
}

/** The calls whose refusals carry `success: false` as well (contract §3). */
export function isFilterPath(path: string): boolean {
  return path === "/filtres" || path.startsWith("/filtres/");
}

/** Whether every escape of an address is UTF-8, and none of it a NUL, which no text of the product may hold. */
export function isDecodable(address: string): boolean {
  try {
    return !decodeURIComponent(address).includes("\0");
  } catch {
    // decodeURIComponent throws for nothing but a malformed escape.
    return false;
  }
}

/** Whether a Host header names the host and port of the public address; a default port may be written out. */
export function isHostOf(host: string, publicUrl: string): boolean {
  const { protocol, host: ownHost } = new URL(publicUrl);
  // Only what a host can consist of: "localhost:3000@evil" would be read as a user of another host.
  return /^[\w.:[\]-]+$/.test(host) && URL.parse(`${protocol}//${host}`)?.host === ownHost;
}

/** Whether a peer's address is this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);
}
