/** Merges many small blocks into large ones, by day; past days are sorted by type. */
import type { NewArchiveBlock } from "#store/market-store.ts";
import { createDayCounter, dayOfNumber } from "../paris-days.ts";
import { type Block, encodeBlock, VERSIONS_PER_BLOCK } from "./block.ts";
import { leafSetOf } from "./leaf-sets.ts";
import type { Version } from "./version.ts";

export interface PackInput {
  readonly isSorted: boolean;
  /** 0, or the last listing of the sandbox's history among the versions. */
  readonly example: number;
}

export class PackRun {
  readonly #input: PackInput;
  readonly #versions: Version[] = [];

  constructor(input: PackInput) {
    this.#input = input;
  }

  take(block: Block): void {
    this.#versions.push(...block.versions());
  }

  finish(): readonly NewArchiveBlock[] {
    return packVersions(this.#versions, this.#input);
  }
}

export function packVersions(
  versions: readonly Version[],
  { isSorted, example }: PackInput,
): readonly NewArchiveBlock[] {
  const dayOf = createDayCounter();
  const byDay = Map.groupBy(versions, ({ seenAtMs }) => dayOf(seenAtMs));
  return [...byDay].flatMap(([number, ofDay]) => {
    const inOrder = isSorted ? ofDay.toSorted(byType) : ofDay;
    const day = dayOfNumber(number);
    return chunksOf(inOrder).map((part) => ({ ...blockOf(part), day, example, isSorted }));
  });
}

/** Groups listings by type, so that a search for one type skips the rest. */
function byType(one: Version, other: Version): number {
  return typeOrder(one) - typeOrder(other) || one.seenAtMs - other.seenAtMs;
}

function typeOrder({ leafIds }: Version): number {
  return leafSetOf(leafIds).categoryId ?? 0;
}

function chunksOf(versions: readonly Version[]): readonly (readonly Version[])[] {
  return Array.from({ length: Math.ceil(versions.length / VERSIONS_PER_BLOCK) }, (_, index) =>
    versions.slice(index * VERSIONS_PER_BLOCK, (index + 1) * VERSIONS_PER_BLOCK),
  );
}

function blockOf(
  versions: readonly Version[],
): Pick<NewArchiveBlock, "versions" | "firstMs" | "lastMs" | "leafIds" | "data"> {
  let [firstMs, lastMs] = [Infinity, 0];
  const leafIds = new Set<number>();
  for (const version of versions) {
    firstMs = Math.min(firstMs, version.seenAtMs);
    lastMs = Math.max(lastMs, version.seenAtMs);
    if (version.leafIds.length === 0) leafIds.add(0);
    for (const id of version.leafIds) leafIds.add(id);
  }
  return { versions: versions.length, firstMs, lastMs, leafIds: [...leafIds], data: encodeBlock(versions) };
}
