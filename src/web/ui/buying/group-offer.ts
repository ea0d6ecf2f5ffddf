/** Offers to stop a group of filters after a click on a listing that it matches: one may be enough. */
import type { QueryClient } from "@tanstack/react-query";
import type { Groupe } from "#contract/filtres/regles.ts";
import { call, CallError, errorText } from "../../api/client.ts";
import { inTime } from "../../api/commands.ts";
import { queries, reloadEverything } from "../../api/queries.ts";
import { formatQuoted } from "../format-panel.ts";
import type { PurchaseOffer } from "../toasts/purchase-news.ts";
import { showToast } from "../toasts/show-toast.ts";

/** Prefetches the groups while the click is in flight, if one of the listing's filters is in a group. */
export function prepareGroupOffer(client: QueryClient, filterIds: readonly string[]): void {
  const filters = client.getQueryData(queries.filters.queryKey) ?? [];
  if (filters.some(({ _id, groupe }) => groupe !== null && filterIds.includes(_id)))
    void client.prefetchQuery(queries.groups);
}

/** 'Arrêter le groupe', for an open group that still buys; undefined if there is none. */
export function groupOffer(client: QueryClient, filterIds: readonly string[]): PurchaseOffer | undefined {
  const groups = client.getQueryData(queries.groups.queryKey) ?? [];
  const group = groups.find(
    ({ etat, filtres }) => etat === "ouvert" && filtres.some((id) => filterIds.includes(id)),
  );
  const filters = client.getQueryData(queries.filters.queryKey) ?? [];
  const isBuying = filters.some(({ _id, autobuy }) => autobuy && group?.filtres.includes(_id) === true);
  if (group === undefined || !isBuying) return undefined;
  return { label: "Arrêter le groupe", onSelect: () => void stopGroup(client, group) };
}

async function stopGroup(client: QueryClient, offered: Groupe): Promise<void> {
  const id = `groupe-arrete-${offered._id}`;
  try {
    await stopFilters(client, offered);
    showToast({
      id,
      message: `Groupe ${formatQuoted(offered.nom)} arrêté : ses filtres n'achètent plus.`,
    });
  } catch (error) {
    showToast({ id, message: errorText(error), tone: "bad" });
  }
  await reloadEverything(client);
}

/** Its filters may have changed since the click. If they cannot be read in time, those of the click are stopped. */
async function stopFilters(client: QueryClient, offered: Groupe): Promise<void> {
  const stop = async ({ filtres }: Groupe): Promise<void> => {
    await call("changeFilters", { body: { IDs: [...filtres], changement: { autobuy: false } } });
  };
  const amongThem = (groups: readonly Groupe[] | undefined) => groups?.find(({ _id }) => _id === offered._id);
  const reading = client.fetchQuery({ ...queries.groups, staleTime: 0, retry: false });
  const current = amongThem(await inTime(reading));
  try {
    await stop(current ?? offered);
  } catch (error) {
    // One of those of the click is gone.
    if (current !== undefined || !(error instanceof CallError) || error.status !== 404) throw error;
    await stop(amongThem(await reading) ?? offered);
  }
}
