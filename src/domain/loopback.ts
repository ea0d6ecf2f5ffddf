const LOOPBACK_ORIGIN = /^(http:\/\/)(localhost|127\.0\.0\.1)((?::\d+)?)$/u;

/**
 * The origins under which the same port of this machine may be named, the given one first; any other host has but
 * its own. A sandbox on this machine names itself by one, and its product may know it by the other.
 * @param origin scheme, host and port, with or without a last slash
 */
export function ownOrigins(origin: string): readonly string[] {
  const given = origin.replace(/\/+$/u, "");
  const [, scheme, name, port] = LOOPBACK_ORIGIN.exec(given) ?? [];
  if (name === undefined) return [given];
  return [given, `${scheme}${name === "localhost" ? "127.0.0.1" : "localhost"}${port}`];
}
