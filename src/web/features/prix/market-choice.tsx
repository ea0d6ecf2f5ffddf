/** Single-choice variants of the form's type and brand pickers: a press chooses and closes. */
import { useDeferredValue, useState } from "react";
import { brands } from "#catalogue/brands.ts";
import { categoryById } from "#catalogue/categories.ts";
import { brandsToShow, useKnownBrands } from "../../ui/pickers/brand-picker.tsx";
import { ChoiceButton, SearchPicker, type Opening } from "../../ui/pickers/picker.tsx";
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
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search);
  const offered = brands.find(({ id }) => id === chosenId)?.title ?? chosenTitle;
  const known = useKnownBrands(isOpen || (chosenId !== null && offered === undefined));
  const title = offered ?? known.find(({ id }) => id === chosenId)?.title ?? `n° ${chosenId}`;
  const shown = brandsToShow(wanted, brands, known);
  return (
    <SearchPicker
      label="Marque"
      summary={chosenId === null ? "Toutes" : title}
      chosenCount={chosenId === null ? 0 : 1}
      onClear={() => onChoose(null)}
      isOpen={isOpen}
      onToggle={onToggle}
      search={search}
      onSearch={setSearch}
      searchLabel="Chercher une marque"
      placeholder="Chercher une marque"
    >
      {shown.length === 0 ? <p className="picker__none aside">Aucune marque ne porte ce nom.</p> : null}
      <div className="picker__list">
        {shown.map((brand) => (
          <ChoiceButton
            key={brand.id}
            label={brand.title}
            isChosen={brand.id === chosenId}
            onChoose={() => onChoose(brand.id)}
          />
        ))}
      </div>
    </SearchPicker>
  );
}
