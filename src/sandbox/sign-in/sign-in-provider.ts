import { htmlAnswer, jsonAnswer, redirectAnswer, type Answer, type Incoming } from "../http/messages.ts";
import { signInPage, wrongRequestPage } from "./sign-in-page.ts";
import { hashOf } from "../world/draws.ts";
import { createHash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Clock, lifetimesBy } from "#domain/clock.ts";

/**
 * An OAuth 2.0 provider (authorisation code, state, PKCE) with Discord's profile format. There are no
 * passwords, so it accepts only loopback products by default.
 */
export interface SignInProvider {
  owns(path: string): boolean;
  serve(incoming: Incoming): Answer;
}

interface SignInParts {
  readonly grants: Grants;
  readonly publicUrl: string;
  readonly isAllowedRedirect: (redirectUri: URL) => boolean;
}

const AUTHORISE_PATH = "/discord/oauth2/authorize";
const TOKEN_PATH = "/discord/api/oauth2/token";
const PROFILE_PATH = "/discord/api/users/@me";
const KNOWN_SCOPES = new Set(["identify", "email"]);

export function createSignInProvider(parts: SignInParts): SignInProvider {
  return {
    owns: (path) => path.startsWith("/discord/"),
    serve(incoming) {
      const path = decodedPath(incoming.path);
      const { method } = incoming;
      if (path === AUTHORISE_PATH && method === "GET") return authorise(parts, incoming.query);
      if (path === TOKEN_PATH && method === "POST") return exchange(parts, incoming);
      if (path === PROFILE_PATH && method === "GET") return profile(parts, incoming.headers.authorization);
      return jsonAnswer(404, { code: 0, message: "404: Not Found" });
    },
  };
}

function decodedPath(path: string): string {
  return path.replaceAll("%40", "@");
}

/** Errors are shown, not redirected, until the redirect URI is known to be allowed. */
function authorise({ grants, isAllowedRedirect }: SignInParts, query: URLSearchParams): Answer {
  const redirectUri = parseUrl(query.get("redirect_uri"));
  if (redirectUri === null || !isAllowedRedirect(redirectUri)) {
    return htmlAnswer(400, wrongRequestPage("L'adresse de retour (redirect_uri) n'est pas autorisée."));
  }
  const back = (parameters: Record<string, string>): Answer => {
    const state = query.get("state");
    const target = new URL(redirectUri);
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
    if (state !== null) target.searchParams.set("state", state);
    return redirectAnswer(target.href);
  };
  const fault = requestFault(query);
  if (fault !== null) return back({ error: fault });
  if (query.get("refuse") !== null) return back({ error: "access_denied" });
  const name = query.get("persona");
  if (name === null || name === "") return htmlAnswer(200, signInPage(query, null));
  if (!PERSONA_NAME.test(name)) return htmlAnswer(400, signInPage(query, name));
  return back({
    code: grants.issueCode({
      name,
      clientId: query.get("client_id") ?? "",
      redirectUri: query.get("redirect_uri") ?? "",
      challenge: query.get("code_challenge") ?? "",
    }),
  });
}

/** The RFC 6749 error code of an invalid request, or null. */
function requestFault(query: URLSearchParams): string | null {
  if (query.get("response_type") !== "code") return "unsupported_response_type";
  const hasChallenge = /^[\w-]{43}$/.test(query.get("code_challenge") ?? "");
  if (!hasChallenge || query.get("code_challenge_method") !== "S256") return "invalid_request";
  if ((query.get("client_id") ?? "") === "" || (query.get("state") ?? "") === "") return "invalid_request";
  const scopes = (query.get("scope") ?? "").split(" ");
  return scopes.every((scope) => KNOWN_SCOPES.has(scope)) ? null : "invalid_scope";
}

