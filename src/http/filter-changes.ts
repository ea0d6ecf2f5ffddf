/** New, edited and copied filters. Pure. */
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import { criteriaOf } from "#domain/filter.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import type { FilterChoices } from "#presenters/filtre.ts";
import type { NewFilter, PublicFilter } from "#store/store.ts";

export interface Birth {
  readonly id: FilterId;
  readonly userId: UserId;
  readonly nowMs: number;
}

export function newFilter(choices: FilterChoices, { id, userId, nowMs }: Birth): NewFilter {
  return { ...choices, id, userId, createdAtMs: nowMs, activatedAtMs: choices.isActive ? nowMs : null };
}

/**
 * A filter that stays active keeps its activation time, also when it becomes wider; automatic buying never reaches back
 * before that time. A filter that becomes active gets a new one.
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

/** A copy has the original's criteria, and nothing of how its author pays or buys. */
export function copiedFilter(original: PublicFilter, { id, userId, nowMs }: Birth): NewFilter {
  return {
    // Other fields that the store returns must not enter the copy.
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

/**
 * Whether a person may save automatic buying as sent.
 * `lapsed`: it was already on and the plan no longer includes it; refusing would block every other change of the filter,
 * so it is saved switched off.
 */
export function decideAutobuy(wish: {
  readonly wantsAutobuy: boolean;
  readonly hadAutobuy: boolean;
  readonly hasPlan: boolean;
}): "as_sent" | "lapsed" | "refused" {
  if (!wish.wantsAutobuy || wish.hasPlan) return "as_sent";
  return wish.hadAutobuy ? "lapsed" : "refused";
}
