import { colourByName, colours, type Colour } from "#catalogue/colours.ts";
import { useId } from "react";
import { Picker, type PickerProps } from "./picker.tsx";
import "./colour-picker.css";

interface ColourPickerProps extends Omit<PickerProps, "label" | "summary"> {
  /** The English name; "" = all. */
  readonly name: string;
  readonly onChange: (name: string) => void;
}

/** One colour or all: the French label is shown, the English name is sent. */
export function ColourPicker({ name, onChange, isOpen, onToggle }: ColourPickerProps) {
  const groupName = useId();
  return (
    <Picker
      label="Couleur"
      summary={name === "" ? "Toutes" : (colourByName(name)?.label ?? name)}
      chosenCount={name === "" ? 0 : 1}
      onClear={() => onChange("")}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <div className="colour-picker" role="radiogroup" aria-label="Couleur">
        <label className="colour-picker__choice">
          <input type="radio" name={groupName} checked={name === ""} onChange={() => onChange("")} />
          <span className="colour-picker__swatch colour-picker__swatch--all" />
          Toutes
        </label>
        {colours.map((colour) => (
          <label key={colour.name} className="colour-picker__choice">
            <input
              type="radio"
              name={groupName}
              checked={name === colour.name}
              onChange={() => onChange(colour.name)}
            />
            <span className="colour-picker__swatch" style={{ background: fillOf(colour) }} />
            {colour.label}
          </label>
        ))}
      </div>
    </Picker>
  );
}

function fillOf({ hex, hexSecondary }: Colour): string {
  return hexSecondary === null ? hex : `linear-gradient(135deg, ${hex} 50%, ${hexSecondary} 50%)`;
}
