import { Switch, TextInput } from "@mantine/core";
import { digitsOf, wholeEurosOf } from "./settings-draft.ts";
import type { SettingsPartProps } from "./settings-part.ts";
import "./guard-fields.css";

/** What the machine may never go beyond with the person's money. */
export function GuardFields({ draft, problems, onChange }: SettingsPartProps) {
  return (
    <>
      <div className="guard-fields">
        <TextInput
          label="Dépense par jour"
          inputMode="numeric"
          rightSection="€"
          autoComplete="off"
          maxLength={6}
          value={draft.dayText}
          error={problems.dayText}
          onChange={(event) => onChange({ dayText: wholeEurosOf(event.currentTarget.value) })}
        />
        <TextInput
          label="Dépense par mois"
          inputMode="numeric"
          rightSection="€"
          autoComplete="off"
          maxLength={6}
          value={draft.monthText}
          error={problems.monthText}
          onChange={(event) => onChange({ monthText: wholeEurosOf(event.currentTarget.value) })}
        />
        <TextInput
          label="Achats par jour"
          inputMode="numeric"
          autoComplete="off"
          maxLength={6}
          value={draft.dayCountText}
          error={problems.dayCountText}
          onChange={(event) => onChange({ dayCountText: digitsOf(event.currentTarget.value) })}
        />
      </div>
      <p className="guard-fields__hint">Livraison comprise. 0 : aucun achat.</p>
      <Switch
        className="guard-fields__stop"
        label="Tout arrêter"
        description="Plus aucun achat automatique, aussitôt enregistré. L'achat en un clic reste possible."
        checked={draft.isStopped}
        onChange={(event) => onChange({ isStopped: event.currentTarget.checked })}
      />
    </>
  );
}
