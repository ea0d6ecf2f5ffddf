/** Request addresses: which belong to the API, and which cannot be decoded. Pure. */

const API_ROOTS: readonly string[] = [
  "auth",
  "filtres",
  "vinted",
  "purchase",
  "articles",
  "marche",
  "vendeurs",
  "groupes",
  "alertes",
  "health",
];

/** Path and query of a request target, which may include scheme and host (RFC 9112, §3.2.2). */
export function localAddress(address: string): string {
  return address.replace(/^https?:\/\/[^/?]*/i, "");
}

/**
 * The path of a request target as the router reads it: without its query, decoded except for reserved
 * characters (%2F is not a slash). One that cannot be decoded (isDecodable) keeps its escapes.
 */
export function pathOf(address: string): string {
  const [path = ""] = localAddress(address).split("?", 1);
  return isDecodable(path) ? decodeURI(path) : path;
}

/** Whether a path belongs to the API, whose answers are all JSON. */
export function isApiPath(path: string): boolean {
  return API_ROOTS.includes(path.split("/", 2)[1] ?? "");
}

/** The calls whose refusals carry `success: false` as well (contract §3). */
export function isFilterPath(path: string): boolean {
  return path === "/filtres" || path.startsWith("/filtres/");
}

/** Whether every escape is valid UTF-8 and none is a NUL, which the store cannot hold. */
export function isDecodable(address: string): boolean {
  try {
    return !decodeURIComponent(address).includes("\0");
  } catch {
    // decodeURIComponent throws only for a malformed escape.
    return false;
  }
}
