/** Mutations of filters and settings that several screens share. */
import { useMutation, useMutationState, useQueryClient, type QueryClient } from "@tanstack/react-query";
import type { FiltreEditInput } from "#contract/filtres/filtre-input.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { ParametresInput } from "#contract/parametres-input.ts";
import { showError, showToast } from "../ui/toasts/show-toast.ts";
import { call, CallError, isOffline } from "./client.ts";
import { logSuccess } from "./log.ts";
import type { ReadAnswer, ReadSettings } from "./panel-answers.ts";
import { queries, reloadEverything } from "./queries.ts";

export const PARTIAL_FILTER_TEXT =
  "Ce filtre n'a pas pu être lu en entier : rechargez la page avant de le modifier.";

export const WIDER_BUYS_TEXT = "Ce filtre achète automatiquement : rien n'a été modifié.";

interface FlagCommand {
  /** Optimistic: the requested value while the call is in flight, else the saved one. */
  readonly isOn: boolean;
  readonly isBusy: boolean;
  readonly set: (next: boolean) => void;
}

/**
 * Refetches the filter: the cached one may be stale, because another tab may have saved it since. A deleted
 * filter is returned as passed in, so that the server's refusal explains the failure.
 */
export async function latestFiltre(client: QueryClient, filtre: Filtre): Promise<Filtre> {
  const filters = await client.fetchQuery({ ...queries.filters, staleTime: 0 });
  const latest = filters.find(({ _id }) => _id === filtre._id);
  if (latest?.isPartial === true) throw new CallError(PARTIAL_FILTER_TEXT, 0);
  return latest ?? filtre;
}

/** Updates a filter in the cached list, ahead of the refetch. */
export function keepFiltre(client: QueryClient, saved: ReadAnswer<"editFilter">["filtre"]): void {
  client.setQueryData(queries.filters.queryKey, (known) =>
    known?.map((each) => (each._id === saved._id ? saved : each)),
  );
}

/**
 * Changes some fields of a filter. The whole filter is sent (specification §4), so it is refetched first.
 * Changes of one filter run in sequence: concurrent ones would each send the other's old values.
 * @param refuse throws if the refetched filter must not be changed
 */
export async function changeFiltre(
  client: QueryClient,
  filtre: Filtre,
  changes: Partial<Filtre>,
  refuse?: (latest: Filtre) => void,
): Promise<ReadAnswer<"editFilter">> {
  const mutation = client.getMutationCache().build(client, {
    scope: { id: `filter-${filtre._id}` },
    mutationFn: async () => {
      const latest = await latestFiltre(client, filtre);
      refuse?.(latest);
      return await call("editFilter", { body: asFiltreEdit(latest, changes) });
    },
  });
  const answer = await mutation.execute(undefined);
  logSuccess("filter edited");
  keepFiltre(client, answer.filtre);
  void reloadEverything(client);
  return answer;
}

/** Loosens a criterion. A filter that buys automatically is refused: it would buy more, which its form decides. */
export async function widenFiltre(
  client: QueryClient,
  filtre: Filtre,
  changes: Partial<Filtre>,
): Promise<ReadAnswer<"editFilter">> {
  return await changeFiltre(client, filtre, changes, ({ autobuy }) => {
    if (autobuy) throw new CallError(WIDER_BUYS_TEXT, 0);
  });
}

/** Whether the filter spends money by itself now. */
export function isBuying({ active, autobuy, simulation }: Filtre): boolean {
  return active && autobuy && !simulation;
}

/** Shows why buying was not stopped: offline it goes on, which costs money. */
export function showStopError(error: unknown): void {
  if (!isOffline(error)) showError(error);
  else showToast({ message: "Vous êtes hors ligne : les achats automatiques continuent.", tone: "bad" });
}

/** Called after the server saved the flag, even if the control has unmounted; `change` can undo it. */
type OnFlagChanged = (isOn: boolean, change: (next: boolean) => void) => void;

export function useFiltreFlag(filtre: Filtre, flag: FiltreFlag, onChanged?: OnFlagChanged): FlagCommand {
  const client = useQueryClient();
  const mutationKey = ["filter-flag", filtre._id, flag];
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: (next: boolean) => changeFiltre(client, filtre, { [flag]: next }),
    onSuccess: ({ filtre: edited, message }, wanted): void => {
      // The server saved another value than requested, and its message says why.
      if (edited[flag] !== wanted) showToast({ message, tone: "bad" });
      onChanged?.(edited[flag], mutate);
    },
    onError: (error, wanted) => {
      const isStop = !wanted && flag !== "private" && isBuying(filtre);
      if (isStop) showStopError(error);
      else showError(error);
    },
  });
  const pending = useMutationState({
    filters: { mutationKey, status: "pending" },
    select: ({ state }) => state.variables === true,
  });
  return { isOn: pending.at(-1) ?? filtre[flag], isBusy: pending.length > 0, set: mutate };
}

type FiltreFlag = "active" | "autobuy" | "private";

/** The whole filter with the changes, as the body of `/filtres/edit`. */
export function asFiltreEdit(filtre: Filtre, changes: Partial<Filtre> = {}): FiltreEditInput {
  const changed = { ...filtre, ...changes };
  return {
    ...changed,
    paiement: changed.paiement === 11 ? 11 : 1,
  };
}

/** How long a command that stops buying waits for a read. */
const READ_WAIT_MS = 1_000;

/** What was read, or undefined after `READ_WAIT_MS` and if it could not be read. */
export async function inTime<Read>(reading: Promise<Read>): Promise<Read | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, READ_WAIT_MS));
  return await Promise.race([reading.catch(() => undefined), late]);
}

const editsUnderWay = new Set<Promise<unknown>>();
let editCount = 0;

/**
 * Saves a change of the settings. The call also carries the token, the payment, the address and the relay points
 * (specification §7), so they are read first, once earlier edits have ended: an edit or another tab may have
 * changed them. If they cannot be read within `READ_WAIT_MS`, or another edit begins meanwhile, the change is sent
 * alone, and the server adds what is saved: an old address is never brought back. A stop of automatic buying is
 * sent alone at once if another edit is under way.
 * @param changeOf is called with the settings as just read; undefined if they were not
 */
export async function editSettings(changeOf: (saved?: ReadSettings) => ParametresInput) {
  editCount += 1;
  const number = editCount;
  const earlier = [...editsUnderWay];
  const send = async () => {
    const isUrgent = earlier.length > 0 && changeOf().limites?.arret === true;
    const reading = async () => {
      await Promise.allSettled(earlier);
      const { vinted } = await call("settings");
      return vinted.isPartial === true ? undefined : vinted;
    };
    const saved = isUrgent ? undefined : await inTime(reading());
    const account = number === editCount ? accountOf(saved) : {};
    return await call("editSettings", { body: { ...account, ...changeOf(saved) } });
  };
  const edit = send();
  editsUnderWay.add(edit);
  try {
    return await edit;
  } finally {
    editsUnderWay.delete(edit);
  }
}

function accountOf(saved: ReadSettings | undefined): ParametresInput {
  if (saved === undefined) return {};
  const { adresse, relais } = saved;
  // An empty token keeps the saved one, even if that has changed meanwhile.
  return { token: "", paiement: saved.paiement === 11 ? 11 : 1, adresse, relais };
}
