/** When and how much a filter may buy; folded, because few filters have rules. */
import { TextInput } from "@mantine/core";
import { TimeField } from "../../../ui/pickers/time-field.tsx";
import { textField, Unit } from "../../../ui/windows/text-field.tsx";
import type { FieldsProps } from "./draft.ts";
import { emptyRules, reglesOf, rulesProblemsOf, rulesSummary, WEEKDAYS } from "./rules-draft.ts";
import { useFold } from "./use-fold.ts";

export function RulesFields(props: FieldsProps) {
  const { draft, problems, onChange } = props;
  const isReadable = Object.keys(rulesProblemsOf(draft)).length === 0;
  const hasProblem = Object.keys(problems).some((field) => field in emptyRules);
  const fold = useFold(hasProblem);
  const text = textField(props);
  const time = (field: "fromTime" | "toTime") => ({
    value: draft[field],
    error: problems[field],
    onChange: (read: string) => onChange({ [field]: read }),
  });
  return (
    <details className="fold wide" {...fold}>
      <summary>
        <span>Règles d'achat : {isReadable ? rulesSummary(reglesOf(draft)) : "à corriger"}</span>
      </summary>
      <div className="filtre-form__grid rules-fields__grid">
        <TextInput
          label="Budget par jour"
          inputMode="decimal"
          rightSection={<Unit text="€" />}
          {...text("dayBudgetText")}
        />
        <TextInput
          label="Budget en tout"
          inputMode="decimal"
          rightSection={<Unit text="€" />}
          {...text("totalBudgetText")}
        />
        <Days chosen={draft.days} onChange={(days) => onChange({ days })} />
        <div className="pair">
          <TimeField label="Acheter de" {...time("fromTime")} />
          <TimeField label="à" {...time("toTime")} />
          <p className="wide hint">
            Heure de Paris. Une plage qui passe minuit compte pour le jour où elle commence.
          </p>
        </div>
        <TextInput
          label="Pause entre deux achats"
          inputMode="numeric"
          rightSection={<Unit text="min" />}
          {...text("pauseText")}
        />
        <TextInput
          label="Achats par vendeur et par jour"
          inputMode="numeric"
          description="Vos clics comptent aussi."
          {...text("sellerCountText")}
        />
        <TextInput
          label="Arrêter après des échecs"
          inputMode="numeric"
          rightSection={<Unit text="échecs" />}
          rightSectionWidth={64}
          description="Annulés, refusés ou jamais aboutis depuis que l'achat automatique est allumé."
          {...text("failuresText")}
        />
      </div>
    </details>
  );
}

interface DaysProps {
  readonly chosen: readonly number[];
  readonly onChange: (days: readonly number[]) => void;
}

function Days({ chosen, onChange }: DaysProps) {
  const toggle = (day: number): void =>
    onChange(chosen.includes(day) ? chosen.filter((each) => each !== day) : [...chosen, day]);
  return (
    <fieldset className="rules-fields__days wide">
      <legend>Jours</legend>
      <div className="buttons" data-gap="6">
        {WEEKDAYS.map((name, index) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={chosen.includes(index + 1)}
            onClick={() => toggle(index + 1)}
          >
            {name}
          </button>
        ))}
      </div>
      <p className="hint">Aucun choisi : tous les jours.</p>
    </fieldset>
  );
}
