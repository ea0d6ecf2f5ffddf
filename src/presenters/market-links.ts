/**
 * All addresses from the marketplace pass through here before they reach a browser: links lead only to hosts
 * that the operator chose, and pictures are http(s) addresses.
 */
import { ownOrigins } from "#domain/network.ts";

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

/** The confirmation page of a payment, if it is on the marketplace; null for every other address. */
export function confirmationLink(url: string | null, marketUrl: string): string | null {
  if (url === null || /[\s\p{Cc}\\]/u.test(url)) return null;
  // The slash ends the host: "https://market.example.evil.net" and "https://market.example@evil.net" do not pass.
  return ownOrigins(marketUrl).some((origin) => url.startsWith(`${origin}/`)) ? url : null;
}

function withoutLastSlash(url: string): string {
  return url.replace(/\/+$/u, "");
}
