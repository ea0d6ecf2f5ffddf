import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "#domain/clock.ts";
import type { Books } from "../books/books.ts";
import type { MarketAccount } from "../books/account-book.ts";
import { Refusal } from "./refusal.ts";

/**
 * Accounts and their tokens. A refresh token is exchanged once; one that is used again revokes its family. Only a
 * reply that certainly never arrived may be asked for once more.
 */
export interface Sessions {
  /** @throws Refusal `invalid_refresh_token` */
  refresh(refreshToken: string): IssuedTokens;
  /** The reply with these tokens reached its client: from now on, the token they replaced is a stolen one. */
  noteDelivered(tokens: IssuedTokens): void;
  /** @throws Refusal `invalid_authentication_token` */
  accountOf(authorization: string | undefined): MarketAccount;
  /** Ends one access token before its time. */
  expireAccess(authorization: string | undefined): void;
  /** Ends every token of the family that this refresh token belongs to. */
  revokeFamilyOf(refreshToken: string): void;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInS: number;
}

const ACCESS_LIFETIME_S = 7_200;
/** `sandbox-NAME` signs NAME in anew, at any time. */
const SIGN_IN_TOKEN = /^sandbox-([a-z0-9-]{1,64})$/;
const MAX_REMEMBERED = 10_000;

export function createSessions(books: Books, clock: Clock): Sessions {
  const signer = createSigner(books);
  const delivered = new Set<string>();
  const expired = new Set<string>();

  const issue = (familyId: number, accountId: number, generation: number): IssuedTokens => {
    const refreshToken = randomBytes(32).toString("base64url");
    books.accounts.addRefreshToken({ digest: digestOf(refreshToken), familyId, generation });
    const issuedAtS = Math.floor(clock.nowMs() / 1_000);
    const claims = { sub: accountId, fam: familyId, iat: issuedAtS, exp: issuedAtS + ACCESS_LIFETIME_S };
    const accessToken = signer.sign({ ...claims, jti: randomBytes(9).toString("base64url") });
    return { accessToken, refreshToken, expiresInS: ACCESS_LIFETIME_S };
  };

  const exchange = (refreshToken: string): IssuedTokens | null => {
    const stored = books.accounts.refreshToken(digestOf(refreshToken));
    if (stored === null || stored.family.isRevoked) return null;
    const { family, generation, newestGeneration } = stored;
    const isLostReply =
      generation === newestGeneration - 1 && !delivered.has(`${family.id}/${newestGeneration}`);
    if (generation === newestGeneration || isLostReply) {
      return issue(family.id, family.accountId, newestGeneration + 1);
    }
    books.accounts.revokeFamily(family.id);
    return null;
  };

  return {
    refresh(refreshToken) {
      const tokens = books.write(() => {
        const name = SIGN_IN_TOKEN.exec(refreshToken)?.[1];
        if (name === undefined) return exchange(refreshToken);
        const account = books.accounts.open(name);
        return issue(books.accounts.startFamily(account.id), account.id, 1);
      });
      if (tokens === null) throw new Refusal("invalid_refresh_token");
      return tokens;
    },
    noteDelivered({ refreshToken }) {
      const stored = books.accounts.refreshToken(digestOf(refreshToken));
      if (stored !== null) remember(delivered, `${stored.family.id}/${stored.generation}`);
    },
    accountOf(authorization) {
      const token = bearerOf(authorization);
      const claims = token === null || expired.has(digestOf(token)) ? null : signer.verify(token);
      if (claims === null || claims.exp * 1_000 <= clock.nowMs())
        throw new Refusal("invalid_authentication_token");
      const account = books.accounts.byId(claims.sub);
      const isRevoked = books.accounts.family(claims.fam)?.isRevoked ?? true;
      if (account === null || isRevoked) throw new Refusal("invalid_authentication_token");
      return account;
    },
    expireAccess(authorization) {
      const token = bearerOf(authorization);
      if (token !== null) remember(expired, digestOf(token));
    },
    revokeFamilyOf(refreshToken) {
      const stored = books.accounts.refreshToken(digestOf(refreshToken));
      if (stored !== null) books.accounts.revokeFamily(stored.family.id);
    },
  };
}

/** The oldest goes when there are too many. */
function remember(set: Set<string>, entry: string): void {
  set.add(entry);
  if (set.size <= MAX_REMEMBERED) return;
  for (const oldest of set) {
    set.delete(oldest);
    return;
  }
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
  /** Null for anything that this marketplace did not sign. */
  verify(token: string): Claims | null;
}

const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");

function createSigner(books: Books): Signer {
  const key = signingKey(books);
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

/** The key outlives the process, so that access tokens do. */
function signingKey(books: Books): Buffer {
  const kept = books.facts.get("access_token_key");
  if (kept !== null) return Buffer.from(kept, "hex");
  const key = randomBytes(32);
  books.facts.set("access_token_key", key.toString("hex"));
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
