/** Derives from the purchases the outcome per listing, and what awaits confirmation at the bank. */
import { useQuery } from "@tanstack/react-query";
import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE, ACHAT_EN_ATTENTE } from "#contract/bounds.ts";
import { type PurchasePage, queries } from "../queries.ts";
import { isAwaitingBank } from "./awaiting-bank.ts";

export type ListingOutcome =
  /** The payment is in flight, or its outcome is being checked. */
  | { readonly kind: "busy" }
  | { readonly kind: "awaiting"; readonly confirmationUrl: string; readonly deadlineS: number | null }
  /** Confirmed, or undecidable: either way it must not be bought again (contract §8). */
  | { readonly kind: "bought" }
  | { readonly kind: "failed"; readonly reason: string; readonly code: Achat["code"] };

const BUSY: ListingOutcome = { kind: "busy" };
const BOUGHT: ListingOutcome = { kind: "bought" };

/**
 * By listing id. A purchase that is not cancelled wins over cancelled ones, then the newest wins. Simulations
 * are skipped: they paid nothing, so the listing can still be bought.
 * @param purchases newest first
 */
export function outcomesOf(purchases: readonly Achat[]): ReadonlyMap<number, ListingOutcome> {
  const outcomes = new Map<number, ListingOutcome>();
  for (const purchase of purchases) {
    if (purchase.simulation === true) continue;
    const known = outcomes.get(purchase.product.id);
    const outcome = outcomeOf(purchase);
    if (outcome === null || (known !== undefined && (known.kind !== "failed" || outcome.kind === "failed")))
      continue;
    outcomes.set(purchase.product.id, outcome);
  }
  return outcomes;
}

function outcomeOf({ status, purchase_confirmation, echeance, raison, code }: Achat): ListingOutcome | null {
  if (status === ACHAT_ANNULE) return raison === null ? null : { kind: "failed", reason: raison, code };
  if (status !== ACHAT_EN_ATTENTE) return BOUGHT;
  if (purchase_confirmation === null) return BUSY;
  return { kind: "awaiting", confirmationUrl: purchase_confirmation, deadlineS: echeance ?? null };
}

const selectOutcomes = ({ purch }: PurchasePage) => outcomesOf(purch);

/** Undefined until the purchases are read. */
export function usePurchaseOutcomes(): ReadonlyMap<number, ListingOutcome> | undefined {
  return useQuery({ ...queries.purchases, select: selectOutcomes }).data;
}

interface AwaitingBank {
  readonly count: number;
  /** Known deadlines after which the marketplace may release a listing, in Unix seconds, earliest first. */
  readonly deadlinesS: readonly number[];
}

export function awaitingBankOf(purchases: readonly Achat[]): AwaitingBank {
  const awaiting = purchases.filter(isAwaitingBank);
  const deadlinesS = awaiting.flatMap(({ echeance }) => echeance ?? []).toSorted((one, other) => one - other);
  return { count: awaiting.length, deadlinesS };
}

const selectAwaitingBank = ({ purch }: PurchasePage) => awaitingBankOf(purch);

const NOTHING_AWAITED: AwaitingBank = { count: 0, deadlinesS: [] };

export function useAwaitingBank(): AwaitingBank {
  const { data } = useQuery({ ...queries.purchases, select: selectAwaitingBank });
  return data ?? NOTHING_AWAITED;
}
