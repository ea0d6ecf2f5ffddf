import { Switch, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Parametres } from "#contract/parametres.ts";
import { editSettings, showStopError } from "../../api/commands.ts";
import { AutobuyStop, useAutobuyStop } from "../../layout/autobuy-stop.tsx";
import { textField } from "../../ui/windows/text-field.tsx";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { guardTextOf, type SettingsPartProps } from "./settings-draft.ts";

const GUARDS = [
  { field: "dayText", label: "Dépense par jour", description: "Sans les centimes", unit: "€" },
  { field: "monthText", label: "Dépense par mois", description: "Sans les centimes", unit: "€" },
  { field: "dayCountText", label: "Achats par jour", description: "Un nombre entier", unit: null },
] as const;

/** Upper bounds of spending and of purchases, by click and automatic. */
export function GuardFields(props: SettingsPartProps) {
  const { draft, onChange } = props;
  const text = textField(props);
  return (
    <>
      <div className="guard-fields stack">
        {GUARDS.map(({ field, label, description, unit }) => (
          <TextInput
            key={field}
            label={label}
            description={description}
            inputMode="numeric"
            rightSection={unit}
            maxLength={20}
            name={field}
            {...text(field)}
            // Not cleaned while it is typed: without its comma, "150,50" would become 15050.
            onBlur={() => onChange({ [field]: guardTextOf(draft[field]) })}
          />
        ))}
      </div>
      <p className="guard-fields__hint hint">
        Livraison comprise, en un clic comme en automatique. Au-delà, plus aucun achat jusqu'au lendemain ou
        au mois suivant. 0 : aucun achat.
      </p>
      <Switch
        label="Me demander avant d'acheter un article trop beau pour être vrai"
        checked={draft.isPrudent}
        onChange={(event) => onChange({ isPrudent: event.currentTarget.checked })}
      />
    </>
  );
}

/** The stop of all automatic purchases, separate from the limits and from the pause of a filter. */
export function StopField() {
  const { isStopped, isBusy, set } = useAutobuyStop();
  if (isStopped === undefined) return <AutobuyStop />;
  return (
    <>
      <Switch
        className="guard-fields__stop"
        label="Tout arrêter"
        description="Plus aucun achat automatique. Vos filtres cherchent toujours, et l'achat en un clic reste possible."
        checked={isStopped}
        // Not `disabled` while busy, which would lose the focus.
        aria-busy={isBusy}
        onChange={({ currentTarget }) => (isBusy ? undefined : set(currentTarget.checked))}
      />
      <p className="hint">
        Mettre un filtre en pause (« Actif », dans Mes filtres) n'arrête que lui&nbsp;: il ne cherche plus et
        n'achète plus.
      </p>
    </>
  );
}

/**
 * Consent to automatic purchases on a real marketplace; not shown in the sandbox. Saved immediately, apart
 * from the rest of the form: withdrawing must not wait for 'Sauvegarder'.
 */
export function MandateField({ mandat }: Pick<Parametres, "mandat">) {
  const client = useQueryClient();
  const isGiven = mandat.accepte === mandat.version;
  const save = useMutation({
    mutationFn: (given: boolean) => editSettings(() => ({ mandat: given ? mandat.version : null })),
    onSuccess: async (_answer, given) => {
      await client.invalidateQueries();
      showToast({ message: given ? "Mandat accepté." : "Mandat retiré : plus aucun achat automatique." });
    },
    onError: (error, given) => (given ? showError(error) : showStopError(error)),
  });
  if (!mandat.requis) return null;
  return (
    <Switch
      label="Mandat d'achat automatique"
      description="J'autorise Synapse à acheter en mon nom, sur mon compte, ce que mes filtres demandent, dans les limites ci-dessus. Le retirer coupe l'achat automatique de tous mes filtres."
      checked={isGiven}
      aria-busy={save.isPending}
      onChange={({ currentTarget }) => (save.isPending ? undefined : save.mutate(currentTarget.checked))}
    />
  );
}
