/** The pickers of size and colour. */
import { useId, useState } from "react";
import { categoryById } from "#catalogue/categories.ts";
import { colourByName, colours, type Colour } from "#catalogue/colours.ts";
import { sizeById, sizeGroups, type SizeGroup } from "#catalogue/sizes.ts";
import { Picker, summaryOf, withToggled, type Opening } from "../../../ui/pickers/picker.tsx";

/** With more groups than this, only groups with a chosen size start open. */
const MAX_OPEN_GROUPS = 3;

interface SizePickerProps extends Opening {
  readonly chosenIds: readonly number[];
  /** The chosen types, which restrict the size groups; empty: all groups. */
  readonly typeIds: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
}

export function SizePicker({ chosenIds, typeIds, onChange, isOpen, onToggle }: SizePickerProps) {
  return (
    <Picker
      label="Tailles"
      summary={summaryOf(sizeTitles(chosenIds), "Toutes")}
      chosenCount={chosenIds.length}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <SizeGroups chosenIds={chosenIds} typeIds={typeIds} onChange={onChange} />
    </Picker>
  );
}

function SizeGroups({ chosenIds, typeIds, onChange }: Omit<SizePickerProps, keyof Opening>) {
  // Until the picker closes: giving up its last size must not remove a group under the focus.
  const [chosenAtFirst] = useState(chosenIds);
  const groups = groupsFor(typeIds, [...chosenAtFirst, ...chosenIds]);
  return (
    <div className="picker__list">
      {groups.length === 0 ? (
        <p className="picker__none aside">Les types choisis n'ont pas de taille.</p>
      ) : (
        groups.map((group) => (
          <SizeGroupPart
            key={group.id}
            group={group}
            startsOpen={groups.length <= MAX_OPEN_GROUPS}
            chosenIds={chosenIds}
            onToggle={(id) => onChange(withToggled(chosenIds, id))}
          />
        ))
      )}
    </div>
  );
}

interface SizeGroupPartProps {
  readonly group: SizeGroup;
  readonly startsOpen: boolean;
  readonly chosenIds: readonly number[];
  readonly onToggle: (id: number) => void;
}

function SizeGroupPart({ group, startsOpen, chosenIds, onToggle }: SizeGroupPartProps) {
  const chosenCount = group.size_ids.filter((id) => chosenIds.includes(id)).length;
  // Giving up its last size must not fold it under the focus.
  const [isOpen, setIsOpen] = useState(startsOpen || chosenCount > 0);
  return (
    <details
      className="size-group fold"
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        {group.description}
        {chosenCount === 0 ? null : <span className="picker__count">{chosenCount}</span>}
      </summary>
      <div className="size-group__sizes buttons">
        {group.sizes.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            className="chip"
            aria-pressed={chosenIds.includes(id)}
            onClick={() => onToggle(id)}
          >
            {title}
          </button>
        ))}
      </div>
    </details>
  );
}

/** The size groups of the chosen types, and those of sizes already chosen; all without a type. */
function groupsFor(typeIds: readonly number[], chosenIds: readonly number[]): readonly SizeGroup[] {
  if (typeIds.length === 0) return sizeGroups;
  const wanted = new Set(typeIds.flatMap((id) => categoryById(id)?.sizeGroupIds ?? []));
  return sizeGroups.filter(
    ({ id, size_ids: sizeIds }) => wanted.has(id) || sizeIds.some((sizeId) => chosenIds.includes(sizeId)),
  );
}

interface ColourPickerProps extends Opening {
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
      summary={name === "" ? "Toutes" : colourLabel(name)}
      chosenCount={name === "" ? 0 : 1}
      onClear={() => onChange("")}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <div className="colour-picker" role="radiogroup" aria-label="Couleur">
        <label className="choice-row colour-picker__choice line">
          <input type="radio" name={groupName} checked={name === ""} onChange={() => onChange("")} />
          <span className="colour-picker__swatch colour-picker__swatch--all" />
          Toutes
        </label>
        {colours.map((colour) => (
          <label key={colour.name} className="choice-row colour-picker__choice line">
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

function sizeTitles(ids: readonly number[]): readonly string[] {
  return ids.flatMap((id) => sizeById(id)?.title ?? []);
}

function colourLabel(name: string): string {
  return colourByName(name)?.label ?? name;
}
