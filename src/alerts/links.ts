/**
 * The links of alerts about listings. A token is 256 bits, derived from a key of the store and what it is about, so that an
 * alert that is sent again carries the same link; the store holds only its hash.
 */
import { createHash, createHmac } from "node:crypto";
import type { UserId } from "#domain/ids.ts";

/** How long a link buys. */
export const LINK_MS = 10 * 60_000;

export interface LinkTokens {
  of(userId: UserId, subject: string): string;
}

export function createLinkTokens(key: Uint8Array): LinkTokens {
  return {
    of: (userId, subject) => createHmac("sha256", key).update(`${userId} ${subject}`).digest("base64url"),
  };
}

const TOKEN_FORM = /^[\w-]{43}$/u;

/** How the store knows a token; null for a text that is none. */
export function tokenHash(token: string): string | null {
  return TOKEN_FORM.test(token) ? createHash("sha256").update(token).digest("hex") : null;
}

/** Names a subject to services that replace an earlier message by a later one; 32 characters of base64url. */
export function markOf(subject: string): string {
  return createHash("sha256").update(subject).digest("base64url").slice(0, 32);
}
