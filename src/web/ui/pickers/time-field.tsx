import { TextInput, type TextInputProps } from "@mantine/core";
import type { SyntheticEvent } from "react";
import { HALF_TYPED_TIME } from "./time-text.ts";

interface TimeFieldProps extends Omit<TextInputProps, "type" | "value" | "onChange"> {
  readonly value: string;
  /** "HH:MM", "" or `HALF_TYPED_TIME`. */
  readonly onChange: (text: string) => void;
}

/** A time of day. Browsers report no change while a time is incomplete: it is read after every key as well. */
export function TimeField({ value, onChange, ...props }: TimeFieldProps) {
  const read = ({ currentTarget }: SyntheticEvent<HTMLInputElement>): void => {
    const text = currentTarget.validity.badInput ? HALF_TYPED_TIME : currentTarget.value;
    if (text !== value) onChange(text);
  };
  return (
    <TextInput
      {...props}
      type="time"
      // Any other value than the field's own would erase what was typed.
      value={value === HALF_TYPED_TIME ? "" : value}
      onChange={read}
      onKeyUp={read}
      onBlur={read}
    />
  );
}
