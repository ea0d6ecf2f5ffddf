import { IconArrowLeft, IconChevronRight } from "@tabler/icons-react";
import { useDeferredValue, useRef, useState } from "react";
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
import { ChoiceRow, SearchPicker, summaryOf, type Opening } from "./picker.tsx";

interface TypePickerProps extends Opening {
  readonly chosenIds: readonly number[];
  readonly onChange: (ids: readonly number[]) => void;
}

export function TypePicker({ chosenIds, onChange, isOpen, onToggle }: TypePickerProps) {
  const [parentId, setParentId] = useState<number | null>(null);
  const [search, setSearch] = useState("");
  const names = chosenIds.flatMap((id) => categoryById(id)?.label ?? []);
  const toggle = (id: number): void => onChange(withTypeToggled(chosenIds, id));
  return (
    <SearchPicker
      label="Types"
      summary={summaryOf(names, "Tous")}
      chosenCount={chosenIds.length}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onToggle={onToggle}
      search={search}
      onSearch={setSearch}
      searchLabel="Chercher un type"
      placeholder="Chercher un type"
    >
      {search.trim() === "" ? (
        <TypeLevel parentId={parentId} onGo={setParentId} chosenIds={chosenIds} onToggle={toggle} />
      ) : (
        <FoundTypes search={search} chosenIds={chosenIds} onToggle={toggle} />
      )}
    </SearchPicker>
  );
}

interface TypeLevelProps {
  readonly parentId: number | null;
  readonly onGo: (id: number | null) => void;
  readonly chosenIds: readonly number[];
  readonly onToggle: (id: number) => void;
}

/** One level of the tree: a branch opens the next level, a leaf is selected. */
function TypeLevel({ parentId, onGo, chosenIds, onToggle }: TypeLevelProps) {
  const parent = parentId === null ? undefined : categoryById(parentId);
  const level = useRef<HTMLDivElement>(null);
  const go = (id: number | null): void => {
    onGo(id);
    keepFocus(() => level.current?.querySelector<HTMLElement>("button, input"));
  };
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
        {parent === undefined ? null : (
          <ChoiceRow
            label={`Tout : ${parent.label}`}
            isChosen={isChosen(chosenIds, parent.id)}
            isPartly={chosenLeavesUnder(chosenIds, parent.id) > 0}
            onToggle={() => onToggle(parent.id)}
          />
        )}
        {levelUnder(parentId).map((category) =>
          isLeaf(category) ? (
            <ChoiceRow
              key={category.id}
              label={category.label}
              isChosen={isChosen(chosenIds, category.id)}
              onToggle={() => onToggle(category.id)}
            />
          ) : (
            <BranchRow key={category.id} category={category} chosenIds={chosenIds} onGo={go} />
          ),
        )}
      </div>
    </div>
  );
}

interface BranchRowProps extends Pick<TypeLevelProps, "chosenIds" | "onGo"> {
  readonly category: Category;
}

function BranchRow({ category, chosenIds, onGo }: BranchRowProps) {
  const chosenLeaves = chosenLeavesUnder(chosenIds, category.id);
  return (
    <button type="button" className="type-picker__branch" onClick={() => onGo(category.id)}>
      <span>{category.label}</span>
      {chosenLeaves === 0 ? null : (
        <span className="picker__count" title={`${chosenLeaves} choisis`}>
          {chosenLeaves}
        </span>
      )}
      <IconChevronRight size={18} stroke={1.8} aria-hidden="true" />
    </button>
  );
}

interface FoundTypesProps extends Pick<TypeLevelProps, "chosenIds" | "onToggle"> {
  readonly search: string;
}

function FoundTypes({ search, chosenIds, onToggle }: FoundTypesProps) {
  const found = searchTypes(useDeferredValue(search));
  if (found.length === 0) return <p className="picker__none aside">Aucun type ne porte ce nom.</p>;
  return (
    <div className="picker__list">
      {found.map(({ category, pathLabel }) => (
        <ChoiceRow
          key={category.id}
          label={isLeaf(category) ? category.label : `Tout : ${category.label}`}
          detail={pathLabel}
          isChosen={isChosen(chosenIds, category.id)}
          isPartly={chosenLeavesUnder(chosenIds, category.id) > 0}
          onToggle={() => onToggle(category.id)}
        />
      ))}
    </div>
  );
}

/** More would be no help: the search is to be made narrower. */
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
  const brothers = chosenIds
    .filter((each) => above.has(each) && each !== id)
    .flatMap((each) => leafIdsUnder(each).filter((leafId) => !removed.has(leafId)));
  return [...chosenIds.filter((each) => !above.has(each)), ...brothers];
}

/** The nodes of every level whose label or path holds each word, those named by the label itself first. */
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
