/** Rebuilds price book, relist keys and sellers' shares from the archive, and collects the prices of a day that leaves. */
import type { Block } from "../archive/block.ts";
import { createNumbering } from "../archive/numbering.ts";
import { isFirstSight } from "../archive/version.ts";
import { createDayCounter } from "../paris-days.ts";
import { type AppraiserState, thingOf } from "./appraiser.ts";
import type { CellsSnapshot } from "./cells.ts";
import { PriceBook } from "./price-book.ts";
import { RecentKeys, type RecentKeysSnapshot } from "./recent-keys.ts";
import { relistKeyOf } from "./relist-keys.ts";
import { SellerShares } from "./seller-shares.ts";

/** The state of an appraiser as it crosses threads: its memory is transferred, not copied. */
export interface RebuiltState {
  readonly cells: CellsSnapshot;
  readonly relistKeys: RecentKeysSnapshot;
  readonly shares: RecentKeysSnapshot;
}

export interface RebuildInput {
  readonly windowDays: number;
  /** Only what was seen by this moment. */
  readonly untilMs: number;
}

export class RebuildRun {
  readonly #untilMs: number;
  readonly #book = new PriceBook();
  readonly #relistKeys: RecentKeys;
  readonly #shares: SellerShares;
  readonly #dayOf = createDayCounter();
  /** During a takeover two readers may archive the same listing. */
  readonly #counted = new Set<number>();
  readonly #numberOf = createNumbering();

  constructor({ windowDays, untilMs }: RebuildInput) {
    this.#untilMs = untilMs;
    this.#relistKeys = new RecentKeys(windowDays);
    this.#shares = new SellerShares(new RecentKeys(windowDays));
  }

  take(block: Block): void {
    for (let index = 0; index < block.count; index += 1) {
      const seenAtMs = block.seenAt()[index] ?? 0;
      if (seenAtMs > this.#untilMs) continue;
      const day = this.#dayOf(seenAtMs);
      if (isFirstSight(block.kindAt(index))) this.#relistKeys.note(relistKeyAt(block, index), day);
      if (block.isCountedAt(index)) this.#count(block, index, day);
    }
  }

  #count(block: Block, index: number, day: number): void {
    const number = this.#numberOf(block.listingIds()[index] ?? 0);
    const thing = thingAt(block, index);
    if (thing === null || this.#counted.has(number)) return;
    this.#counted.add(number);
    this.#book.count(thing, block.prices()[index] ?? 0, day);
    this.#shares.take(block.sellers()[index] ?? 0, thing, day);
  }

  finish(): RebuiltState {
    return {
      cells: this.#book.snapshot(),
      relistKeys: this.#relistKeys.snapshot(),
      shares: this.#shares.snapshot(),
    };
  }
}

export function appraiserStateOf({ cells, relistKeys, shares }: RebuiltState): AppraiserState {
  return {
    book: PriceBook.from(cells),
    relistKeys: RecentKeys.from(relistKeys),
    shares: SellerShares.from(shares),
  };
}

/** The counted prices of a day that leaves: type, brand, condition and cents of each, consecutively. */
export type LeavingPrices = Uint32Array<ArrayBuffer>;
export const LEAVING_FIELDS = 4;

export class LeavingRun {
  readonly #prices: number[] = [];
  readonly #counted = new Set<number>();

  take(block: Block): void {
    for (let index = 0; index < block.count; index += 1) {
      const listingId = block.listingIds()[index] ?? 0;
      const thing = block.isCountedAt(index) ? thingAt(block, index) : null;
      if (thing === null || this.#counted.has(listingId)) continue;
      this.#counted.add(listingId);
      this.#prices.push(thing.typeId, thing.brandId, thing.conditionId, block.prices()[index] ?? 0);
    }
  }

  finish(): LeavingPrices {
    return Uint32Array.from(this.#prices);
  }
}

function thingAt(block: Block, index: number) {
  return thingOf({
    leafIds: block.leafSetAt(index).leafIds,
    brandId: block.brands()[index] ?? 0,
    conditionId: block.conditions()[index] ?? 0,
  });
}

function relistKeyAt(block: Block, index: number): number {
  return relistKeyOf({
    sellerHash: block.sellers()[index] ?? 0,
    foldedTitle: block.titles()[index] ?? "",
    sizeIds: block.sizesAt(index),
    brandId: block.brands()[index] ?? 0,
  });
}
