/**
 * Whether a request comes from the product's own pages, or from no browser at all. Pure.
 * Both checks are needed: a same-origin GET carries no `Origin`, a WebSocket handshake carries no `Sec-Fetch-*`,
 * and a page of the same site on another port is sent even SameSite=Strict cookies (security design, "facts").
 */

/** A request's headers, lower case, as Node gives them. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * action: changes something or reveals a secret; only a `fetch` of our own pages or no browser.
 * read: answers a person's data; never to another site, but a typed address may read.
 * navigation: a page or a redirect that links elsewhere lead to; only embedding it from elsewhere is refused.
 */
export type RequestKind = "action" | "read" | "navigation";

/** @param publicUrl the address that people use; only its scheme, host and port count */
export function isOwnRequest(headers: RequestHeaders, publicUrl: string, kind: RequestKind): boolean {
  if (kind === "navigation") return isNavigationOrOwn(headers);
  return (
    hasOwnOrigin(headers, publicUrl) && hasOwnSite(headers, kind) && comesFromNowhereElse(headers, publicUrl)
  );
}

/**
 * Browsers too old for fetch metadata send a GET of a page on the same site, another port, with the Strict cookie and
 * without `Origin`: unless that page hides it, `Referer` tells. Where the browser says more, that decides.
 */
function comesFromNowhereElse(headers: RequestHeaders, publicUrl: string): boolean {
  const { referer } = headers;
  if (referer === undefined || headers["sec-fetch-site"] !== undefined) return true;
  return typeof referer === "string" && URL.parse(referer)?.origin === new URL(publicUrl).origin;
}

/** `Origin`, where present, is ours. What is there is compared whole: "null", a list and a twin all differ. */
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

/** Browsers that are too old for fetch metadata, and clients that are no browser, send none. */
function isOneOf(value: string | readonly string[] | undefined, allowed: readonly string[]): boolean {
  return value === undefined || (typeof value === "string" && allowed.includes(value));
}
