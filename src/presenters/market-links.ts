/**
 * All addresses from the marketplace pass through here before they reach a browser: links lead only to hosts
 * that the operator chose, and pictures are http(s) addresses.
 */
import { ownOrigins } from "#domain/loopback.ts";

// Browsers drop tabs and line breaks inside an address, so that "/\t/evil.example" would become "//evil.example".
const SPACE_OR_CONTROL = /[\s\p{Cc}]+/gu;
const LEADING_SLASHES = /^[/\\]+/u;

/** A path with exactly one leading slash, so that no browser resolves it to another host. */
export function safePath(path: string): string {
  return `/${path.replace(SPACE_OR_CONTROL, "").replace(LEADING_SLASHES, "")}`;
}

/**
 * The page of a listing on the marketplace.
 * @param marketUrl scheme and host for people's browsers, with or without a trailing slash
 */
export function marketLink(marketUrl: string, path: string): string {
  return `${withoutLastSlash(marketUrl)}${safePath(path)}`;
}

/** A picture's address; null unless http(s), which the page's CSP requires as well. */
export function pictureLink(url: string | null): string | null {
  return url !== null && /^https?:\/\/[^\s\p{Cc}]+$/iu.test(url) ? url : null;
}

/**
 * The confirmation page of the bank or the marketplace, if it is on the marketplace or, over https, on one of
 * the further hosts; null for every other address.
 */
export function confirmationLink(
  url: string | null,
  marketUrl: string,
  furtherHosts: readonly string[],
): string | null {
  if (url === null || /[\s\p{Cc}\\]/u.test(url)) return null;
  const prefixes = [...ownOrigins(marketUrl), ...furtherHosts.map((host) => `https://${host}`)];
  // The slash ends the host: "https://market.example.evil.net" and "https://market.example@evil.net" do not pass.
  return prefixes.some((prefix) => url.startsWith(`${prefix}/`)) ? url : null;
}

function withoutLastSlash(url: string): string {
  return url.replace(/\/+$/u, "");
}
