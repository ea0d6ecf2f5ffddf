/** Edits JSON content at a path, without mutating it. */
type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Replaces the value at a path; "*" matches every element of a list. A path that does not exist changes
 * nothing.
 * @param change returns the new value, or undefined to remove the member
 */
export function changeAt(
  content: unknown,
  path: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(content);
  if (step === "*") {
    return Array.isArray(content)
      ? content.map((element: unknown) => changeAt(element, rest, change))
      : content;
  }
  if (!isObject(content) || !(step in content)) return content;
  const changed = changeAt(content[step], rest, change);
  const members = Object.entries(content).filter(([name]) => name !== step);
  return Object.fromEntries(changed === undefined ? members : [...members, [step, changed]]);
}

/** Renames the last member of a path. */
export function renameAt(content: unknown, path: readonly string[], name: string): unknown {
  const last = path.at(-1);
  if (last === undefined) return content;
  return changeAt(content, path.slice(0, -1), (parent) => {
    if (!isObject(parent) || !(last in parent)) return parent;
    return Object.fromEntries(
      Object.entries(parent).map(([key, value]) => [key === last ? name : key, value]),
    );
  });
}
