import { categoryById } from "#catalogue/categories.ts";
import { sizeById, sizeGroups, type SizeGroup } from "#catalogue/sizes.ts";
import { Picker, type PickerProps } from "./picker.tsx";
import { summaryOf, withToggled } from "./summary.ts";
import "./size-picker.css";

/** As many groups are shown open; beyond it their names are enough to choose from. */
const MAX_OPEN_GROUPS = 3;

interface SizePickerProps extends Omit<PickerProps, "label" | "summary"> {
  readonly chosenIds: readonly number[];
  /** The chosen types: their size groups come first. */
  readonly typeIds: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
}

export function SizePicker({ chosenIds, typeIds, onChange, isOpen, onToggle }: SizePickerProps) {
  const names = chosenIds.flatMap((id) => sizeById(id)?.title ?? []);
  const groups = groupsFor(typeIds, chosenIds);
  return (
    <Picker
      label="Tailles"
      summary={summaryOf(names, "Toutes")}
      chosenCount={chosenIds.length}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <div className="picker__list">
        {groups.length === 0 ? (
          <p className="picker__none">Les types choisis n'ont pas de taille.</p>
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
    </Picker>
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
  return (
    <details className="size-group" open={startsOpen || chosenCount > 0}>
      <summary>
        {group.description}
        {chosenCount === 0 ? null : <span className="picker__count">{chosenCount}</span>}
      </summary>
      <div className="size-group__sizes">
        {group.sizes.map(({ id, title }) => (
          <button key={id} type="button" aria-pressed={chosenIds.includes(id)} onClick={() => onToggle(id)}>
            {title}
          </button>
        ))}
      </div>
    </details>
  );
}

/** The groups that listings of the chosen types use, and those of sizes already chosen; all without a type. */
function groupsFor(typeIds: readonly number[], chosenIds: readonly number[]): readonly SizeGroup[] {
  if (typeIds.length === 0) return sizeGroups;
  const wanted = new Set(typeIds.flatMap((id) => categoryById(id)?.sizeGroupIds ?? []));
  return sizeGroups.filter(
    ({ id, size_ids: sizeIds }) => wanted.has(id) || sizeIds.some((sizeId) => chosenIds.includes(sizeId)),
  );
}
