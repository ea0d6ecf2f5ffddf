import { z } from "zod";
import type { UserId } from "#domain/ids.ts";
import type { User } from "#domain/user.ts";
import type { users } from "./schema.ts";
import type { Cell, SealingKey } from "./sealing.ts";
import type { Identity } from "./store.ts";
import type { Vault } from "./vault.ts";

/** The person's profile from the sign-in provider, sealed as one value. */
type Profile = Omit<Identity, "provider">;

const profileSchema: z.ZodType<Profile> = z.object({
  providerId: z.string(),
  login: z.string(),
  displayName: z.string(),
  email: z.string(),
  pictureUrl: z.string().nullable(),
});

const profileCell = (id: UserId): Cell => ({ table: "users", row: id, field: "sealed_profile" });

export type UserRow = typeof users.$inferSelect;

export function sealProfile(key: SealingKey, id: UserId, identity: Identity): Uint8Array {
  const { providerId, login, displayName, email, pictureUrl } = identity;
  const profile: Profile = { providerId, login, displayName, email, pictureUrl };
  return key.sealText(JSON.stringify(profile), profileCell(id));
}

/** The person of a row. Throws a StoreError `unreadable` when the profile does not open. */
export function userOf(vault: Vault, row: UserRow): User {
  const key = vault.dataKey(row.id, row.wrappedDataKey);
  const profile = profileSchema.parse(JSON.parse(key.openText(row.sealedProfile, profileCell(row.id))));
  return {
    id: row.id,
    provider: row.provider,
    ...profile,
    plan: row.plan,
    planEndsAtMs: row.planEndsAtMs,
    isSuspended: row.isSuspended,
    createdAtMs: row.createdAtMs,
  };
}
