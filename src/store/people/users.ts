import { and, asc, eq, lte, not, or, sql, type SQL } from "drizzle-orm";
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import { type UserId, asUserId } from "#domain/ids.ts";
import type { Random } from "#domain/clock.ts";
import { batchCalls } from "#domain/concurrency.ts";
import { DEFAULT_LIMITS } from "#domain/settings.ts";
import type { Db } from "../engines/db.ts";
import { isOneOfTexts, isStorable } from "../sql/values.ts";
import { buyingAccounts } from "../schema/purchase-tables.ts";
import { erasePurchases, isErasedOrStopped } from "../purchases/buying-accounts.ts";
import { alertDestinations, auditEntries, heldMatches, settings, users } from "../schema/tables.ts";
import { changeSettings } from "./settings.ts";
import type { Identity, UserStore, Welcome } from "../store.ts";
import type { Vault } from "../vault/vault.ts";
import { z } from "zod";
import type { User } from "#domain/user.ts";
import { type Cell, type SealingKey, unlessUnreadable } from "../vault/sealing.ts";

export interface UserStoreDeps {
  readonly db: Db;
  readonly vault: Vault;
  readonly random: Random;
}

export function createUserStore(deps: UserStoreDeps): UserStore {
  const { db, vault } = deps;
  const placeOf = placesInTurn(db);
  return {
    async byId(id) {
      const row = await rowById(db, id);
      return row === null ? null : userOf(vault, row);
    },
    async signIn(identity, nowMs, welcome) {
      const newcomer = await insertUser(deps, { identity, nowMs, welcome });
      if (newcomer !== null) return { user: userOf(vault, newcomer), isNew: true };
      return { user: await updateProfile(deps, identity), isNew: false };
    },
    async setPlan(id, plan, endsAtMs) {
      await db.update(users).set({ plan, planEndsAtMs: endsAtMs }).where(eq(users.id, id));
    },
    async setSuspended(id, isSuspended) {
      // Purchase decisions in progress commit first; later ones see the suspension (by a trigger).
      await db.update(users).set({ isSuspended }).where(eq(users.id, id));
    },
    waitlistPlace: (id, nowMs) => placeOf({ id, nowMs }),
    waitlist: (nowMs) => usersWhere(deps, isWaiting(nowMs)),
    async subscribers(ids) {
      const { id, plan, planEndsAtMs, isSuspended } = users;
      return await db
        .select({ id, plan, planEndsAtMs, isSuspended })
        .from(users)
        .where(isOneOfTexts(users.id, ids.filter(isStorable)));
    },
    all: () => usersWhere(deps),
    find: (nameOrId) => findUser(db, vault, nameOrId),
    async erase(id, { stopReason, entry } = {}) {
      // One transaction with the purchases: concurrent work commits before it or finds no person.
      return await db.transaction(async (tx) => {
        if (stopReason !== undefined && !(await isErasedOrStopped(tx, id, stopReason))) return false;
        await erasePurchases(tx, id);
        await tx.delete(heldMatches).where(eq(heldMatches.userId, id));
        await tx.delete(buyingAccounts).where(eq(buyingAccounts.userId, id));
        // Cascades to sessions, filters, settings and account; without the data key, copies in backups are unreadable.
        await tx.delete(users).where(eq(users.id, id));
        if (entry !== undefined) await tx.insert(auditEntries).values(entry);
        return true;
      });
    },
  };
}

/** In order of arrival. */
async function usersWhere({ db, vault }: UserStoreDeps, condition?: SQL): Promise<readonly User[]> {
  const rows = await db.select().from(users).where(condition).orderBy(asc(users.createdAtMs), asc(users.id));
  return rows.map((row) => listedUserOf(vault, row));
}

/** Without a current plan; suspended people are not on the waiting list. */
function isWaiting(nowMs: number) {
  return and(not(users.isSuspended), or(eq(users.plan, "none"), lte(users.planEndsAtMs, nowMs)));
}

async function rowById(db: Db, id: UserId): Promise<UserRow | null> {
  if (!isStorable(id)) return null;
  const [row] = await db.select().from(users).where(eq(users.id, id));
  return row ?? null;
}

async function findUser(db: Db, vault: Vault, nameOrId: string) {
  const named = await rowById(db, asUserId(nameOrId));
  if (named !== null) return listedUserOf(vault, named);
  const rows = await db
    .select()
    .from(users)
    .where(eq(users.loginKey, loginKey(vault, nameOrId)))
    .limit(2);
  const [row, another] = rows;
  return row === undefined || another !== undefined ? null : listedUserOf(vault, row);
}

const MAX_PLACES_TOGETHER = 1_000;

/**
 * Anyone without a plan may ask, and each rank is a count over the whole waiting list: at most one runs at a
 * time, and concurrent requests of one person share it, so that many requests cannot occupy the store.
 */
