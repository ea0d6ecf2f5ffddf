import { Checkbox, TextInput } from "@mantine/core";
import { IconCheck, IconChevronDown, IconSearch } from "@tabler/icons-react";
import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import "./picker.css";

const SHOWN_NAMES = 3;

/** Open state, controlled by the form, which keeps at most one picker open. */
export interface Opening {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export interface PickerProps extends Opening {
  readonly label: string;
  /** The chosen values as text: "Toutes", "Nike, adidas". */
  readonly summary: string;
  readonly chosenCount: number;
  readonly onClear: () => void;
  readonly children: ReactNode;
}

/** A field whose panel opens below it. */
export function Picker({ label, summary, isOpen, onToggle, chosenCount, onClear, children }: PickerProps) {
  const labelId = useId();
  const summaryId = useId();
  const panelId = useId();
  const field = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The panel may be below the fold or behind the form's sticky footer.
    if (isOpen) panel.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter in a field submits the form around it, before anything was chosen here.
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
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
      onKeyDown={onKeyDown}
      role="group"
      aria-labelledby={labelId}
    >
      <span id={labelId} className="picker__label">
        {label}
      </span>
      <button
        ref={field}
        type="button"
        className="picker__field line"
        aria-expanded={isOpen}
        aria-controls={panelId}
        aria-labelledby={`${labelId} ${summaryId}`}
        onClick={onToggle}
      >
        <span id={summaryId} className="picker__summary clip" data-empty={chosenCount === 0 || undefined}>
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
              <button type="button" className="picker__clear aside" onClick={clear}>
                Tout effacer
              </button>
            )}
          </>
        ) : null}
      </div>
    </div>
  );
}

interface SearchPickerProps extends PickerProps {
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly searchLabel: string;
}

/** A picker with a search field above a long list. */
export function SearchPicker(props: SearchPickerProps) {
  const { search, onSearch, searchLabel, children, ...picker } = props;
  return (
    <Picker {...picker}>
      <div className="picker__search">
        <TextInput
          type="search"
          aria-label={searchLabel}
          placeholder={searchLabel}
          leftSection={<IconSearch size={18} stroke={1.8} />}
          value={search}
          onChange={(event) => onSearch(event.currentTarget.value)}
        />
      </div>
      {children}
    </Picker>
  );
}

export interface ChoiceWords {
  readonly label: ReactNode;
  readonly detail?: string;
}

interface ChoiceRowProps extends ChoiceWords {
  readonly isChosen: boolean;
  /** Some of the leaves below it are chosen, not all. */
  readonly isPartly?: boolean;
  readonly onToggle: () => void;
}

/** A checkbox row of a picker. */
export function ChoiceRow({ isChosen, isPartly = false, onToggle, ...words }: ChoiceRowProps) {
  return (
    <label className="choice-row line" data-gap="12">
      <Checkbox checked={isChosen} indeterminate={!isChosen && isPartly} onChange={onToggle} size="sm" />
      <ChoiceLabel {...words} />
    </label>
  );
}

interface ChoiceButtonProps extends ChoiceWords {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** A row of a single-value picker. */
export function ChoiceButton({ isChosen, onChoose, ...words }: ChoiceButtonProps) {
  return (
    <button
      type="button"
      className="choice-row choice-button line"
      data-gap="12"
      aria-pressed={isChosen}
      onClick={onChoose}
    >
      <ChoiceLabel {...words} />
      {isChosen ? <IconCheck size={18} stroke={2.2} aria-hidden="true" /> : null}
    </button>
  );
}

function ChoiceLabel({ label, detail }: ChoiceWords) {
  return (
    <span className="choice-row__label">
      {label}
      {detail === undefined ? null : <span className="choice-row__detail hint">{detail}</span>}
    </span>
  );
}

/**
 * The first names of a choice and how many more there are: "Nike, adidas, Zara et 4 de plus". A name that two branches
 * share appears once.
 */
export function summaryOf(names: readonly string[], all: string): string {
  if (names.length === 0) return all;
  const different = [...new Set(names)];
  const shown = different.slice(0, SHOWN_NAMES).join(", ");
  const more = different.length - SHOWN_NAMES;
  return more > 0 ? `${shown} et ${more} de plus` : shown;
}

interface ListPickerProps<Id> extends Opening {
  readonly label: string;
  /** The word for no choice: "Tous". */
  readonly all: string;
  readonly options: readonly { readonly id: Id; readonly label: string }[];
  readonly chosenIds: readonly Id[];
  readonly onChange: (ids: readonly Id[]) => void;
}

/** A multi-value picker of a few options. */
export function ListPicker<Id extends number | string>(props: ListPickerProps<Id>) {
  const { label, all, options, chosenIds, onChange, isOpen, onToggle } = props;
  const names = chosenIds.flatMap((chosen) => options.find(({ id }) => id === chosen)?.label ?? []);
  return (
    <Picker
      label={label}
      summary={summaryOf(names, all)}
      chosenCount={chosenIds.length}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <div className="picker__list">
        {options.map((option) => (
          <ChoiceRow
            key={option.id}
            label={option.label}
            isChosen={chosenIds.includes(option.id)}
            onToggle={() => onChange(withToggled(chosenIds, option.id))}
          />
        ))}
      </div>
    </Picker>
  );
}

/** Adds the id, or removes it if present. */
export function withToggled<Id>(ids: readonly Id[], id: Id): readonly Id[] {
  return ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
}
