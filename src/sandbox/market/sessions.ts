import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Clock } from "#domain/clock.ts";
import type { MarketDatabase, MarketAccount } from "../database/market-database.ts";
import { Refusal } from "./refusal.ts";

/**
 * Access and refresh tokens. A refresh token can be used once; reuse revokes its family, except when the
 * reply of the last refresh was certainly lost.
 */
export interface Sessions {
  /** @throws Refusal `invalid_refresh_token` */
  refresh(refreshToken: string): IssuedTokens;
  /** The reply with these tokens was delivered: using the replaced token is now reuse. */
  noteDelivered(tokens: IssuedTokens): void;
  /** @throws Refusal `invalid_authentication_token` */
  accountOf(authorization: string | undefined): MarketAccount;
  /** Expires one access token early. */
  expireAccess(authorization: string | undefined): void;
  revokeFamilyOf(refreshToken: string): void;
}

interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInS: number;
}

const ACCESS_LIFETIME_S = 7_200;
/** The refresh token `sandbox-NAME` always starts a new session of NAME. */
const SIGN_IN_TOKEN = /^sandbox-([a-z0-9-]{1,64})$/;
const MAX_REMEMBERED = 10_000;

export function createSessions(database: MarketDatabase, clock: Clock): Sessions {
  const signer = createSigner(database);
  const delivered = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  const expired = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  const issue = (familyId: number, accountId: number, generation: number): IssuedTokens => {
    const refreshToken = randomBytes(32).toString("base64url");
    database.accounts.addRefreshToken({ digest: digestOf(refreshToken), familyId, generation });
    const issuedAtS = Math.floor(clock.nowMs() / 1_000);
    const claims = { sub: accountId, fam: familyId, iat: issuedAtS, exp: issuedAtS + ACCESS_LIFETIME_S };
    const accessToken = signer.sign({ ...claims, jti: randomBytes(9).toString("base64url") });
    return { accessToken, refreshToken, expiresInS: ACCESS_LIFETIME_S };
  };

  const exchange = (refreshToken: string): IssuedTokens | null => {
    const stored = database.accounts.refreshToken(digestOf(refreshToken));
    if (stored === null || stored.family.isRevoked) return null;
    const { family, generation, newestGeneration } = stored;
    const isLostReply =
      generation === newestGeneration - 1 && !delivered.has(`${family.id}/${newestGeneration}`);
    if (generation === newestGeneration || isLostReply) {
      return issue(family.id, family.accountId, newestGeneration + 1);
    }
    database.accounts.revokeFamily(family.id);
    return null;
  };

  return {
    refresh(refreshToken) {
      const tokens = database.write(() => {
        const name = SIGN_IN_TOKEN.exec(refreshToken)?.[1];
        if (name === undefined) return exchange(refreshToken);
        const account = database.accounts.open(name);
        return issue(database.accounts.startFamily(account.id), account.id, 1);
      });
      if (tokens === null) throw new Refusal("invalid_refresh_token");
      return tokens;
    },
    noteDelivered({ refreshToken }) {
      const stored = database.accounts.refreshToken(digestOf(refreshToken));
      if (stored !== null) delivered.set(`${stored.family.id}/${stored.generation}`, true);
    },
    accountOf(authorization) {
      const token = bearerOf(authorization);
      const claims = token === null || expired.has(digestOf(token)) ? null : signer.verify(token);
      if (claims === null || claims.exp * 1_000 <= clock.nowMs())
        throw new Refusal("invalid_authentication_token");
      const account = database.accounts.byId(claims.sub);
      const isRevoked = database.accounts.family(claims.fam)?.isRevoked ?? true;
      if (account === null || isRevoked) throw new Refusal("invalid_authentication_token");
      return account;
    },
    expireAccess(authorization) {
      const token = bearerOf(authorization);
      if (token !== null) expired.set(digestOf(token), true);
    },
    revokeFamilyOf(refreshToken) {
      const stored = database.accounts.refreshToken(digestOf(refreshToken));
      if (stored !== null) database.accounts.revokeFamily(stored.family.id);
    },
  };
}

function bearerOf(authorization: string | undefined): string | null {
  return /^Bearer ([\w.-]{1,8192})$/.exec(authorization ?? "")?.[1] ?? null;
}

function digestOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

interface Claims {
  readonly sub: number;
  readonly fam: number;
  readonly exp: number;
}

interface Signer {
  sign(claims: Claims & Readonly<Record<string, string | number>>): string;
  /** Null when the signature is invalid. */
  verify(token: string): Claims | null;
}

const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");

function createSigner(database: MarketDatabase): Signer {
  const key = signingKey(database);
  const signatureOf = (payload: string): Buffer =>
    createHmac("sha256", key).update(`${HEADER}.${payload}`).digest();
  return {
    sign(claims) {
      const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
      return `${HEADER}.${payload}.${signatureOf(payload).toString("base64url")}`;
    },
    verify(token) {
      const [header, payload = "", signature = ""] = token.split(".");
      const given = Buffer.from(signature, "base64url");
      const expected = signatureOf(payload);
      if (header !== HEADER || given.length !== expected.length || !timingSafeEqual(given, expected))
        return null;
      return readClaims(Buffer.from(payload, "base64url").toString("utf8"));
    },
  };
}

/** Persistent, so that access tokens survive a restart. */
function signingKey(database: MarketDatabase): Buffer {
  const kept = database.state.get("access_token_key");
  if (kept !== null) return Buffer.from(kept, "hex");
  const key = randomBytes(32);
  database.state.set("access_token_key", key.toString("hex"));
  return key;
}

function readClaims(text: string): Claims | null {
  const claims: unknown = JSON.parse(text);
  if (typeof claims !== "object" || claims === null) return null;
  if (!("sub" in claims) || !("fam" in claims) || !("exp" in claims)) return null;
  const { sub, fam, exp } = claims;
  if (typeof sub !== "number" || typeof fam !== "number" || typeof exp !== "number") return null;
  return { sub, fam, exp };
}
