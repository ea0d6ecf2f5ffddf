/** The members of `now` whose value is not the one in `before`. */
export function changedParts<Parts extends object>(now: Parts, before: object): Partial<Parts> {
  const known = new Map<string, unknown>(Object.entries(before));
  const changed: Partial<Parts> = { ...now };
  for (const name in now)
    if (JSON.stringify(now[name]) === JSON.stringify(known.get(name))) delete changed[name];
  return changed;
}

export function isChanged(now: object, before: object): boolean {
  return Object.keys(changedParts(now, before)).length > 0;
}
