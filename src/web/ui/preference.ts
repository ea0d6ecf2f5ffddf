/** Small JSON values in the browser's storage, such as display preferences. */
import { useState } from "react";

/** By its name, because the browser may refuse the storage itself. */
type StorageName = "localStorage" | "sessionStorage";

/** Reads a stored preference; the fallback if it is missing or invalid, or storage is refused. */
export function readPreference<Value>(
  key: string,
  parse: (stored: unknown) => Value | undefined,
  fallback: Value,
  storage: StorageName = "localStorage",
): Value {
  try {
    const text = window[storage].getItem(key);
    const stored: unknown = text === null ? undefined : JSON.parse(text);
    return parse(stored) ?? fallback;
  } catch (error) {
    return onStorageTrouble(error, fallback);
  }
}

/** Undefined removes the preference. */
export function writePreference(key: string, value: unknown, storage: StorageName = "localStorage"): void {
  try {
    if (value === undefined) window[storage].removeItem(key);
    else window[storage].setItem(key, JSON.stringify(value));
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
