/**
 * The links of alerts about listings. A token is an HMAC (256 bits) of its subject, so that a repeated alert
 * has the same link; the store holds only its hash.
 */
import { createHash, createHmac } from "node:crypto";
import type { UserId } from "#domain/ids.ts";

/** How long a link is valid. */
export const LINK_MS = 10 * 60_000;

/** The token of a subject's link. */
export type LinkTokens = (userId: UserId, subject: string) => string;

export function createLinkTokens(key: Uint8Array): LinkTokens {
  return (userId, subject) => createHmac("sha256", key).update(`${userId} ${subject}`).digest("base64url");
}

const TOKEN_FORM = /^[\w-]{43}$/u;

/** The key of a token in the store; null for malformed text. */
export function tokenHash(token: string): string | null {
  return TOKEN_FORM.test(token) ? createHash("sha256").update(token).digest("hex") : null;
}

/** A key by which push services replace an earlier message of the subject: 32 characters of base64url. */
export function markOf(subject: string): string {
  return createHash("sha256").update(subject).digest("base64url").slice(0, 32);
}
