/**
 * Sign-in through a provider: OAuth 2.0 authorisation code with state and PKCE. The state between the two requests is
 * in an encrypted cookie, so any node can complete a sign-in that another began. This room returns addresses and
 * cookies as text; it knows no web framework.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Clock } from "#domain/clock.ts";
import { asSessionId, type SessionId } from "#domain/ids.ts";
import type { Identity } from "#store/store.ts";
import { clearedCookieText, cookieText, openCookie, readCookie, sealCookie } from "./cookies.ts";
import { fetchIdentity, ProviderError, type OAuthProvider, type ProviderFault } from "./provider-calls.ts";
import { sessionIdOf } from "./sessions.ts";

const OAUTH_COOKIE = "__Host-oauth";
export const CALLBACK_PATH = "/auth/discord/callback";
export const CLEARED_OAUTH_COOKIE = clearedCookieText(OAUTH_COOKIE, "Lax");

const SCOPES = "identify email";
/** Maximum duration of the person's steps on the provider's page. */
export const SIGN_IN_MS = 10 * 60_000;
const SECRET_BYTES = 32;
const MAX_CODE_LENGTH = 512;

interface OAuthDeps {
  readonly provider: OAuthProvider;
  /** The address that people use, without a path: the callback is on it. */
  readonly publicUrl: string;
  /** 32 bytes that all nodes share. */
  readonly cookieKey: Uint8Array;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Query parameters as a server reads them: a repeated one is a list. */
export type CallbackQuery = Readonly<Record<string, unknown>>;

export type OAuthResult =
  | {
      readonly kind: "identified";
      readonly identity: Identity;
      /** The browser's session at the beginning, to be replaced. */
      readonly replaced: SessionId | null;
    }
  | { readonly kind: "refused"; readonly reason: RefusalReason };

/** state: not the one of the cookie, or no cookie. declined: the person refused at the provider. */
export type RefusalReason = "state" | "expired" | "replayed" | "declined" | ProviderFault;

export interface OAuth {
  /** Where to send the browser, and the cookie that binds the callback to it. */
  begin(cookieHeader: string | undefined): { readonly location: string; readonly cookie: string };
  complete(cookieHeader: string | undefined, query: CallbackQuery): Promise<OAuthResult>;
}

const pendingShape = z.object({
  state: z.string(),
  verifier: z.string(),
  replaced: z.string().nullable(),
  startedAtMs: z.number(),
});
type Pending = z.infer<typeof pendingShape>;

export function createOAuth(deps: OAuthDeps): OAuth {
  const { provider, clock, cookieKey } = deps;
  const redirectUri = `${deps.publicUrl}${CALLBACK_PATH}`;
  const usedStates = createUsedStates(SIGN_IN_MS);

  return {
    begin(cookieHeader) {
      const pending: Pending = {
        state: randomText(),
        verifier: randomText(),
        // The callback is cross-site and carries no Strict cookie: the former session is stored now.
        replaced: sessionIdOf(cookieHeader),
        startedAtMs: clock.nowMs(),
      };
      const query = new URLSearchParams({
        response_type: "code",
        client_id: provider.clientId,
        redirect_uri: redirectUri,
        scope: SCOPES,
        state: pending.state,
        code_challenge: sha256(pending.verifier).toString("base64url"),
        code_challenge_method: "S256",
      });
      const sealed = sealCookie(JSON.stringify(pending), cookieKey);
      return {
        location: `${provider.authorizeUrl}?${query.toString()}`,
        cookie: cookieText(OAUTH_COOKIE, sealed, "Lax", SIGN_IN_MS / 1000),
      };
    },
    async complete(cookieHeader, query) {
      const nowMs = clock.nowMs();
      const pending = readPending(cookieHeader, cookieKey);
      const { state, code } = query;
      if (pending === null || typeof state !== "string" || !isSameText(state, pending.state))
        return { kind: "refused", reason: "state" };
      if (nowMs - pending.startedAtMs >= SIGN_IN_MS) return { kind: "refused", reason: "expired" };
      // Taken before the first await: of two concurrent callbacks with one state only the first continues.
      if (!usedStates.take(pending.state, nowMs)) return { kind: "refused", reason: "replayed" };
      if (typeof code !== "string" || code === "" || code.length > MAX_CODE_LENGTH)
        return { kind: "refused", reason: "declined" };
      try {
        const identity = await fetchIdentity(provider, { code, verifier: pending.verifier, redirectUri });
        const replaced = pending.replaced === null ? null : asSessionId(pending.replaced);
        return { kind: "identified", identity, replaced };
      } catch (error) {
        if (error instanceof ProviderError) return { kind: "refused", reason: error.code };
        throw error;
      }
    },
  };
}

function readPending(cookieHeader: string | undefined, key: Uint8Array): Pending | null {
  const sealed = readCookie(cookieHeader, OAUTH_COOKIE);
  const text = sealed === undefined ? null : openCookie(sealed, key);
  // Written by the product, but perhaps by an older version.
  return text === null ? null : (pendingShape.safeParse(JSON.parse(text)).data ?? null);
}

function randomText(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Hashed first, so that timing reveals neither length nor content. */
function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

/** The states answered on this node. A replay on another node fails at the provider: codes work once. */
interface UsedStates {
  /** True the first time; false for a state that was already taken. */
  take(state: string, nowMs: number): boolean;
}

// A state is stored only after its cookie was presented: reaching this takes as many sign-ins within ten minutes.
const MAX_REMEMBERED = 100_000;

/** @param memoryMs how long a state is valid */
export function createUsedStates(memoryMs: number): UsedStates {
  // In insertion order: the oldest come first.
  const usedAtMs = new Map<string, number>();

  function forgetExpired(nowMs: number): void {
    for (const [state, atMs] of usedAtMs) {
      if (nowMs - atMs < memoryMs && usedAtMs.size < MAX_REMEMBERED) return;
      usedAtMs.delete(state);
    }
  }

  return {
    take(state, nowMs) {
      forgetExpired(nowMs);
      if (usedAtMs.has(state)) return false;
      usedAtMs.set(state, nowMs);
      return true;
    },
  };
}
