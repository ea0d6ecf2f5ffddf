import { Switch, TextInput } from "@mantine/core";
import type { DraftPartProps } from "./draft-part.ts";
import "./advanced-options.css";

/** What most filters never need, folded away. */
export function AdvancedOptions({ draft, problems, onChange }: DraftPartProps) {
  const isUsed =
    draft.wordsText !== "" || draft.excludedText !== "" || draft.maxPurchasesText !== "" || draft.simulation;
  const hasProblem = ["wordsText", "excludedText", "maxPurchasesText"].some((field) => field in problems);
  return (
    <details className="advanced-options" open={isUsed || hasProblem}>
      <summary>Options avancées</summary>
      <div className="advanced-options__fields">
        <TextInput
          label="Mots à contenir"
          description="Tous doivent être dans le titre. Séparez-les par des virgules."
          placeholder="vintage, made in italy"
          autoComplete="off"
          value={draft.wordsText}
          error={problems.wordsText}
          onChange={(event) => onChange({ wordsText: event.currentTarget.value })}
        />
        <TextInput
          label="Mots à exclure"
          description="Aucun ne doit être dans le titre. Séparez-les par des virgules."
          placeholder="lot, taché"
          autoComplete="off"
          value={draft.excludedText}
          error={problems.excludedText}
          onChange={(event) => onChange({ excludedText: event.currentTarget.value })}
        />
        <TextInput
          label="Arrêter après"
          description="Nombre d'achats après lequel l'achat automatique s'arrête. Vide : jamais."
          inputMode="numeric"
          rightSection={<span className="advanced-options__unit">achats</span>}
          rightSectionWidth={64}
          autoComplete="off"
          value={draft.maxPurchasesText}
          error={problems.maxPurchasesText}
          onChange={(event) => onChange({ maxPurchasesText: event.currentTarget.value })}
        />
        <Switch
          label="Simulation"
          description="L'achat automatique décide et note ce qu'il aurait acheté, mais ne paie rien."
          checked={draft.simulation}
          onChange={(event) => onChange({ simulation: event.currentTarget.checked })}
        />
      </div>
    </details>
  );
}
