/** New, edited and copied filters. Pure. */
import { DEFAULT_PAYMENT_METHOD_ID } from "#catalogue/payment-methods.ts";
import { NO_RULES } from "#domain/buying-rules.ts";
import { DEFAULT_ALERT_TERMS } from "#domain/alert.ts";
import { criteriaOf, type PublicFilter } from "#domain/market/filter.ts";
import type { FilterId, UserId } from "#domain/ids.ts";
import { MAX_LIMIT_EUR } from "#contract/bounds.ts";
import type { Changement } from "#contract/filtres/filtre-input.ts";
import { changedWords, type UnreadableCriteria } from "#presenters/filtre.ts";
import type { FilterChoices } from "#presenters/filtre.ts";
import type { NewFilter } from "#store/market-store.ts";

export interface NewFilterIdentity {
  readonly id: FilterId;
  readonly userId: UserId;
  readonly nowMs: number;
}

export function newFilter(choices: FilterChoices, { id, userId, nowMs }: NewFilterIdentity): NewFilter {
  return {
    ...choices,
    id,
    userId,
    createdAtMs: nowMs,
    activatedAtMs: choices.isActive ? nowMs : null,
    autobuySinceMs: choices.isAutobuy ? nowMs : null,
    alertMode: choices.alertMode ?? DEFAULT_ALERT_TERMS.alertMode,
    alertMaxPerHour: choices.alertMaxPerHour ?? DEFAULT_ALERT_TERMS.alertMaxPerHour,
  };
}

/**
 * A filter that stays active keeps its activation time, also when it becomes wider: automatic buying never
 * applies to matches before it. A filter that becomes active gets a new one.
 */
export function editedFilter(known: NewFilter, choices: FilterChoices, nowMs: number): NewFilter {
  return {
    ...choices,
    id: known.id,
    userId: known.userId,
    createdAtMs: known.createdAtMs,
    alertMode: choices.alertMode ?? known.alertMode,
    alertMaxPerHour: choices.alertMaxPerHour ?? known.alertMaxPerHour,
    activatedAtMs: choices.isActive ? (known.activatedAtMs ?? nowMs) : null,
    autobuySinceMs: choices.isAutobuy && !known.isAutobuy ? nowMs : known.autobuySinceMs,
  };
}

export type BulkEdit =
  | { readonly kind: "edited"; readonly filter: NewFilter }
  /** The new limit would be invalid or below the floor, or there would be too many words. */
  | { readonly kind: "refused"; readonly field: keyof Changement; readonly problem: BulkProblem };

export type BulkProblem = "limit" | "floor" | UnreadableCriteria;

/**
 * Applies a bulk change to one filter.
 * @param hasPlan false switches automatic buying off, as an edit does (`decideAutobuy`)
 */
export function bulkEdited(
  known: NewFilter,
  change: Changement,
  { hasPlan, nowMs }: { readonly hasPlan: boolean; readonly nowMs: number },
): BulkEdit {
  const refused = (field: keyof Changement, problem: BulkProblem): BulkEdit => ({
    kind: "refused",
    field,
    problem,
  });
  const priceCapEur = (change.limit ?? known.priceCapEur) + (change.limit_delta ?? 0);
  const isPriced = change.limit !== undefined || change.limit_delta !== undefined;
  const limitField = change.limit_delta === undefined ? "limit" : "limit_delta";
  if (isPriced && (priceCapEur < 1 || priceCapEur > MAX_LIMIT_EUR)) return refused(limitField, "limit");
  if (isPriced && priceCapEur < known.priceFloorEur) return refused(limitField, "floor");
  const included = changedWords("mots", known.includeWords, {
    added: change.mots_ajout ?? [],
    removed: change.mots_retrait ?? [],
  });
  if (included.kind !== "read") return refused("mots_ajout", included);
  const excluded = changedWords("exclure", known.excludeWords, {
    added: change.exclure_ajout ?? [],
    removed: change.exclure_retrait ?? [],
  });
  if (excluded.kind !== "read") return refused("exclure_ajout", excluded);
  const choices = {
    ...known,
    priceCapEur,
    includeWords: included.words,
    excludeWords: excluded.words,
    isActive: change.active ?? known.isActive,
    isAutobuy: known.isAutobuy && change.autobuy !== false && hasPlan,
  };
  return { kind: "edited", filter: editedFilter(known, choices, nowMs) };
}

/** A copy has the original's criteria, but none of its author's settings for paying or buying. */
export function copiedFilter(original: PublicFilter, { id, userId, nowMs }: NewFilterIdentity): NewFilter {
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
    rules: NO_RULES,
    ...DEFAULT_ALERT_TERMS,
    createdAtMs: nowMs,
    activatedAtMs: null,
    autobuySinceMs: null,
  };
}

/**
 * Whether a person may save automatic buying as sent. `lapsed`: it was on and the plan no longer includes it;
 * it is saved switched off, since refusing would block every other change. `ended`: its rules ended it since
 * the page read the filter, so it stays off.
 */
export function decideAutobuy(wish: {
  readonly wantsAutobuy: boolean;
  readonly hadAutobuy: boolean;
  readonly hasPlan: boolean;
  readonly hasEnded: boolean;
}): "as_sent" | "ended" | "lapsed" | "refused" {
  if (!wish.wantsAutobuy) return "as_sent";
  if (wish.hasEnded) return "ended";
  if (wish.hasPlan) return "as_sent";
  return wish.hadAutobuy ? "lapsed" : "refused";
}
