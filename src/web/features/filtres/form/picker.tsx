import { IconChevronDown } from "@tabler/icons-react";
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import "./picker.css";

export interface PickerProps {
  readonly label: string;
  /** What is chosen, in words: "Toutes", "Nike, adidas". */
  readonly summary: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export interface FilledPickerProps extends PickerProps {
  readonly chosenCount: number;
  readonly onClear: () => void;
  readonly children: ReactNode;
}

/** A field that opens below itself; the form keeps only one of them open. */
export function Picker({
  label,
  summary,
  isOpen,
  onToggle,
  chosenCount,
  onClear,
  children,
}: FilledPickerProps) {
  const labelId = useId();
  const summaryId = useId();
  const panelId = useId();
  const field = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Below the fold, or behind the form's foot, nobody would see that it opened.
    if (isOpen) panel.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    onToggle();
    field.current?.focus();
  };
  const clear = (): void => {
    onClear();
    field.current?.focus();
  };
  return (
    <div
      className="picker"
      data-open={isOpen || undefined}
      onKeyDown={closeOnEscape}
      role="group"
      aria-labelledby={labelId}
    >
      <span id={labelId} className="picker__label">
        {label}
      </span>
      <button
        ref={field}
        type="button"
        className="picker__field"
        aria-expanded={isOpen}
        aria-controls={panelId}
        aria-labelledby={`${labelId} ${summaryId}`}
        onClick={onToggle}
      >
        <span id={summaryId} className="picker__summary" data-empty={chosenCount === 0 || undefined}>
          {summary}
        </span>
        {chosenCount > 1 ? <span className="picker__count">{chosenCount}</span> : null}
        <IconChevronDown size={18} stroke={1.8} aria-hidden="true" />
      </button>
      <div ref={panel} id={panelId} className="picker__panel" hidden={!isOpen}>
        {isOpen ? (
          <>
            {children}
            {chosenCount === 0 ? null : (
              <button type="button" className="picker__clear" onClick={clear}>
                Tout effacer
              </button>
            )}
          </>
        ) : null}
      </div>
    </div>
  );
}
