import { IconArrowLeft, IconChevronRight } from "@tabler/icons-react";
import { useDeferredValue, useRef, useState, type ReactNode } from "react";
import {
  categoryById,
  isLeaf,
  type Category,
  allCategories,
  categoryPath,
  categoryPathLabel,
  leafIdsUnder,
  rootCategories,
} from "#catalogue/categories.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { keepFocus } from "../windows/keep-focus.ts";
import {
  ChoiceRow,
  SearchPicker,
  summaryOf,
  type ChoiceWords,
  type Opening,
  type PickerProps,
} from "./picker.tsx";

interface TypePickerProps extends Opening {
  readonly chosenIds: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
}

export function TypePicker({ chosenIds, onChange, isOpen, onToggle }: TypePickerProps) {
  const names = chosenIds.flatMap((id) => categoryById(id)?.label ?? []);
  return (
    <TypeSearch
      label="Types"
      summary={summaryOf(names, "Tous")}
      chosenCount={chosenIds.length}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onToggle={onToggle}
      choiceOf={({ id }, words) => (
        <ChoiceRow
          key={id}
          {...words}
          isChosen={isChosen(chosenIds, id)}
          isPartly={chosenLeavesUnder(chosenIds, id) > 0}
          onToggle={() => onChange(withTypeToggled(chosenIds, id))}
        />
      )}
      countOf={({ id }) => chosenLeavesUnder(chosenIds, id)}
    />
  );
}

interface TypeChoices {
  /** Renders the row that chooses a type. */
  readonly choiceOf: (category: Category, words: ChoiceWords) => ReactNode;
  /** How many leaves under a branch are chosen, to be shown on its row. */
  readonly countOf?: (branch: Category) => number;
}

interface TypeSearchProps extends TypeChoices, Omit<PickerProps, "children"> {
  /** Whose level is shown first; null: the roots. */
  readonly firstParentId?: number | null;
}

/** A picker of the type tree: one level at a time, or the results of a search. */
export function TypeSearch({
  firstParentId = null,
  choiceOf,
  countOf = () => 0,
  ...picker
}: TypeSearchProps) {
  const [parentId, setParentId] = useState(firstParentId);
  const [search, setSearch] = useState("");
  return (
    <SearchPicker {...picker} search={search} onSearch={setSearch} searchLabel="Chercher un type">
      {search.trim() === "" ? (
        <TypeLevel parentId={parentId} onGo={setParentId} choiceOf={choiceOf} countOf={countOf} />
      ) : (
        <FoundTypes search={search} choiceOf={choiceOf} />
      )}
    </SearchPicker>
  );
}

interface TypeLevelProps extends Required<TypeChoices> {
  readonly parentId: number | null;
  readonly onGo: (id: number | null) => void;
}

/** One level of the tree: a branch opens the next level, whose first row chooses the branch itself. */
function TypeLevel({ parentId, onGo, choiceOf, countOf }: TypeLevelProps) {
  const parent = parentId === null ? undefined : categoryById(parentId);
  const level = useRef<HTMLDivElement>(null);
  const go = (id: number | null): void => {
    onGo(id);
    keepFocus(() => level.current?.querySelector<HTMLElement>("button, input"));
  };
  return (
    <div ref={level}>
      {parent === undefined ? null : (
        <button
          type="button"
          className="choice-row type-picker__back line"
          onClick={() => go(parent.parentId)}
        >
          <IconArrowLeft size={18} stroke={1.8} aria-hidden="true" />
          Retour aux arrière
          <span className="type-picker__where dim clip">{parent.label}</span>
        </button>
      )}
      <div className="picker__list" key={parentId}>
        {parent === undefined ? null : choiceOf(parent, { label: nameOf(parent) })}
        {levelUnder(parentId).map((category) =>
          isLeaf(category) ? (
            choiceOf(category, { label: nameOf(category) })
          ) : (
            <BranchRow key={category.id} branch={category} count={countOf(category)} onGo={go} />
          ),
        )}
      </div>
    </div>
  );
}

