/** `filtreData`: automatic buying that the product ended, sent to all sockets of its person. */
import type { FiltrePayload } from "#contract/socket.ts";
import type { BuyingStop } from "#domain/buying-rules.ts";
import { describeError, type Log } from "#domain/log.ts";
import type { UserId } from "#domain/ids.ts";
import { presentArret } from "#presenters/regles.ts";
import type { FilterStore, GroupStore } from "#store/market-store.ts";

interface FiltreDataDeps {
  readonly filters: Pick<FilterStore, "byId">;
  readonly groups: Pick<GroupStore, "list">;
  readonly isHere: (userId: UserId) => boolean;
  readonly send: (userId: UserId, payload: FiltrePayload) => Promise<void>;
  readonly log: Log;
}

/** Settles when the sockets have it; never throws. */
export async function sendStop(deps: FiltreDataDeps, stop: BuyingStop): Promise<void> {
  const { userId } = stop;
  if (!deps.isHere(userId)) return;
  try {
    await deps.send(userId, presentArret(stop, await nameOf(deps, stop)));
  } catch (error) {
    // A page reads its filters again every minute, and finds there why they stopped.
    deps.log.error({ userId, ...describeError(error) }, "an end of automatic buying could not be sent");
  }
}

/** Of the group, or of the filter; null: gone, or not readable now. */
async function nameOf(
  { filters, groups }: FiltreDataDeps,
  { userId, groupId, filterIds }: BuyingStop,
): Promise<string | null> {
  try {
    if (groupId !== null) return (await groups.list(userId)).find(({ id }) => id === groupId)?.name ?? null;
    const [filterId] = filterIds;
    return filterId === undefined ? null : ((await filters.byId(userId, filterId))?.tag ?? null);
  } catch {
    return null;
  }
}
