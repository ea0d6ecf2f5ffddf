import { ownOrigins } from "#domain/loopback.ts";
import { Secret } from "#domain/secret.ts";
import type { IdentityProvider } from "#domain/user.ts";

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
  /** The address of a profile's picture; null if the value has another form than the provider's. */
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
    // The sandbox is open to everybody on this machine: it needs no secret.
    clientSecret: new Secret("sandbox"),
    authorizeUrl: `${addresses.publicUrl}/discord/oauth2/authorize`,
    tokenUrl: `${addresses.url}/discord/api/oauth2/token`,
    profileUrl: `${addresses.url}/discord/api/users/@me`,
    pictureUrl: (_profileId, avatar) =>
      ownOrigins(addresses.publicUrl).some((origin) => avatar.startsWith(`${origin}/`)) ? avatar : null,
  };
}