interface BranchRowProps extends Pick<TypeLevelProps, "onGo"> {
  readonly branch: Category;
  readonly count: number;
}

function BranchRow({ branch, count, onGo }: BranchRowProps) {
  return (
    <button type="button" className="choice-row choice-button line" onClick={() => onGo(branch.id)}>
      <span>{branch.label}</span>
      {count === 0 ? null : (
        <span className="picker__count" title={`${count} choisi${count === 1 ? "" : "s"}`}>
          {count}
        </span>
      )}
      <IconChevronRight className="dim" size={18} stroke={1.8} aria-hidden="true" />
    </button>
  );
}

interface FoundTypesProps extends Pick<TypeChoices, "choiceOf"> {
  readonly search: string;
}

function FoundTypes({ search, choiceOf }: FoundTypesProps) {
  const found = searchTypes(useDeferredValue(search));
  if (found.length === 0) return <p className="picker__none aside">Aucun type ne porte ce nom.</p>;
  return (
    <div className="picker__list">
      {found.map(({ category, pathLabel }) =>
        choiceOf(category, { label: nameOf(category), detail: pathLabel }),
      )}
    </div>
  );
}

function nameOf(category: Category): string {
  return isLeaf(category) ? category.label : `Tout : ${category.label}`;
}

/** Beyond this the search should be narrowed instead. */
export const MAX_FOUND_TYPES = 40;

interface FoundType {
  readonly category: Category;
  readonly pathLabel: string;
}

/** The nodes of one level: the roots for null. */
export function levelUnder(parentId: number | null): readonly Category[] {
  return parentId === null ? rootCategories : (categoryById(parentId)?.children ?? []);
}

/** Whether a node is chosen, itself or by a branch above it. */
export function isChosen(chosenIds: readonly number[], id: number): boolean {
  return categoryPath(id).some((node) => chosenIds.includes(node.id));
}

/** How many leaves under a branch are chosen. */
export function chosenLeavesUnder(chosenIds: readonly number[], id: number): number {
  return leafIdsUnder(id).filter((leafId) => isChosen(chosenIds, leafId)).length;
}

/**
 * Selects or deselects a node. A selected branch replaces the selected nodes below it; deselecting a leaf of a selected
 * branch keeps its siblings selected.
 */
export function withTypeToggled(chosenIds: readonly number[], id: number): readonly number[] {
  if (!isChosen(chosenIds, id)) {
    const below = new Set(allBelow(id));
    return [...chosenIds.filter((each) => !below.has(each)), id];
  }
  const above = new Set(categoryPath(id).map((node) => node.id));
  const removed = new Set(leafIdsUnder(id));
  const siblings = chosenIds
    .filter((each) => above.has(each) && each !== id)
    .flatMap((each) => leafIdsUnder(each).filter((leafId) => !removed.has(leafId)));
  return [...chosenIds.filter((each) => !above.has(each)), ...siblings];
}

/** First the nodes whose label contains every word, then the leaves whose path does. */
export function searchTypes(search: string): readonly FoundType[] {
  const words = foldText(search)
    .split(" ")
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  const holdsAll = (text: string): boolean => words.every((word) => foldText(text).includes(word));
  const byPath = allCategories
    .map((category) => ({ category, pathLabel: categoryPathLabel(category.id) }))
    .filter(({ pathLabel }) => holdsAll(pathLabel));
  const byLabel = byPath.filter(({ category }) => holdsAll(category.label));
  const rest = byPath.filter(({ category }) => !holdsAll(category.label) && isLeaf(category));
  return [...byLabel, ...rest].slice(0, MAX_FOUND_TYPES);
}

function allBelow(id: number): readonly number[] {
  const children = categoryById(id)?.children ?? [];
  return children.flatMap((child) => [child.id, ...allBelow(child.id)]);
}
