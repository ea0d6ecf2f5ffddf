/** Small JSON values in localStorage, such as display preferences. */
import { useState } from "react";

/** Reads a stored preference; the fallback if it is missing or invalid, or storage is refused. */
export function readPreference<Value>(
  key: string,
  parse: (stored: unknown) => Value | undefined,
  fallback: Value,
): Value {
  try {
    const text = window.localStorage.getItem(key);
    const stored: unknown = text === null ? undefined : JSON.parse(text);
    return parse(stored) ?? fallback;
  } catch (error) {
    return onStorageTrouble(error, fallback);
  }
}

/** Undefined removes the preference. */
export function writePreference(key: string, value: unknown): void {
  try {
    if (value === undefined) window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, JSON.stringify(value));
  } catch (error) {
    onStorageTrouble(error, undefined);
  }
}

/** `useState` that persists changes under the key. */
export function usePreference<Value>(
  key: string,
  parse: (stored: unknown) => Value | undefined,
  fallback: Value,
): readonly [Value, (next: Value) => void] {
  const [value, setValue] = useState(() => readPreference(key, parse, fallback));
  const choose = (next: Value): void => {
    setValue(next);
    writePreference(key, next);
  };
  return [value, choose];
}

export function parseFlag(stored: unknown): boolean | undefined {
  return typeof stored === "boolean" ? stored : undefined;
}

// A private window may refuse storage, and the stored text may be invalid JSON: neither may break the page.
function onStorageTrouble<Value>(error: unknown, fallback: Value): Value {
  if (error instanceof SyntaxError || error instanceof DOMException) return fallback;
  throw error;
}
