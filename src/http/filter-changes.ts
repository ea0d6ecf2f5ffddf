/** What becomes of a filter that a person saves. Pure. */
import type { FilterId, UserId } from "#domain/ids.ts";
import type { FilterCriteria } from "#domain/filter.ts";
import type { FilterChoices } from "#presenters/filtre.ts";
import type { NewFilter, PublicFilter } from "#store/store.ts";
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";

export interface Birth {
  readonly id: FilterId;
  readonly userId: UserId;
  readonly nowMs: number;
}

export function newFilter(choices: FilterChoices, { id, userId, nowMs }: Birth): NewFilter {
  return { ...choices, id, userId, createdAtMs: nowMs, activatedAtMs: choices.isActive ? nowMs : null };
}

/**
 * A filter that stays active keeps the moment since which it is: widening what it takes does not make it younger, and
 * automatic buying never reaches back before that moment. A filter that becomes active starts anew.
 */
export function editedFilter(known: NewFilter, choices: FilterChoices, nowMs: number): NewFilter {
  return {
    ...choices,
    id: known.id,
    userId: known.userId,
    createdAtMs: known.createdAtMs,
    activatedAtMs: choices.isActive ? (known.activatedAtMs ?? nowMs) : null,
  };
}

/** A copy is the copier's own: what it looks for is taken over, nothing of how its author pays or buys. */
export function copiedFilter(original: PublicFilter, { id, userId, nowMs }: Birth): NewFilter {
  return {
    ...criteriaOf(original.criteria),
    id,
    userId,
    tag: original.tag,
    info: "",
    isActive: false,
    isAutobuy: false,
    isPrivate: true,
    paymentMethodId: DEFAULT_PAYMENT_METHOD_ID,
    maxPurchases: null,
    isSimulation: false,
    createdAtMs: nowMs,
    activatedAtMs: null,
  };
}

/** Named one by one: whatever else the store may hand along with the criteria must not enter the copy. */
function criteriaOf(criteria: FilterCriteria): FilterCriteria {
  const { categoryIds, brandIds, sizeIds, conditionIds, colourName } = criteria;
  const { priceCapEur, includeWords, excludeWords } = criteria;
  return {
    categoryIds,
    brandIds,
    sizeIds,
    conditionIds,
    colourName,
    priceCapEur,
    includeWords,
    excludeWords,
  };
}

/**
 * Whether a person may save automatic buying as they sent it.
 * `lapsed`: it was on already and their plan no longer has it; refusing would make every other change of the filter
 * impossible, so it is saved switched off.
 */
export function decideAutobuy(wish: {
  readonly wantsAutobuy: boolean;
  readonly hadAutobuy: boolean;
  readonly hasPlan: boolean;
}): "as_sent" | "lapsed" | "refused" {
  if (!wish.wantsAutobuy || wish.hasPlan) return "as_sent";
  return wish.hadAutobuy ? "lapsed" : "refused";
}
