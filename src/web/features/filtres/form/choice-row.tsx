import { Checkbox } from "@mantine/core";
import type { ReactNode } from "react";
import "./choice-row.css";

interface ChoiceRowProps {
  readonly label: ReactNode;
  readonly detail?: string;
  readonly isChosen: boolean;
  /** Some of what it stands for is chosen, not all. */
  readonly isPartly?: boolean;
  readonly onToggle: () => void;
}

/** One line of a picker that can be chosen and taken back. */
export function ChoiceRow({ label, detail, isChosen, isPartly = false, onToggle }: ChoiceRowProps) {
  return (
    <label className="choice-row">
      <Checkbox checked={isChosen} indeterminate={!isChosen && isPartly} onChange={onToggle} size="sm" />
      <span className="choice-row__label">
        {label}
        {detail === undefined ? null : <span className="choice-row__detail">{detail}</span>}
      </span>
    </label>
  );
}
