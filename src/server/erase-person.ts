/** Erases an account, for its owner or the operator. */
import type { Sessions } from "#auth/sessions.ts";
import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { FilterId } from "#domain/ids.ts";
import type { Log } from "#domain/log.ts";
import { ERASURE, type User } from "#domain/user.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import type { Store } from "#store/store.ts";

interface EraseDeps {
  readonly store: Pick<Store, "audit" | "filters" | "purchases" | "users">;
  readonly sessions: Pick<Sessions, "endAll">;
  readonly purchasing: Pick<Purchasing, "operator">;
  readonly events: Pick<EventBus, "publish">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly log: Pick<Log, "info">;
}

type SelfErasure =
  | "erased"
  | "open_purchases"
  /** Suspended or stopped by the operator: an erasure would let the person return without a record. */
  | "barred";

/**
 * For the owner. Refused while a purchase is open, so that they can follow it. One that fails can be repeated;
 * meanwhile the person may buy as before.
 */
export async function eraseOwnAccount(user: User, deps: EraseDeps): Promise<SelfErasure> {
  const { purchases } = deps.store;
  if (await isBarred(user, deps)) return "barred";
  if ((await purchases.openCount(user.id)) > 0) return "open_purchases";
  // From here on a suspension, or a stop for any other reason, can only be the operator's.
  await purchases.stopUnlessStopped(user.id, ERASURE);
  try {
    const filterIds = await endAccess(user, deps);
    const obstacle = await currentObstacle(user, deps);
    if (obstacle === null) {
      await removePerson(user, { by: "self_erase", filterIds }, deps);
      return "erased";
    }
    await endStop(user, deps);
    return obstacle;
  } catch (error) {
    // If this fails too, or the process ends before, the next sign-in does it.
    await endStop(user, deps).catch(() => undefined);
    throw error;
  }
}

async function endStop({ id }: User, { store, events }: EraseDeps): Promise<void> {
  await store.purchases.endAccountStop(id, ERASURE);
  await events.publish({ kind: "user_changed", userId: id });
}

/** A purchase may have begun meanwhile: its owner must be able to return and follow it. */
async function currentObstacle(user: User, deps: EraseDeps): Promise<Exclude<SelfErasure, "erased"> | null> {
  if ((await deps.store.purchases.openCount(user.id)) > 0) return "open_purchases";
  return (await isBarred(user, deps)) ? "barred" : null;
}

async function isBarred({ id }: Pick<User, "id">, { store }: Pick<EraseDeps, "store">): Promise<boolean> {
  const user = await store.users.byId(id);
  const stop = await store.purchases.accountStop(id);
  const isStopped = stop !== null && stop.untilMs === null && stop.reason !== ERASURE;
  return isStopped || user?.isSuspended === true;
}

/**
 * For the operator: stops all activity of a person, then erases it; the ledger stays under the bare id. While
 * a purchase is open nothing is erased, to keep its proof. Returns the number of open purchases, 0 after the
 * erasure.
 */
export async function erasePersonWhole(user: User, deps: EraseDeps): Promise<number> {
  await deps.purchasing.operator.stop(user.id, ERASURE);
  await deps.store.users.setSuspended(user.id, true);
  const filterIds = await endAccess(user, deps);
  // Counted only now, when no new purchase can begin.
  const openCount = await deps.store.purchases.openCount(user.id);
  if (openCount === 0) await removePerson(user, { by: "admin_erase", filterIds }, deps);
  return openCount;
}

async function endAccess(user: User, { sessions, store, events }: EraseDeps): Promise<readonly FilterId[]> {
  await sessions.endAll(user.id);
  const own = await store.filters.ofUser(user.id);
  await events.publish({ kind: "user_changed", userId: user.id });
  return own.map((filter) => filter.id);
}

interface Removal {
  /** The kind of the audit entry. */
  readonly by: "admin_erase" | "self_erase";
  readonly filterIds: readonly FilterId[];
}

async function removePerson(user: User, { by, filterIds }: Removal, deps: EraseDeps): Promise<void> {
  const { store, events, clock, log } = deps;
  const atMs = clock.nowMs();
  // A sign-in meanwhile has ended the owner's stop, so that a purchase may have begun. Who is suspended begins none.
  const entry = { atMs, kind: by, userId: null, details: { id: user.id } };
  try {
    const isErased = await store.users.erase(user.id, {
      entry,
      ...(by === "self_erase" && { stopReason: ERASURE }),
    });
    if (!isErased) throw new Error("the person signed in during the erasure");
    // The log outlives a database that is restored from a backup, which still holds the person.
    log.info({ userId: user.id, kind: by }, "a person is erased");
  } finally {
    // Also after a failure: the commit may have taken effect without its answer.
    await events.publish({ kind: "filters_changed", userId: user.id, filterIds });
    await events.publish({ kind: "user_changed", userId: user.id });
  }
}
