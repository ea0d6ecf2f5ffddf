/** Single-choice variants of the form's type and brand pickers: a press chooses and closes. */
import { brands } from "#catalogue/brands.ts";
import { categoryById } from "#catalogue/categories.ts";
import { BrandSearch, useKnownBrands } from "../../ui/pickers/brand-picker.tsx";
import { ChoiceButton, type Opening } from "../../ui/pickers/picker.tsx";
import { TypeSearch } from "../../ui/pickers/type-picker.tsx";

interface ChoiceProps extends Opening {
  readonly chosenId: number | null;
  readonly onChoose: (id: number | null) => void;
}

export function TypeChoice({ chosenId, onChoose, isOpen, onToggle }: ChoiceProps) {
  const chosen = chosenId === null ? undefined : categoryById(chosenId);
  return (
    <TypeSearch
      label="Type"
      summary={chosen?.label ?? "Choisir un type"}
      chosenCount={chosen === undefined ? 0 : 1}
      onClear={() => onChoose(null)}
      isOpen={isOpen}
      onToggle={onToggle}
      firstParentId={chosen?.parentId ?? null}
      choiceOf={({ id }, words) => (
        <ChoiceButton key={id} {...words} isChosen={id === chosenId} onChoose={() => onChoose(id)} />
      )}
    />
  );
}

interface BrandChoiceProps extends ChoiceProps {
  /** The chosen brand's title, if the server has sent it. */
  readonly chosenTitle: string | undefined;
}

export function BrandChoice({ chosenId, chosenTitle, onChoose, isOpen, onToggle }: BrandChoiceProps) {
  const offered = brands.find(({ id }) => id === chosenId)?.title ?? chosenTitle;
  const known = useKnownBrands(isOpen || (chosenId !== null && offered === undefined));
  const title = offered ?? known.find(({ id }) => id === chosenId)?.title ?? `n° ${chosenId}`;
  return (
    <BrandSearch
      label="Marque"
      summary={chosenId === null ? "Toutes" : title}
      chosenCount={chosenId === null ? 0 : 1}
      onClear={() => onChoose(null)}
      isOpen={isOpen}
      onToggle={onToggle}
      offered={brands}
      known={known}
      choiceOf={({ id, title: label }) => (
        <ChoiceButton key={id} label={label} isChosen={id === chosenId} onChoose={() => onChoose(id)} />
      )}
    />
  );
}