function exchange({ grants }: SignInParts, { body, headers }: Incoming): Answer {
  const form = new URLSearchParams(body);
  if (form.get("grant_type") !== "authorization_code")
    return jsonAnswer(400, { error: "unsupported_grant_type" });
  const token = grants.exchange(form.get("code") ?? "", {
    clientId: form.get("client_id") ?? clientIdOfBasic(headers.authorization),
    redirectUri: form.get("redirect_uri") ?? "",
    verifier: form.get("code_verifier") ?? "",
  });
  if (token === null) return jsonAnswer(400, { error: "invalid_grant" });
  return jsonAnswer(200, {
    access_token: token,
    token_type: "Bearer",
    expires_in: TOKEN_LIFETIME_S,
    scope: "identify email",
  });
}

function clientIdOfBasic(authorization: string | undefined): string {
  const encoded = /^Basic ([\w+/=-]+)$/.exec(authorization ?? "")?.[1] ?? "";
  return Buffer.from(encoded, "base64").toString("utf8").split(":", 1)[0] ?? "";
}

function profile({ grants, publicUrl }: SignInParts, authorization: string | undefined): Answer {
  const token = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
  const name = grants.nameOf(token);
  if (name === null) return jsonAnswer(401, { code: 0, message: "401: Unauthorized" });
  return jsonAnswer(200, profileOf(name, publicUrl));
}

function parseUrl(text: string | null): URL | null {
  return text === null ? null : URL.parse(text);
}

/** Every valid name exists as an account. */
const PERSONA_NAME = /^[a-z0-9-]{1,64}$/;

/** The profile of a name in Discord's format, derived from the name. */
function profileOf(name: string, publicUrl: string): object {
  return {
    id: `${10 ** 8 + (hashOf(name) % 9e8)}${String(hashOf(`${name} again`)).padStart(10, "0")}`,
    username: name,
    global_name: displayNameOf(name),
    email: `${name}@personnes.example`,
    verified: true,
    avatar: `${publicUrl}/avatars/${hashOf(name)}.svg`,
  };
}

/** "thunder-lea" reads as "Thunder Lea". */
function displayNameOf(name: string): string {
  const words = name.split("-").filter((word) => word !== "");
  if (words.length === 0) return name;
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}

/** Authorisation codes and access tokens; in memory, so that people sign in again after a restart. */
interface Grants {
  /** Issues a code that its client can exchange once, within a minute. */
  issueCode(grant: CodeGrant): string;
  /**
   * Exchanges a code for an access token; null if it is expired, used, or the client or verifier is wrong.
   */
  exchange(code: string, proof: CodeProof): string | null;
  nameOf(accessToken: string): string | null;
}

interface CodeGrant {
  readonly name: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** PKCE, S256. */
  readonly challenge: string;
}

interface CodeProof {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

const TOKEN_LIFETIME_S = 604_800;
const CODE_LIFETIME_MS = 60_000;
const MAX_REMEMBERED = 10_000;

export function createGrants(clock: Clock): Grants {
  const bounds = { max: MAX_REMEMBERED, ...lifetimesBy(clock) };
  const codes = new LRUCache<string, CodeGrant>({ ...bounds, ttl: CODE_LIFETIME_MS });
  /** The name of each token's persona. */
  const tokens = new LRUCache<string, string>({ ...bounds, ttl: TOKEN_LIFETIME_S * 1_000 });
  return {
    issueCode(grant) {
      const code = randomBytes(20).toString("base64url");
      codes.set(code, grant);
      return code;
    },
    exchange(code, proof) {
      const grant = codes.get(code);
      codes.delete(code);
      if (grant === undefined) return null;
      if (grant.clientId !== proof.clientId || grant.redirectUri !== proof.redirectUri) return null;
      if (grant.challenge !== challengeOf(proof.verifier)) return null;
      const token = randomBytes(24).toString("base64url");
      tokens.set(token, grant.name);
      return token;
    },
    nameOf: (accessToken) => tokens.get(accessToken) ?? null,
  };
}

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}
