import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { Picker, type FilledPickerProps } from "./picker.tsx";

interface SearchPickerProps extends FilledPickerProps {
  readonly search: string;
  readonly onSearch: (text: string) => void;
  /** For those who do not see the placeholder. */
  readonly searchLabel: string;
  readonly placeholder: string;
}

/** A picker whose list is too long to be read: a field above it narrows it down. */
export function SearchPicker(props: SearchPickerProps) {
  const { search, onSearch, searchLabel, placeholder, children, ...picker } = props;
  return (
    <Picker {...picker}>
      <div className="picker__search">
        <TextInput
          type="search"
          aria-label={searchLabel}
          placeholder={placeholder}
          leftSection={<IconSearch size={18} stroke={1.8} />}
          value={search}
          onChange={(event) => onSearch(event.currentTarget.value)}
        />
      </div>
      {children}
    </Picker>
  );
}
