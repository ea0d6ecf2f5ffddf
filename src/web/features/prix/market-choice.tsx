/** The pickers of one type and of one brand, with the looks of the form's, where a press chooses and closes. */
import { IconArrowLeft, IconChevronRight } from "@tabler/icons-react";
import { useDeferredValue, useRef, useState } from "react";
import { brands } from "#catalogue/brands.ts";
import { categoryById, categoryPathLabel, isLeaf, type Category } from "#catalogue/categories.ts";
import { brandsToShow, useKnownBrands } from "../../ui/pickers/brand-picker.tsx";
import { ChoiceButton, SearchPicker, type Opening } from "../../ui/pickers/picker.tsx";
import { levelUnder, searchTypes } from "../../ui/pickers/type-picker.tsx";
import { keepFocus } from "../../ui/windows/keep-focus.ts";

interface ChoiceProps extends Opening {
  readonly chosenId: number | null;
  readonly onChoose: (id: number | null) => void;
}

export function TypeChoice({ chosenId, onChoose, isOpen, onToggle }: ChoiceProps) {
  const chosen = chosenId === null ? undefined : categoryById(chosenId);
  const [parentId, setParentId] = useState(chosen?.parentId ?? null);
  const [search, setSearch] = useState("");
  return (
    <SearchPicker
      label="Type"
      summary={chosen?.label ?? "Choisir un type"}
      chosenCount={chosen === undefined ? 0 : 1}
      onClear={() => onChoose(null)}
      isOpen={isOpen}
      onToggle={onToggle}
      search={search}
      onSearch={setSearch}
      searchLabel="Chercher un type"
      placeholder="Chercher un type"
    >
      {search.trim() === "" ? (
        <TypeLevel parentId={parentId} onGo={setParentId} chosenId={chosenId} onChoose={onChoose} />
      ) : (
        <FoundTypes search={search} chosenId={chosenId} onChoose={onChoose} />
      )}
    </SearchPicker>
  );
}

interface TypeLevelProps extends Pick<ChoiceProps, "chosenId" | "onChoose"> {
  readonly parentId: number | null;
  readonly onGo: (id: number | null) => void;
}

/** One level of the tree: a branch opens the next level, whose first line chooses the branch itself. */
function TypeLevel({ parentId, onGo, chosenId, onChoose }: TypeLevelProps) {
  const parent = parentId === null ? undefined : categoryById(parentId);
  const level = useRef<HTMLDivElement>(null);
  const go = (id: number | null): void => {
    onGo(id);
    keepFocus(() => level.current?.querySelector<HTMLElement>("button"));
  };
  const choice = (category: Category) => (
    <ChoiceButton
      key={category.id}
      label={nameOf(category)}
      isChosen={category.id === chosenId}
      onChoose={() => onChoose(category.id)}
    />
  );
  return (
    <div ref={level}>
      {parent === undefined ? null : (
        <button type="button" className="type-picker__back" onClick={() => go(parent.parentId)}>
          <IconArrowLeft size={18} stroke={1.8} aria-hidden="true" />
          Retour aux arrière
          <span className="type-picker__where dim clip">{parent.label}</span>
        </button>
      )}
      <div className="picker__list" key={parentId}>
        {parent === undefined ? null : choice(parent)}
        {levelUnder(parentId).map((category) =>
          isLeaf(category) ? (
            choice(category)
          ) : (
            <button
              key={category.id}
              type="button"
              className="type-picker__branch"
              onClick={() => go(category.id)}
            >
              <span>{category.label}</span>
              <IconChevronRight size={18} stroke={1.8} aria-hidden="true" />
            </button>
          ),
        )}
      </div>
    </div>
  );
}

interface FoundTypesProps extends Pick<ChoiceProps, "chosenId" | "onChoose"> {
  readonly search: string;
}

function FoundTypes({ search, chosenId, onChoose }: FoundTypesProps) {
  const found = searchTypes(useDeferredValue(search));
  if (found.length === 0) return <p className="picker__none aside">Aucun type ne porte ce nom.</p>;
  return (
    <div className="picker__list">
      {found.map(({ category }) => (
        <ChoiceButton
          key={category.id}
          label={nameOf(category)}
          detail={categoryPathLabel(category.id)}
          isChosen={category.id === chosenId}
          onChoose={() => onChoose(category.id)}
        />
      ))}
    </div>
  );
}

function nameOf(category: Category): string {
  return isLeaf(category) ? category.label : `Tout : ${category.label}`;
}

interface BrandChoiceProps extends ChoiceProps {
  /** The title of the chosen brand, where the server has told it. */
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
