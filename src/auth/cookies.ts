/** The product's two cookies, with the `__Host-` prefix (Secure, no Domain, Path=/), and their encryption. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Lax for the sign-in: the callback is a navigation from the provider's site, which sends no Strict cookie. */
export type SameSite = "Strict" | "Lax";

// Far above what a browser sends for this host; a longer header is not parsed.
const MAX_COOKIE_HEADER_LENGTH = 8_192;

export function cookieText(name: string, value: string, sameSite: SameSite, maxAgeS: number): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAgeS}; Secure; HttpOnly; SameSite=${sameSite}`;
}

/** The `Set-Cookie` text that removes a cookie from the browser. */
export function clearedCookieText(name: string, sameSite: SameSite): string {
  return cookieText(name, "", sameSite, 0);
}

/**
 * The value of one cookie of a `Cookie` header; undefined if it is absent or occurs twice with different
 * values, since an attacker who planted a second one must not choose which counts.
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

/** Encrypts a browser's sign-in state: only nodes with the key can read or change it. */
export function sealCookie(text: string, key: Uint8Array): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** The encrypted text; null for a value that was not encrypted with this key. */
export function openCookie(value: string, key: Uint8Array): string | null {
  const bytes = Buffer.from(value, "base64url");
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const opened = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([opened, decipher.final()]).toString("utf8");
  } catch {
    // final() fails only when the tag does not match: forged, truncated, or encrypted with another key.
    return null;
  }
}
