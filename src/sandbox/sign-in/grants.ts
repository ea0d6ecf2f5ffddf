import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "#domain/clock.ts";

/** Authorisation codes and access tokens; in memory, so that people sign in again after a restart. */
export interface Grants {
  /** Issues a code that its client can exchange once, within a minute. */
  issueCode(grant: CodeGrant): string;
  /**
   * Exchanges a code for an access token; null if it is expired, used, or the client or verifier is wrong.
   */
  exchange(code: string, proof: CodeProof): string | null;
  /** The account name of an access token. */
  nameOf(accessToken: string): string | null;
}

export interface CodeGrant {
  readonly name: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** PKCE, S256. */
  readonly challenge: string;
}

export interface CodeProof {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

export const TOKEN_LIFETIME_S = 604_800;
const CODE_LIFETIME_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export function createGrants(clock: Clock): Grants {
  const codes = new Map<string, CodeGrant & { readonly endsAtMs: number }>();
  const tokens = new Map<string, { readonly name: string; readonly endsAtMs: number }>();
  return {
    issueCode(grant) {
      const code = randomBytes(20).toString("base64url");
      codes.set(code, { ...grant, endsAtMs: clock.nowMs() + CODE_LIFETIME_MS });
      forgetOldest(codes);
      return code;
    },
    exchange(code, proof) {
      const grant = codes.get(code);
      codes.delete(code);
      if (grant === undefined || grant.endsAtMs < clock.nowMs()) return null;
      if (grant.clientId !== proof.clientId || grant.redirectUri !== proof.redirectUri) return null;
      if (grant.challenge !== challengeOf(proof.verifier)) return null;
      const token = randomBytes(24).toString("base64url");
      tokens.set(token, { name: grant.name, endsAtMs: clock.nowMs() + TOKEN_LIFETIME_S * 1_000 });
      forgetOldest(tokens);
      return token;
    },
    nameOf(accessToken) {
      const token = tokens.get(accessToken);
      return token === undefined || token.endsAtMs < clock.nowMs() ? null : token.name;
    },
  };
}

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

function forgetOldest(entries: Map<string, unknown>): void {
  if (entries.size <= MAX_REMEMBERED) return;
  for (const key of entries.keys()) {
    entries.delete(key);
    return;
  }
}
