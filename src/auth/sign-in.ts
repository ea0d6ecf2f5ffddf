/** Completes a sign-in: person with first settings, session and audit entry, in this order. */
import { type Clock, HOUR_MS } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { Log } from "#domain/log.ts";
import { Secret } from "#domain/secret.ts";
import { ERASURE, levelNow, type User } from "#domain/user.ts";
import type { AuditStore, Identity, Store, UserStore, Welcome } from "#store/store.ts";
import type { CallbackQuery, OAuth, RefusalReason } from "./oauth.ts";
import { sessionIdOf, sessionMark, type Sessions } from "./sessions.ts";

interface SignInDeps {
  readonly oauth: OAuth;
  readonly sessions: Sessions;
  readonly store: {
    readonly users: Pick<UserStore, "signIn">;
    readonly purchases: Pick<Store["purchases"], "endAccountStop">;
    readonly audit: Pick<AuditStore, "append">;
  };
  readonly events: Pick<EventBus, "publish">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Log;
}

type SignInResult =
  | { readonly kind: "signed_in"; readonly cookie: string; readonly level: number }
  /** isOver: the sign-in of the browser's cookie. Another tab's callback, or a forged one, does not end it. */
  | { readonly kind: "refused"; readonly isOver: boolean };

/** A browser that returns from the provider. */
interface SignInVisit {
  readonly cookieHeader: string | undefined;
  readonly query: CallbackQuery;
  readonly userAgent: string | undefined;
}

export interface SignIn {
  begin(cookieHeader: string | undefined): { readonly location: string; readonly cookie: string };
  complete(visit: SignInVisit): Promise<SignInResult>;
}

/**
 * Refused sign-ins written to the audit log per hour and reason. Anyone can cause refusals, from any number
 * of addresses; further ones are only in the request log.
 */
const REFUSALS_ON_RECORD = 30;

function createRefusalRecord(): (reason: string, nowMs: number) => boolean {
  const counts = new Map<string, number>();
  let beganAtMs = -Infinity;
  return (reason, nowMs) => {
    if (nowMs - beganAtMs >= HOUR_MS) {
      counts.clear();
      beganAtMs = nowMs;
    }
    const count = (counts.get(reason) ?? 0) + 1;
    counts.set(reason, count);
    return count <= REFUSALS_ON_RECORD;
  };
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { oauth, sessions, store, events, clock, log } = deps;
  const isOnRecord = createRefusalRecord();

  async function signInPerson(identity: Identity): Promise<{ readonly user: User; readonly isNew: boolean }> {
    const welcome = identity.provider === "sandbox" ? sandboxWelcome(identity.login) : null;
    const { user, isNew } = await store.users.signIn(identity, clock.nowMs(), welcome ?? undefined);
    if (isNew && welcome !== null) {
      await events.publish({ kind: "settings_changed", userId: user.id });
      await events.publish({ kind: "user_changed", userId: user.id });
    }
    // Left by an erasure that was interrupted. One by the operator suspends as well, and keeps its stop.
    if (!isNew && !user.isSuspended) await store.purchases.endAccountStop(user.id, ERASURE);
    return { user, isNew };
  }

  async function refuse(reason: RefusalReason): Promise<SignInResult> {
    log.warn({ reason }, "sign-in refused");
    const atMs = clock.nowMs();
    if (isOnRecord(reason, atMs))
      await store.audit.append({ atMs, kind: "login_failed", userId: null, details: { reason } });
    return { kind: "refused", isOver: reason !== "state" };
  }

  return {
    begin: (cookieHeader) => oauth.begin(cookieHeader),
    async complete({ cookieHeader, query, userAgent }) {
      const result = await oauth.complete(cookieHeader, query);
      if (result.kind === "refused") return refuse(result.reason);
      const { user, isNew } = await signInPerson(result.identity);
      const { cookie } = await sessions.start(user.id, {
        replaced: result.replaced ?? undefined,
        device: deviceOf(userAgent),
      });
      const nowMs = clock.nowMs();
      const begun = sessionIdOf(cookie.split(";", 1)[0]);
      const session = begun === null ? null : sessionMark(begun);
      const details = { isNew, session, device: deviceOf(userAgent) };
      await store.audit.append({ atMs: nowMs, kind: "login", userId: user.id, details });
      return { kind: "signed_in", cookie, level: levelNow(user, nowMs) };
    },
  };
}

const WELCOMED_PLANS = ["seeker", "acquire", "thunder"] as const;

/**
 * Plan and settings of a persona whose name begins with a plan's, from its first sign-in (contract §2); null for
 * every other name, which starts at level 0 with empty settings. For the sandbox's provider only: elsewhere anyone
 * can choose a name.
 */
export function sandboxWelcome(login: string): Welcome | null {
  const plan = WELCOMED_PLANS.find((name) => login.startsWith(name));
  if (plan === undefined) return null;
  return {
    plan,
    settings: {
      refreshToken: new Secret(`sandbox-${login}`),
      address: { street: "12 rue de la Roquette", city: "Paris", postalCode: 75_011, country: "France" },
      pickupPointNames: ["Relais Colis Bastille"],
    },
  };
}

/** The first match counts, more specific ones first, since browsers imitate one another. */
const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bEdg(?:e|A|iOS)?\//u, "Edge"],
  [/\bOPR\//u, "Opera"],
  [/\bSamsungBrowser\//u, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//u, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//u, "Chrome"],
  [/\bSafari\//u, "Safari"],
];

const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\biPhone\b/u, "iPhone"],
  [/\biPad\b/u, "iPad"],
  [/\bAndroid\b/u, "Android"],
  [/\bWindows\b/u, "Windows"],
  [/\bMac OS X\b/u, "macOS"],
  [/\bCrOS\b/u, "ChromeOS"],
  [/\bLinux\b/u, "Linux"],
];

/** Browser and system of a `User-Agent`: "Firefox sur Windows", or "". The header itself is never stored. */
export function deviceOf(userAgent: string | undefined): string {
  const sent = userAgent ?? "";
  const browser = BROWSERS.find(([sign]) => sign.test(sent))?.[1];
  const system = SYSTEMS.find(([sign]) => sign.test(sent))?.[1];
  if (browser === undefined) return system ?? "";
  return system === undefined ? browser : `${browser} sur ${system}`;
}
