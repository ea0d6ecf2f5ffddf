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
