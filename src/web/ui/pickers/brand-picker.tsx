import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState, type ReactNode } from "react";
import { brands } from "#catalogue/brands.ts";
import { foldText } from "#catalogue/fold-text.ts";
import {
  ChoiceRow,
  SearchPicker,
  summaryOf,
  withToggled,
  type Opening,
  type PickerProps,
} from "./picker.tsx";

interface OfferedBrand {
  readonly id: number;
  readonly title: string;
}

const NONE: readonly OfferedBrand[] = [];

interface BrandPickerProps extends Opening {
  readonly chosenIds: readonly number[];
  /** Titles of the brands that the edited filter had chosen. */
  readonly otherTitles: ReadonlyMap<number, string>;
  readonly onChange: (ids: readonly number[]) => void;
}

/** Lists the chosen brands beyond the catalogue's fifty, then the fifty; a search finds all known brands. */
export function BrandPicker({ chosenIds, otherTitles, onChange, isOpen, onToggle }: BrandPickerProps) {
  const isNamed = (id: number): boolean => otherTitles.has(id) || brands.some((brand) => brand.id === id);
  const known = useKnownBrands(isOpen || !chosenIds.every(isNamed));
  const titleOf = (id: number): string =>
    otherTitles.get(id) ?? [...brands, ...known].find((brand) => brand.id === id)?.title ?? `n° ${id}`;
  const beyondFifty: readonly OfferedBrand[] = [...new Set([...chosenIds, ...otherTitles.keys()])]
    .filter((id) => !brands.some((brand) => brand.id === id))
    .map((id) => ({ id, title: titleOf(id) }));
  return (
    <BrandSearch
      label="Marques"
      summary={summaryOf(chosenIds.map(titleOf), "Toutes")}
      chosenCount={chosenIds.length}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onToggle={onToggle}
      offered={[...beyondFifty, ...brands]}
      known={known}
      choiceOf={({ id, title }) => (
        <ChoiceRow
          key={id}
          label={title}
          isChosen={chosenIds.includes(id)}
          onToggle={() => onChange(withToggled(chosenIds, id))}
        />
      )}
    />
  );
}

interface BrandSearchProps extends Omit<PickerProps, "children"> {
  readonly offered: readonly OfferedBrand[];
  readonly known: readonly OfferedBrand[];
  /** Renders the row that chooses a brand. */
  readonly choiceOf: (brand: OfferedBrand) => ReactNode;
}

/** A picker of the offered brands, or of the known ones that a search finds. */
export function BrandSearch({ offered, known, choiceOf, ...picker }: BrandSearchProps) {
  const [search, setSearch] = useState("");
  const shown = brandsToShow(useDeferredValue(search), offered, known);
  return (
    <SearchPicker {...picker} search={search} onSearch={setSearch} searchLabel="Chercher une marque">
      {shown.length === 0 ? <p className="picker__none aside">Aucune marque ne porte ce nom.</p> : null}
      <div className="picker__list">{shown.map(choiceOf)}</div>
    </SearchPicker>
  );
}

/** Every brand that the product distinguishes; a long list, loaded when the picker first opens. */
export function useKnownBrands(isWanted: boolean): readonly OfferedBrand[] {
  const { data } = useQuery({
    queryKey: ["known-brands"],
    queryFn: async (): Promise<readonly OfferedBrand[]> =>
      (await import("#catalogue/brand-titles.ts")).knownBrands,
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? NONE;
}

/** Beyond this the search should be narrowed instead. */
export const MAX_FOUND_BRANDS = 60;

/**
 * Without a search the offered brands; with one all known brands whose title contains it, those that begin
 * with it first, each group in the order given. Punctuation is ignored: "levis" finds "Levi's".
 */
export function brandsToShow(
  search: string,
  offered: readonly OfferedBrand[],
  known: readonly OfferedBrand[],
): readonly OfferedBrand[] {
  const wanted = brandKey(search);
  if (wanted === "") return offered;
  const offeredIds = new Set(offered.map(({ id }) => id));
  const matching = [...offered, ...known.filter(({ id }) => !offeredIds.has(id))]
    .map((brand) => ({ brand, key: brandKey(brand.title) }))
    .filter(({ key }) => key.includes(wanted));
  const first = matching.filter(({ key }) => key.startsWith(wanted));
  const rest = matching.filter(({ key }) => !key.startsWith(wanted));
  return [...first, ...rest].slice(0, MAX_FOUND_BRANDS).map(({ brand }) => brand);
}

function brandKey(title: string): string {
  return foldText(title).replaceAll(" ", "");
}
