/** What the law gives a person: all that is kept of them, and its end. `export`, `erase`. */
import { presentAchat } from "#presenters/achat.ts";
import { presentFiltre } from "#presenters/filtre.ts";
import type { OperatorInput, OperatorReport } from "#contract/operator.ts";
import type { User } from "#domain/user.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { OperatorDeps } from "./operator-deps.ts";
import { OperatorError, personNamed } from "./operator-deps.ts";
import { printable } from "./text-table.ts";

const EXPORTED_AUDIT_ENTRIES = 10_000;
const EXPORTED_PURCHASES = 100_000;
const EXPORTED_MATCHES = 5_000;

const SETTLED: ReadonlySet<PurchaseState> = new Set(["confirmed", "cancelled", "failed"]);

/** Everything but the marketplace token, which is the marketplace's and not the person's to read here. */
export async function exportPerson(
  { name }: OperatorInput<"export">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
  const { store, config } = deps;
  const user = await personNamed(name, deps);
  const { account, ...settings } = await store.settings.get(user.id);
  const journal = await store.purchases.journal(user.id, EXPORTED_PURCHASES);
  const matches = await store.listings.recentMatches(user.id, EXPORTED_MATCHES);
  const data = {
    person: { ...user },
    settings: { ...settings, account: account.state },
    filters: (await store.filters.ofUser(user.id)).map(presentFiltre),
    purchases: journal.map(({ purchase, attempts }) => ({
      ...presentAchat(purchase, config.marketplace.publicUrl),
      state: purchase.state,
      hidden: purchase.isHidden,
      attempts,
    })),
    sessions: (await store.sessions.ofUser(user.id)).map(({ createdAtMs, lastSeenAtMs }) => ({
      createdAtMs,
      lastSeenAtMs,
    })),
    matches: matches.map(({ listing, filterIds, matchedAtMs }) => ({
      listing: listing.listing.id,
      title: listing.listing.title,
      filters: filterIds,
      matchedAtMs,
    })),
    audit: await store.audit.ofUser(user.id, EXPORTED_AUDIT_ENTRIES),
  };
  await store.audit.append({ atMs: deps.clock.nowMs(), kind: "admin_export", userId: user.id, details: {} });
  return { lines: [JSON.stringify(data, null, 2)], data };
}

/**
 * Ends everything of a person, then removes it; the books of money stay under a bare id. While a purchase
 * is still open nothing is removed: the person may have been charged, and what proves it must stay.
 */
export async function erasePerson(
  { name }: OperatorInput<"erase">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
  const { store, events, clock } = deps;
  const user = await personNamed(name, deps);
  const nowMs = clock.nowMs();
  await deps.purchasing.operator.stop(user.id, "erasure");
  await store.users.setSuspended(user.id, true);
  await deps.sessions.endAll(user.id);
  const filterIds = (await store.filters.ofUser(user.id)).map((filter) => filter.id);
  await events.publish({ kind: "user_changed", userId: user.id });
  await refuseWhileOpen(user, deps);
  await store.users.erase(user.id);
  await store.audit.append({ atMs: nowMs, kind: "admin_erase", userId: null, details: { id: user.id } });
  await events.publish({ kind: "filters_changed", userId: user.id, filterIds });
  await events.publish({ kind: "user_changed", userId: user.id });
  return {
    lines: [`${printable(user.login)} is erased; copies in backups end with the backups`],
    data: { erased: user.id },
  };
}

async function refuseWhileOpen(user: User, { store }: OperatorDeps): Promise<void> {
  const journal = await store.purchases.journal(user.id, EXPORTED_PURCHASES);
  const openCount = journal.filter(({ purchase }) => !SETTLED.has(purchase.state)).length;
  if (openCount === 0) return;
  throw new OperatorError(
    `${openCount} purchases of ${printable(user.login)} are not settled: access and buying are ended, repeat "erase" once they are`,
  );
}
