/** The two calls to the sign-in provider: bounded in time and size, without redirects, every answer validated. */
import { request } from "undici";
import { z } from "zod";
import type { Identity } from "#store/store.ts";
import { parseJson } from "#domain/json.ts";
import { ownOrigins } from "#domain/network.ts";
import { Secret } from "#domain/secret.ts";
import type { IdentityProvider } from "#domain/user.ts";

const CALL_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

const tokenAnswer = z.object({
  access_token: z.string().min(1).max(4_096),
  token_type: z.string().regex(/^bearer$/i),
});

const profileAnswer = z.object({
  id: z.string().min(1).max(64),
  username: z.string().min(1).max(100),
  global_name: z.string().max(100).nullish(),
  email: z.string().max(320).nullish(),
  verified: z.boolean().nullish(),
  avatar: z.string().max(500).nullish(),
});

/**
 * unavailable: no answer in time, 429 or 5xx. refused: the code was not accepted.
 * unreadable: an answer of another shape.
 */
export type ProviderFault = "unavailable" | "refused" | "unreadable";

export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ProviderFault;

  constructor(code: ProviderFault, cause?: unknown) {
    super(`sign-in provider: ${code}`, { cause });
    this.code = code;
  }
}

/**
 * Exchanges an authorisation code for the person behind it. The access token is used once and not kept.
 * @throws ProviderError
 */
export async function fetchIdentity(
  provider: OAuthProvider,
  grant: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
): Promise<Identity> {
  const answer = await call(provider.tokenUrl, tokenAnswer, {
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: grant.code,
      redirect_uri: grant.redirectUri,
      client_id: provider.clientId,
      client_secret: provider.clientSecret.reveal(),
      code_verifier: grant.verifier,
    }),
  });
  const profile = await call(provider.profileUrl, profileAnswer, {
    headers: { authorization: `Bearer ${answer.access_token}` },
  });
  return {
    provider: provider.key,
    providerId: profile.id,
    login: profile.username,
    displayName: profile.global_name ?? profile.username,
    // An unverified e-mail address is not stored.
    email: profile.verified === true ? (profile.email ?? "") : "",
    pictureUrl: typeof profile.avatar === "string" ? provider.pictureUrl(profile.id, profile.avatar) : null,
  };
}

interface ProviderRequest {
  readonly body?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call<Shape>(url: string, shape: z.ZodType<Shape>, asked: ProviderRequest): Promise<Shape> {
  const { status, text } = await send(url, asked);
  // A redirect is not followed.
  if (status >= 500 || status === 429 || (status >= 300 && status < 400))
    throw new ProviderError("unavailable");
  if (status >= 400) throw new ProviderError("refused");
  const parsed = shape.safeParse(parseJson(text));
  if (!parsed.success) throw new ProviderError("unreadable");
  return parsed.data;
}

/**
 * Uses `request` instead of Node's own `fetch`, with which a connection that breaks raises an unhandled error if the body
 * has more than five content encodings or is not read to its end.
 */
async function send(
  url: string,
  { body, headers }: ProviderRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const answer = await request(url, {
      method: body === undefined ? "GET" : "POST",
      body: body?.toString() ?? null,
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      headers: {
        accept: "application/json",
        "user-agent": "node",
        ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
    });
    return { status: answer.statusCode, text: await readText(answer.body) };
  } catch (cause) {
    throw new ProviderError("unavailable", cause);
  }
}

/** The deadline of the call covers the body. One that is too long is cut, and then no JSON. */
async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let byteCount = 0;
  for await (const part of body) {
    byteCount += part.byteLength;
    if (byteCount > MAX_ANSWER_BYTES) break;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Where people sign in: Discord, or the sandbox with the same protocol. */
export interface OAuthProvider {
  readonly key: IdentityProvider;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Opened by the person's browser. */
  readonly authorizeUrl: string;
  /** Called by the server. */
  readonly tokenUrl: string;
  readonly profileUrl: string;
  /** The URL of a profile picture; null if the value does not have the provider's form. */
  pictureUrl(profileId: string, avatar: string): string | null;
}

export function discordProvider(client: { readonly id: string; readonly secret: Secret }): OAuthProvider {
  return {
    key: "discord",
    clientId: client.id,
    clientSecret: client.secret,
    authorizeUrl: "https://discord.com/oauth2/authorize",
    tokenUrl: "https://discord.com/api/oauth2/token",
    profileUrl: "https://discord.com/api/users/@me",
    pictureUrl: (profileId, avatar) =>
      /^\d{1,32}$/.test(profileId) && /^\w{1,64}$/.test(avatar)
        ? `https://cdn.discordapp.com/avatars/${profileId}/${avatar}.png?size=128`
        : null,
  };
}

/**
 * @param addresses `url` is the sandbox's address for the server, `publicUrl` the one for browsers; both without a path
 */
export function sandboxProvider(addresses: {
  readonly url: string;
  readonly publicUrl: string;
}): OAuthProvider {
  return {
    key: "sandbox",
    clientId: "synapse",
    // The sandbox is open to everyone on this machine: it needs no secret.
    clientSecret: new Secret("sandbox"),
    authorizeUrl: `${addresses.publicUrl}/discord/oauth2/authorize`,
    tokenUrl: `${addresses.url}/discord/api/oauth2/token`,
    profileUrl: `${addresses.url}/discord/api/users/@me`,
    pictureUrl: (_profileId, avatar) =>
      ownOrigins(addresses.publicUrl).some((origin) => avatar.startsWith(`${origin}/`)) ? avatar : null,
  };
}
