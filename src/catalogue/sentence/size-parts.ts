/** The parts of size titles that a sentence can name: 'M', '38' and '10' of 'M / 38 / 10'. */
import { sizeGroups } from "../sizes.ts";

/** Titles without a size. */
const NO_SIZE = new Set(["autre", "universel", "peuimporte"]);

const idsByPartOfGroup: ReadonlyMap<number, ReadonlyMap<string, readonly number[]>> = new Map(
  sizeGroups.map(({ id, sizes }) => {
    const idsByPart = new Map<string, number[]>();
    for (const size of sizes) {
      for (const part of new Set(size.title.split(/[/|]/u).flatMap(partsOf))) {
        if (!NO_SIZE.has(part) && !isMisleading(part, size.title))
          idsByPart.set(part, [...(idsByPart.get(part) ?? []), size.id]);
      }
    }
    return [id, idsByPart];
  }),
);

/**
 * Whether buyers mean something else by the number: '2' is a brand's own size, '28' is not '8XL / 56 / 28', nor are
 * men's trousers '32' 'W23 | FR 32'. Without these, equal parts of a group are of adjacent sizes.
 */
function isMisleading(part: string, title: string): boolean {
  return (
    ((Number(part) < 6 || Number(part) >= 20) && sizeKey(title).endsWith(`/${part}`)) ||
    (Number(part) < 38 && title.startsWith("W"))
  );
}

/** Spellings of one part: '85A et AA' is also '85A', '95 cm' also '95'. */
function partsOf(part: string): readonly string[] {
  const [before = part] = part.split(" et ");
  return [sizeKey(part), sizeKey(before), sizeKey(part).replace(/(?<=\d)cm$/u, "")];
}

/** Case, spaces and accents are ignored, as is 'FR'; '38,5' is '38.5'. */
export function sizeKey(text: string): string {
  const key = text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}+|\s+/gu, "")
    .replace(/[‐‑–—]/gu, "-")
    .replace(/(\d),(?=\d)/gu, "$1.")
    .replace(/^(?:fr|eu)(?=\d)|(?<=\d)(?:fr|eu)$/gu, "");
  return key.replace(/^([2-3])xl$/u, (_, count: string) => `${"x".repeat(Number(count))}l`);
}

/** The sizes with this part, in the order of the groups. */
export function sizeIdsWithPart(key: string, sizeGroupIds: readonly number[]): readonly number[] {
  return sizeGroupIds.flatMap((groupId) => idsByPartOfGroup.get(groupId)?.get(key) ?? []);
}

/** 'L' and 'XXL' are in an order, as are '36' and 'W30', but '80A' and '85A' are not. */
const SCALES = [/^(?:x*s|m|x*l|\d+xl)$/u, /^\d+(?:\.\d+)?(?:cm|ans)?$/u, /^w\d+$/u];

/** The sizes from one part to another, in the groups that have both. */
export function sizeIdsBetween(
  ends: readonly [string, string],
  sizeGroupIds: readonly number[],
): readonly number[] {
  if (!SCALES.some((scale) => ends.every((end) => scale.test(end)))) return [];
  return sizeGroups
    .filter(({ id }) => sizeGroupIds.includes(id))
    .flatMap(({ id, size_ids: ids }) => {
      const [some, others] = ends.map((end) =>
        sizeIdsWithPart(end, [id]).map((sizeId) => ids.indexOf(sizeId)),
      );
      if (some?.length === 0 || others?.length === 0) return [];
      const places = [...(some ?? []), ...(others ?? [])];
      return ids.slice(Math.min(...places), Math.max(...places) + 1);
    });
}
