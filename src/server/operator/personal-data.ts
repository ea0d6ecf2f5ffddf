/** A person's rights under the GDPR: `export`, `erase`. */
import type { OperatorInput, OperatorReport } from "#contract/operator.ts";
import type { UserId } from "#domain/ids.ts";
import { presentAchat } from "#presenters/achat.ts";
import { presentFiltre } from "#presenters/filtre.ts";
import { presentGroupe } from "#presenters/regles.ts";
import { erasePersonWhole } from "../erase-person.ts";
import { type OperatorDeps, OperatorError, personNamed, printable } from "./operator-deps.ts";

/** Years of frequent buying. The report is one line in memory, hence the bound; truncation is reported. */
const EXPORTED_AUDIT_ENTRIES = 200_000;
const EXPORTED_PURCHASES = 100_000;
const EXPORTED_MATCHES = 5_000;
/** More than the journal keeps of one person. */
const EXPORTED_ALERTS = 1_000;

/** Everything but the marketplace token, which is a credential of the marketplace. */
export async function exportPerson(
  { name }: OperatorInput<"export">,
  deps: Pick<OperatorDeps, "store" | "config" | "clock">,
): Promise<OperatorReport> {
  const { store, config } = deps;
  const user = await personNamed(name, deps);
  const { account, ...settings } = await store.settings.get(user.id);
  const journal = await store.purchases.journal(user.id, EXPORTED_PURCHASES);
  const audit = await store.audit.ofUser(user.id, EXPORTED_AUDIT_ENTRIES);
  const cut = [
    ...(journal.length < EXPORTED_PURCHASES ? [] : ["purchases"]),
    ...(audit.length < EXPORTED_AUDIT_ENTRIES ? [] : ["audit"]),
  ];
  const matches = await store.listings.recentMatches(user.id, EXPORTED_MATCHES);
  const data = {
    person: { ...user },
    settings: { ...settings, account: account.state },
    // Like the token, an address is a credential: only its existence is exported.
    alerts: await alertsOf(store, user.id),
    blockedSellers: (await store.sellers.list(user.id)).map((one) => ({ ...one })),
    groups: (await store.groups.list(user.id)).map(presentGroupe),
    filters: (await store.filters.ofUser(user.id)).map(presentFiltre),
    purchases: journal.map(({ purchase, attempts }) => ({
      ...presentAchat(purchase, config.marketplace.publicUrl),
      state: purchase.state,
      hidden: purchase.isHidden,
      attempts,
    })),
    sessions: (await store.sessions.ofUser(user.id)).map(({ device, createdAtMs, lastSeenAtMs }) => ({
      device,
      createdAtMs,
      lastSeenAtMs,
    })),
    missed: (await store.stories.misses(user.id, EXPORTED_MATCHES)).map(
      ({ listing, filterId, reason, matchedAtMs }) => ({
        listing: listing.id,
        title: listing.title,
        filter: filterId,
        reason,
        matchedAtMs,
      }),
    ),
    matches: matches.map(({ listing, filterIds, matchedAtMs }) => ({
      listing: listing.listing.id,
      title: listing.listing.title,
      filters: filterIds,
      matchedAtMs,
    })),
    audit,
    // There may be older entries.
    ...(cut.length === 0 ? {} : { cut }),
  };
  await store.audit.append({ atMs: deps.clock.nowMs(), kind: "admin_export", userId: user.id, details: {} });
  return { lines: [JSON.stringify(data, null, 2)], data };
}

/** Nothing is erased while a purchase is open, but access and buying end immediately. */
export async function erasePerson(
  { name }: OperatorInput<"erase">,
  deps: OperatorDeps,
): Promise<OperatorReport> {
  const user = await personNamed(name, deps);
  const openCount = await erasePersonWhole(user, deps);
  if (openCount > 0)
    throw new OperatorError(
      `access and buying of ${printable(user.login)} are ended, but purchases are not settled (${openCount}): repeat "erase" once they are`,
    );
  return {
    lines: [`${printable(user.login)} is erased; copies in backups end with the backups`],
    data: { erased: user.id },
  };
}

async function alertsOf({ alerts }: Pick<OperatorDeps["store"], "alerts">, userId: UserId) {
  const channels = await alerts.destinations.ofUser(userId);
  const journal = await alerts.outbox.journal(userId, EXPORTED_ALERTS);
  return {
    settings: await alerts.settings(userId),
    channels: channels.map(({ channel, name, events, state }) => ({ channel, name, events, state })),
    sent: journal.map(({ channel, type, title, result, plannedAtMs, sentAtMs }) => ({
      channel,
      type,
      title,
      result,
      plannedAtMs,
      sentAtMs,
    })),
  };
}
