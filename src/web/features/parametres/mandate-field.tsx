import { Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Parametres } from "#contract/parametres.ts";
import { errorText } from "../../api/client.ts";
import { editSettings } from "../../api/settings-commands.ts";
import { showToast } from "../../ui/toast.tsx";

/**
 * The consent to be bought for automatically on a real marketplace; nothing stands here in the sandbox. Given and
 * withdrawn at once, apart from the rest of the form: withdrawing must not wait for 'Sauvegarder'.
 */
export function MandateField({ mandat }: Pick<Parametres, "mandat">) {
  const client = useQueryClient();
  const isGiven = mandat.accepte === mandat.version;
  const save = useMutation({
    mutationFn: (given: boolean) => editSettings(client, { mandat: given ? mandat.version : null }),
    onSuccess: async (_answer, given) => {
      await client.invalidateQueries();
      showToast({ message: given ? "Mandat accepté." : "Mandat retiré : plus aucun achat automatique." });
    },
    onError: (error) => showToast({ message: errorText(error), tone: "bad" }),
  });
  if (!mandat.requis) return null;
  return (
    <Switch
      label="Mandat d'achat automatique"
      description="J'autorise Synapse à acheter en mon nom, sur mon compte, ce que mes filtres demandent, dans les limites ci-dessus. Le retirer coupe l'achat automatique de tous mes filtres."
      checked={isGiven}
      disabled={save.isPending}
      onChange={(event) => save.mutate(event.currentTarget.checked)}
    />
  );
}
