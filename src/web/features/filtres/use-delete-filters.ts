import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, errorText } from "../../api/client.ts";
import { useLiveFeed } from "../../api/live-context.ts";
import { reloadEverything } from "../../api/queries.ts";
import { useAsk } from "../../ui/ask.tsx";
import { formatCounted, formatQuoted } from "../../ui/format.ts";
import { keepFocus } from "../../ui/keep-focus.ts";
import { showToast } from "../../ui/toast.tsx";

interface DeleteFilters {
  readonly isPending: boolean;
  /** Asks first, saying how many; one filter is named by its tag. */
  readonly ask: (ids: readonly string[], tag?: string) => Promise<void>;
}

export function useDeleteFilters(onDeleted: (ids: readonly string[]) => void): DeleteFilters {
  const client = useQueryClient();
  const ask = useAsk();
  const feed = useLiveFeed();
  const { mutate, isPending } = useMutation({
    mutationFn: (ids: readonly string[]) => call("deleteFilters", { body: { IDs: [...ids] } }),
    onSuccess: ({ message }, ids) => {
      feed.dropFilters(ids);
      onDeleted(ids);
      showToast({ message });
    },
    onError: (error) => showToast({ message: errorText(error), tone: "bad" }),
    onSettled: async () => {
      await reloadEverything(client);
      // The card that was asked from is gone.
      keepFocus(() => document.querySelector<HTMLElement>("main"));
    },
  });
  return {
    isPending,
    ask: async (ids, tag) => {
      const what = tag === undefined ? formatCounted(ids.length, "filtre", "filtres") : formatQuoted(tag);
      const isSure = await ask({
        title: `Supprimer ${what} ?`,
        text: "La recherche s'arrête aussitôt. Vos achats restent.",
        action: tag === undefined ? `Supprimer ${what}` : "Supprimer",
        keep: ids.length === 1 ? "Garder le filtre" : "Garder les filtres",
        isDangerous: true,
      });
      if (isSure) mutate(ids);
    },
  };
}
