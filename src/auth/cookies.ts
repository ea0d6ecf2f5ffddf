/** The product's two cookies, both under the `__Host-` prefix: Secure, no Domain, Path=/ (also in development). */

/** Lax: the callback is a navigation that begins on the provider's site, where a Strict cookie is not sent. */
export type SameSite = "Strict" | "Lax";

// RFC 6265 lets a client send many cookies; a longer header is nobody's ordinary request.
const MAX_COOKIE_HEADER_LENGTH = 8_192;

export function cookieText(name: string, value: string, sameSite: SameSite, maxAgeS: number): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeS}; Secure; HttpOnly; SameSite=${sameSite}`;
}

/** What removes a cookie from the browser. */
export function clearedCookieText(name: string, sameSite: SameSite): string {
  return cookieText(name, "", sameSite, 0);
}

/**
 * The value of one cookie of a `Cookie` header; undefined when it is absent, or there twice with different values:
 * whoever managed to plant a second one must not choose which counts.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > MAX_COOKIE_HEADER_LENGTH) return undefined;
  const values = new Set(
    header
      .split(";")
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1)),
  );
  const [value] = values;
  return values.size === 1 ? value : undefined;
}
