import type { Block } from "./block.ts";
import { isFirstSight } from "./version.ts";

/** What the operator is told of the content of a part of the archive. */
export interface ArchiveContent {
  /** First sights. */
  readonly listings: number;
  readonly firstMs: number | null;
}

/** Keeps no listing in memory: the archive may have tens of millions of them. */
export class ContentRun {
  #listings = 0;
  #firstMs = Infinity;

  take(block: Block): void {
    const seenAt = block.seenAt();
    for (let index = 0; index < block.count; index += 1) {
      if (isFirstSight(block.kindAt(index))) this.#listings += 1;
      this.#firstMs = Math.min(this.#firstMs, seenAt[index] ?? Infinity);
    }
  }

  finish(): ArchiveContent {
    return { listings: this.#listings, firstMs: this.#firstMs === Infinity ? null : this.#firstMs };
  }
}
