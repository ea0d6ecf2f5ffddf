import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { brands } from "#catalogue/brands.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { ChoiceRow } from "./choice-row.tsx";
import { Picker, type PickerProps } from "./picker.tsx";
import { summaryOf, withToggled } from "./summary.ts";

interface BrandPickerProps extends Omit<PickerProps, "label" | "summary"> {
  readonly chosenIds: readonly number[];
  /** Titles of chosen brands that are not among the fifty on offer. */
  readonly otherTitles: ReadonlyMap<number, string>;
  readonly onChange: (ids: readonly number[]) => void;
}

interface OfferedBrand {
  readonly id: number;
  readonly title: string;
}

export function BrandPicker({ chosenIds, otherTitles, onChange, isOpen, onToggle }: BrandPickerProps) {
  const [search, setSearch] = useState("");
  const offered: readonly OfferedBrand[] = [
    ...[...otherTitles].map(([id, title]) => ({ id, title })),
    ...brands.filter(({ id }) => !otherTitles.has(id)),
  ];
  const names = chosenIds.flatMap((id) => offered.find((brand) => brand.id === id)?.title ?? []);
  const wanted = foldText(search);
  const shown = offered.filter(({ title }) => foldText(title).includes(wanted));
  return (
    <Picker
      label="Marques"
      summary={summaryOf(names, "Toutes")}
      chosenCount={chosenIds.length}
      onClear={() => onChange([])}
      isOpen={isOpen}
      onToggle={onToggle}
    >
      <div className="picker__search">
        <TextInput
          type="search"
          aria-label="Chercher une marque"
          placeholder="Chercher une marque"
          leftSection={<IconSearch size={18} stroke={1.8} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {shown.length === 0 ? <p className="picker__none">Aucune marque ne porte ce nom.</p> : null}
      <div className="picker__list">
        {shown.map(({ id, title }) => (
          <ChoiceRow
            key={id}
            label={title}
            isChosen={chosenIds.includes(id)}
            onToggle={() => onChange(withToggled(chosenIds, id))}
          />
        ))}
      </div>
    </Picker>
  );
}
