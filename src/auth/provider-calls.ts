/** The two calls to the sign-in provider: bounded in time and size, without redirects, every answer validated. */
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
    method: "POST",
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
  readonly method?: "POST";
  readonly body?: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

async function call<Shape>(url: string, shape: z.ZodType<Shape>, request: ProviderRequest): Promise<Shape> {
  const response = await send(url, request);
  if (response.status >= 500 || response.status === 429) throw new ProviderError("unavailable");
  if (!response.ok) throw new ProviderError("refused");
  const parsed = shape.safeParse(parseJson(await readText(response)));
  if (!parsed.success) throw new ProviderError("unreadable");
  return parsed.data;
}

async function send(url: string, request: ProviderRequest): Promise<Response> {
  try {
    return await fetch(url, {
      ...request,
      redirect: "error",
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      headers: { accept: "application/json", ...request.headers },
    });
  } catch (cause) {
    throw new ProviderError("unavailable", cause);
  }
}

/** The deadline of the call covers the body. */
async function readText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let byteCount = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      byteCount += part.value.byteLength;
      if (byteCount > MAX_ANSWER_BYTES) throw new ProviderError("unreadable");
      text += decoder.decode(part.value, { stream: true });
    }
    return text;
  } catch (cause) {
    throw cause instanceof ProviderError ? cause : new ProviderError("unavailable", cause);
  } finally {
    await reader.cancel().catch(() => {
      // The stream is already broken: nothing is left to cancel.
    });
  }
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
