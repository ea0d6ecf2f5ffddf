import { useId } from "react";
import "./choice.css";

interface ChoiceProps<Value> {
  readonly label: string;
  readonly options: readonly { readonly id: Value; readonly label: string }[];
  readonly chosenId: Value;
  readonly onChange: (id: Value) => void;
}

/** Segmented radio buttons, for few options. */
export function Choice<Value extends string | number>({
  label,
  options,
  chosenId,
  onChange,
}: ChoiceProps<Value>) {
  const groupName = useId();
  return (
    <fieldset className="choice">
      <legend>{label}</legend>
      <div>
        {options.map(({ id, label: text }) => (
          <label key={id}>
            <input type="radio" name={groupName} checked={id === chosenId} onChange={() => onChange(id)} />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
