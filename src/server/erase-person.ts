/** The end of an account, by its owner or the operator. */
import type { Sessions } from "#auth/sessions.ts";
import type { Clock } from "#domain/clock.ts";
import type { EventBus } from "#domain/events.ts";
import type { User } from "#domain/user.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import type { Store } from "#store/store.ts";

export interface EraseDeps {
  readonly store: Pick<Store, "audit" | "filters" | "purchases" | "users">;
  readonly sessions: Pick<Sessions, "endAll">;
  readonly purchasing: Pick<Purchasing, "operator">;
  readonly events: Pick<EventBus, "publish">;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Why an account is stopped while it is being erased. */
const ERASURE = "erasure";
const MAX_PURCHASES = 100_000;
const SETTLED: ReadonlySet<PurchaseState> = new Set(["confirmed", "cancelled", "failed"]);

/** How many purchases may still cost the person money, or give it back. */
async function openPurchaseCount(
  user: Pick<User, "id">,
  { store }: Pick<EraseDeps, "store">,
): Promise<number> {
  const journal = await store.purchases.journal(user.id, MAX_PURCHASES);
  return journal.filter(({ purchase }) => !SETTLED.has(purchase.state)).length;
}

/** At the owner's own wish: nothing is begun while a purchase is open, so that they keep the account to follow it. */
export async function eraseOwnAccount(user: User, deps: EraseDeps): Promise<"erased" | "open_purchases"> {
  if ((await openPurchaseCount(user, deps)) > 0) return "open_purchases";
  const former = await deps.store.purchases.accountStop(user.id);
  if ((await erasePersonWhole(user, "self_erase", deps)) === 0) return "erased";
  // One was begun in the moment between: its owner must be able to come back and follow it.
  await deps.store.users.setSuspended(user.id, false);
  if (former?.untilMs === null)
    await deps.store.purchases.stopAccount(user.id, former.reason, deps.clock.nowMs());
  else await deps.store.purchases.endAccountStop(user.id, ERASURE);
  await deps.events.publish({ kind: "user_changed", userId: user.id });
  return "open_purchases";
}

/**
 * Ends everything of a person, then removes it; the books of money stay under a bare id. While a purchase is still
 * open nothing is removed, since what proves it must stay: the answer counts those, 0 when the person is gone.
 * @param by what the audit calls it
 */
export async function erasePersonWhole(
  user: User,
  by: "admin_erase" | "self_erase",
  deps: EraseDeps,
): Promise<number> {
  const { store, events, clock } = deps;
  const nowMs = clock.nowMs();
  await deps.purchasing.operator.stop(user.id, ERASURE);
  await store.users.setSuspended(user.id, true);
  await deps.sessions.endAll(user.id);
  const filterIds = (await store.filters.ofUser(user.id)).map((filter) => filter.id);
  await events.publish({ kind: "user_changed", userId: user.id });
  // Counted only now that nothing new can begin.
  const openCount = await openPurchaseCount(user, deps);
  if (openCount > 0) return openCount;
  await store.users.erase(user.id);
  await store.audit.append({ atMs: nowMs, kind: by, userId: null, details: { id: user.id } });
  await events.publish({ kind: "filters_changed", userId: user.id, filterIds });
  await events.publish({ kind: "user_changed", userId: user.id });
  return 0;
}
