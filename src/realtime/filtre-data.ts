/** `filtreData`: ends of automatic buying, sent to all sockets of the person. */
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

/** Settles once the sockets have it; never throws. */
export async function sendStop(deps: FiltreDataDeps, stop: BuyingStop): Promise<void> {
  const { userId } = stop;
  if (!deps.isHere(userId)) return;
  try {
    await deps.send(userId, presentArret(stop, await nameOf(deps, stop)));
  } catch (error) {
    // Pages reload their filters every minute, including the reason of the end.
    deps.log.error({ userId, ...describeError(error) }, "an end of automatic buying could not be sent");
  }
}

/** The name of the group or filter; null if it was deleted or cannot be read. */
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
