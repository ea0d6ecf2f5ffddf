import type { Block } from "./block.ts";

/** The archive's content in figures, for the operator. */
export interface ArchiveContent {
  readonly listings: number;
  readonly firstMs: number | null;
}

export class ContentRun {
  readonly #listings = new Set<number>();
  #firstMs = Infinity;

  take(block: Block): void {
    for (const id of block.listingIds()) this.#listings.add(id);
    for (const atMs of block.seenAt()) this.#firstMs = Math.min(this.#firstMs, atMs);
  }

  finish(): ArchiveContent {
    return { listings: this.#listings.size, firstMs: this.#firstMs === Infinity ? null : this.#firstMs };
  }
}
