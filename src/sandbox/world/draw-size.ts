import { categoryById } from "#catalogue/categories.ts";
import { womenSizeShares } from "#catalogue/simulation-priors.ts";
import { sizeGroups, type SizeGroup } from "#catalogue/sizes.ts";
import { weightedChoice, type Draws } from "./draws.ts";

/** The share of sized things whose seller left the size out. */
const SIZELESS_SHARE = 0.03;
const ODD_SIZE_WEIGHT = 0.02;

const groupsById = new Map(sizeGroups.map((group) => [group.id, group]));
const choices = new Map<number, (draws: Draws) => string>();

/** The size title as sellers choose it from the leaf's group; "" where there is none. */
export function drawSizeTitle(leafId: number, draws: Draws): string {
  const leaf = categoryById(leafId);
  const groupId = leaf?.sizeGroupIds[0];
  if (leaf === undefined || groupId === undefined || !leaf.hasSizeField) return "";
  if (draws.chance(SIZELESS_SHARE)) return "";
  let choice = choices.get(groupId);
  if (choice === undefined) {
    choice = weightedChoice(weights(groupsById.get(groupId)));
    choices.set(groupId, choice);
  }
  return choice(draws);
}

/** Observed shares where there are any; else the middle of the group is most common. */
function weights(group: SizeGroup | undefined): readonly (readonly [string, number])[] {
  if (group === undefined) return [["", 1]];
  const regular = group.sizes.filter(isRegular).length;
  return group.sizes.map((size, index) => {
    if (!isRegular(size)) return [size.title, ODD_SIZE_WEIGHT];
    const letter = /^(?:[SML]|XL)\b/.exec(size.title)?.[0];
    const share = group.id === WOMEN && letter !== undefined ? womenSizeShares[letter] : undefined;
    return [size.title, share ?? (group.id === WOMEN ? rareShare(size.title) : bell(index / regular))];
  });
}

const WOMEN = 4;

function rareShare(title: string): number {
  return title.startsWith("XS ") ? 0.16 : 0.015;
}

function isRegular({ title, is_other }: SizeGroup["sizes"][number]): boolean {
  return !is_other && title !== "Taille unique" && title !== "Ajustable";
}

function bell(place: number): number {
  return 0.05 + Math.exp(-(((place - 0.42) / 0.2) ** 2));
}
