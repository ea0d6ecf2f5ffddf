/** What a person's purchases come to. Pure. */
import type { Bilan } from "#contract/recit.ts";
import { eur } from "#domain/money.ts";
import type { MissedWish, PurchaseSums } from "#domain/story.ts";
import { FAILURE_CAUSES, MISS_CAUSES } from "./recit.ts";

/** What things like a purchase usually cost; both without shipping. */
export interface ComparedPurchase {
  readonly paidCents: number;
  readonly usual: { readonly medianCents: number; readonly sampleSize: number } | null;
}

interface BilanFacts {
  readonly sums: PurchaseSums;
  readonly misses: readonly MissedWish[];
  /** The latest purchases that could be compared with others. */
  readonly compared: readonly ComparedPurchase[];
  /** The month that runs now, "2026-03". */
  readonly monthKey: string;
}

export function presentBilan({ sums, misses, compared, monthKey }: BilanFacts): Bilan {
  const { spending, boughtCount, failures } = sums;
  const weeks = Map.groupBy(spending, ({ weekKey }) => weekKey);
  return {
    depense: {
      mois: eur(chargedCents(spending.filter((part) => part.monthKey === monthKey))),
      total: eur(chargedCents(spending)),
      semaines: Array.from(weeks, ([debut, parts]) => ({
        debut,
        montant: eur(chargedCents(parts)),
        achats: parts.reduce((sum, part) => sum + part.count, 0),
      })),
    },
    reussis: boughtCount,
    rates: failures.reduce((sum, failure) => sum + failure.count, 0),
    economie: savingOf(compared),
    confirmes: compared.length,
    pertes: lossesOf(failures, misses),
  };
}

function chargedCents(spending: PurchaseSums["spending"]): number {
  return spending.reduce((sum, part) => sum + part.chargedCents, 0);
}

function savingOf(compared: readonly ComparedPurchase[]): Bilan["economie"] {
  const known = compared.flatMap(({ paidCents, usual }) => (usual === null ? [] : [{ paidCents, ...usual }]));
  if (known.length === 0) return null;
  return {
    montant: signedEur(known.reduce((sum, { paidCents, medianCents }) => sum + medianCents - paidCents, 0)),
    achats: known.length,
    annonces: known.reduce((sum, { sampleSize }) => sum + sampleSize, 0),
  };
}

/** What was paid above the usual price is told as such. */
function signedEur(cents: number): ReturnType<typeof eur> {
  const { amount, currency_code } = eur(Math.abs(cents));
  return { amount: cents < 0 ? `-${amount}` : amount, currency_code };
}

function lossesOf(failures: PurchaseSums["failures"], misses: readonly MissedWish[]): Bilan["pertes"] {
  const counts = new Map<string, number>();
  const add = (cause: string, count: number): void =>
    void counts.set(cause, (counts.get(cause) ?? 0) + count);
  for (const { reason, count } of failures)
    add(reason === null ? "Cause inconnue" : FAILURE_CAUSES[reason], count);
  for (const { reason } of misses) add(MISS_CAUSES[reason], 1);
  return Array.from(counts, ([cause, nombre]) => ({ cause, nombre })).toSorted(
    (one, other) => other.nombre - one.nombre,
  );
}
