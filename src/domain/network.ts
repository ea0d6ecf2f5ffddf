/** Host names of this machine, and what errors of outgoing requests prove. */

const LOOPBACK_ORIGIN = /^(http:\/\/)(localhost|127\.0\.0\.1)((?::\d+)?)$/u;

/**
 * The equivalent origins of a port on this machine (localhost and 127.0.0.1), the given one first; any other host has
 * only its own. The sandbox may use one name and the product the other.
 * @param origin scheme, host and port, with or without a trailing slash
 */
export function ownOrigins(origin: string): readonly string[] {
  const given = origin.replace(/\/+$/u, "");
  const [, scheme, name, port] = LOOPBACK_ORIGIN.exec(given) ?? [];
  if (name === undefined) return [given];
  return [given, `${scheme}${name === "localhost" ? "127.0.0.1" : "localhost"}${port}`];
}

/** Whether a URL's host name can only mean this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

/** The connection was not made, so no byte of the request was sent. */
const BEFORE_FIRST_BYTE: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  // An invalid certificate ends the handshake: no request was written.
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

export function isBeforeFirstByte(error: unknown): boolean {
  return BEFORE_FIRST_BYTE.has(codeOf(error));
}

/** The error's code; "" without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
