/** Changes single values of real answers so that they violate the contract. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The keys and indices that lead to a value. */
export type Path = readonly string[];

const ABSENT = Symbol("absent");

/** The replacements for a value, whatever its type. */
export const wrongValues: ReadonlyMap<string, Json | typeof ABSENT> = new Map<string, Json | typeof ABSENT>([
  ["absent", ABSENT],
  ["null", null],
  ["empty text", ""],
  ["0", 0],
  ["-1", -1],
  ["a huge integer", 9e15],
  ["a number beyond all integers", 1e300],
  ["true", true],
  ["an object", {}],
  ["a list", []],
  ["a word that nobody knows", "inattendu"],
]);

/** The paths to every value of an answer; in a list, only of its first item. */
export function pathsIn(value: Json): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  const keys = isList(value) ? Object.keys(value).slice(0, 1) : Object.keys(value);
  return keys.flatMap((key) => [[key], ...pathsIn(childOf(value, key)).map((path) => [key, ...path])]);
}

/** Replaces the value at a path by one of the wrong values. */
export function withWrongValue(whole: Json, path: Path, name: string): Json {
  return withValue(whole, path, wrongValues.get(name) ?? null);
}

export function withValue(whole: Json, [key, ...rest]: Path, value: Json | typeof ABSENT): Json {
  if (key === undefined) return value === ABSENT ? null : value;
  const isGone = rest.length === 0 && value === ABSENT;
  if (isList(whole)) {
    const items = whole.map((item, index) => (String(index) === key ? withValue(item, rest, value) : item));
    return isGone ? items.slice(1) : items;
  }
  const members = { ...(isMembers(whole) ? whole : {}), [key]: withValue(childOf(whole, key), rest, value) };
  return isGone ? without(members, key) : members;
}

function without(members: Readonly<Record<string, Json>>, key: string): Json {
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
}

export function childOf(value: Json, key: string): Json {
  if (isList(value)) return value[Number(key)] ?? null;
  return isMembers(value) ? (value[key] ?? null) : null;
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isMembers(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
