/**
 * Whether a request comes from the product's own pages, or from a client that is not a browser. Pure.
 * Both checks are needed: a same-origin GET has no `Origin`, a WebSocket handshake has no `Sec-Fetch-*`, and a page of
 * the same site on another port may send even SameSite=Strict cookies.
 */

/** A request's headers, lower case, as Node gives them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * action: changes something or reveals a secret; only a `fetch` of the product's pages, or no browser.
 * read: returns a person's data; never to another site, but the person may enter the address.
 * navigation: a page or redirect that other sites may link to; only embedding it is refused.
 */
export type RequestKind = "action" | "read" | "navigation";

/** @param publicUrl the public address; only its scheme, host and port count */
export function isOwnRequest(headers: RequestHeaders, publicUrl: string, kind: RequestKind): boolean {
  if (kind === "navigation") return isNavigationOrOwn(headers);
  return (
    hasOwnOrigin(headers, publicUrl) && hasOwnSite(headers, kind) && comesFromNowhereElse(headers, publicUrl)
  );
}

/** Whether a Host header equals the public host and port; a default port may be explicit. */
export function isHostOf(host: string, publicUrl: string): boolean {
  const { protocol, host: ownHost } = new URL(publicUrl);
  // Restricts the characters: "localhost:3000@evil" would be parsed as a user name at another host.
  return /^[\w.:[\]-]+$/.test(host) && URL.parse(`${protocol}//${host}`)?.host === ownHost;
}

/**
 * Browsers without fetch metadata send a GET from another port of the same host with the Strict cookie and
 * without `Origin`; `Referer` then names that page, unless it is suppressed. Fetch metadata takes precedence.
 */
function comesFromNowhereElse(headers: RequestHeaders, publicUrl: string): boolean {
  const { referer } = headers;
  if (referer === undefined || headers["sec-fetch-site"] !== undefined) return true;
  return typeof referer === "string" && URL.parse(referer)?.origin === new URL(publicUrl).origin;
}

/** `Origin`, where present, must equal the public origin: "null", a list or a repeated header all differ. */
function hasOwnOrigin(headers: RequestHeaders, publicUrl: string): boolean {
  const origin = headers["origin"];
  return origin === undefined || origin === new URL(publicUrl).origin;
}

function hasOwnSite(headers: RequestHeaders, kind: "action" | "read"): boolean {
  const site = headers["sec-fetch-site"];
  if (kind === "read") return isOneOf(site, ["same-origin", "none"]);
  return (
    isOneOf(site, ["same-origin"]) &&
    isOneOf(headers["sec-fetch-mode"], ["cors", "same-origin"]) &&
    isOneOf(headers["sec-fetch-dest"], ["empty"])
  );
}

function isNavigationOrOwn(headers: RequestHeaders): boolean {
  const isOwn = isOneOf(headers["sec-fetch-site"], ["same-origin", "none"]);
  return isOwn || isOneOf(headers["sec-fetch-mode"], ["navigate"]);
}

/** Browsers without fetch metadata, and other clients, send none. */
function isOneOf(value: string | readonly string[] | undefined, allowed: readonly string[]): boolean {
  return value === undefined || (typeof value === "string" && allowed.includes(value));
}