function placesInTurn(db: Db) {
  return batchCalls(async (asked: readonly { readonly id: UserId; readonly nowMs: number }[]) => {
    const places = new Map<UserId, Awaited<ReturnType<typeof waitlistPlace>>>();
    for (const { id, nowMs } of asked)
      if (!places.has(id)) places.set(id, await waitlistPlace(db, id, nowMs));
    return ({ id }) => places.get(id) ?? null;
  }, MAX_PLACES_TOGETHER);
}

async function waitlistPlace(db: Db, id: UserId, nowMs: number) {
  const [me] = await db
    .select({ createdAtMs: users.createdAtMs })
    .from(users)
    .where(and(eq(users.id, id), isWaiting(nowMs)));
  if (me === undefined) return null;
  const notAfterMe = sql`(${users.createdAtMs}, ${users.id}) <= (${me.createdAtMs}, ${id})`;
  const [place] = await db
    .select({
      rank: sql<number>`(count(*) filter (where ${notAfterMe}))::int`,
      total: sql<number>`count(*)::int`,
    })
    .from(users)
    .where(isWaiting(nowMs));
  return place ?? null;
}

/** Null if the person exists: of two concurrent first sign-ins, the second finds the first one's row. */
async function insertUser(
  deps: UserStoreDeps,
  { identity, nowMs, welcome }: { identity: Identity; nowMs: number; welcome: Welcome | undefined },
): Promise<UserRow | null> {
  const { db, vault, random } = deps;
  // Looked up first: almost every sign-in is of an existing person and needs no new key.
  if ((await rowOf(db, vault, identity)) !== undefined) return null;
  const id = asUserId(random.uuid(nowMs));
  return await db.transaction(async (tx) => {
    const { key, wrapped } = await vault.newDataKey(tx, id);
    const [row] = await tx
      .insert(users)
      .values({
        id,
        provider: identity.provider,
        providerKey: providerKey(vault, identity),
        loginKey: loginKey(vault, identity.login),
        wrappedDataKey: wrapped,
        sealedProfile: sealProfile(key, id, identity),
        plan: welcome?.plan ?? "none",
        createdAtMs: nowMs,
      })
      .onConflictDoNothing()
      .returning();
    if (row === undefined) return null;
    // Always inserted: a person without this row counts as erased in purchase decisions.
    await tx
      .insert(settings)
      .values({ userId: id, paymentMethodId: DEFAULT_PAYMENT_METHOD_ID, ...DEFAULT_LIMITS });
    if (welcome !== undefined)
      await changeSettings(vault, tx, { userId: id, change: welcome.settings, nowMs });
    return row;
  });
}

async function updateProfile({ db, vault }: UserStoreDeps, identity: Identity) {
  const row = await rowOf(db, vault, identity);
  if (row === undefined) throw new Error("a person who was known a moment ago is gone");
  const key = vault.dataKey(row.id, row.wrappedDataKey);
  const sealedProfile = sealProfile(key, row.id, identity);
  // A profile that cannot be opened is replaced.
  const hasOtherEmail = unlessUnreadable(() => userOf(vault, row).email) !== identity.email;
  await db.transaction(async (tx) => {
    await tx
      .update(users)
      .set({ sealedProfile, loginKey: loginKey(vault, identity.login) })
      .where(eq(users.id, row.id));
    if (!hasOtherEmail) return;
    // Lost was the former address.
    const isMailbox = and(eq(alertDestinations.userId, row.id), eq(alertDestinations.channel, "courriel"));
    await tx.update(alertDestinations).set({ state: "active" }).where(isMailbox);
  });
  return userOf(vault, { ...row, sealedProfile });
}

async function rowOf(db: Db, vault: Vault, identity: Identity): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.provider, identity.provider), eq(users.providerKey, providerKey(vault, identity))));
  return row;
}

function providerKey(vault: Vault, { provider, providerId }: Identity): string {
  return vault.keyedHash("provider id", `${provider}\n${providerId}`);
}

function loginKey(vault: Vault, login: string): string {
  return vault.keyedHash("login", login.toLowerCase());
}

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

function sealProfile(key: SealingKey, id: UserId, identity: Identity): Uint8Array {
  return key.sealText(JSON.stringify(profileSchema.parse(identity)), profileCell(id));
}

/** Throws a StoreError `unreadable` if the profile cannot be decrypted. */
export function userOf(vault: Vault, row: UserRow): User {
  const key = vault.dataKey(row.id, row.wrappedDataKey);
  return withProfile(
    row,
    profileSchema.parse(JSON.parse(key.openText(row.sealedProfile, profileCell(row.id)))),
  );
}

/** One person's unreadable profile must not hide the others, nor keep the operator from erasing it. */
function listedUserOf(vault: Vault, row: UserRow): User {
  const bare = { providerId: "", login: row.id, displayName: "", email: "", pictureUrl: null };
  return unlessUnreadable(() => userOf(vault, row)) ?? withProfile(row, bare);
}

function withProfile(row: UserRow, profile: Profile): User {
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
