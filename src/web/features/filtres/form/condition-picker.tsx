import { conditionById, conditions } from "#catalogue/conditions.ts";
import { ChoiceRow } from "./choice-row.tsx";
import { Picker, type PickerProps } from "./picker.tsx";
import { summaryOf, withToggled } from "./summary.ts";

interface ConditionPickerProps extends Omit<PickerProps, "label" | "summary"> {
  readonly chosenIds: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
}

export function ConditionPicker({ chosenIds, onChange, isOpen, onToggle }: ConditionPickerProps) {
  const names = chosenIds.flatMap((id) => conditionById(id)?.label ?? []);
  return (
    <Picker
      label="États"
      summary={summaryOf(names, "Tous")}
      chosenCount={chosenIds.length}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <div className="picker__list">
        {conditions.map(({ id, label }) => (
          <ChoiceRow
            key={id}
            label={label}
            isChosen={chosenIds.includes(id)}
            onToggle={() => onChange(withToggled(chosenIds, id))}
          />
        ))}
      </div>
    </Picker>
  );
}
