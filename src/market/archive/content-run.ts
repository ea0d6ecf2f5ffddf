import type { Block } from "./block.ts";
import { isFirstSight } from "./version.ts";

/** Content of a part of the archive, for the operator. */
export interface ArchiveContent {
  /** First sights. */
  readonly listings: number;
  readonly firstMs: number | null;
}

/** Stores no listing ids: the archive may have tens of millions. */
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
