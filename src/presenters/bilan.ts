/** What a person's purchases come to. Pure. */
import type { Bilan } from "#contract/recit.ts";
import { eur } from "#domain/money.ts";
import type { PurchaseState } from "#domain/purchase.ts";
import type { MissedWish, PurchaseStory } from "#domain/story.ts";
import { FAILURE_CAUSES, MISS_CAUSES } from "./recit.ts";

/** What things like a purchase usually cost; both without shipping. */
export interface ComparedPurchase {
  readonly paidCents: number;
  readonly usual: { readonly medianCents: number; readonly sampleSize: number } | null;
}

interface BilanFacts {
  readonly stories: readonly PurchaseStory[];
  readonly misses: readonly MissedWish[];
  /** One for each of `comparable(stories)`. */
  readonly compared: readonly ComparedPurchase[];
  /** The month that runs now, "2026-03". */
  readonly monthKey: string;
}

const BOUGHT: ReadonlySet<PurchaseState> = new Set(["confirmed", "cancelling", "cancel_unknown"]);

/** Purchases of ours that were really paid and still stand: what a saving can be told of. */
export function comparable(stories: readonly PurchaseStory[]): readonly PurchaseStory[] {
  return stories.filter(({ purchase }) => purchase.source !== "external" && isBought(purchase));
}

export function presentBilan({ stories, misses, compared, monthKey }: BilanFacts): Bilan {
  const paid = stories.filter(({ purchase }) => isBought(purchase));
  const failed = stories.filter(({ purchase }) => purchase.mode === "live" && purchase.state === "failed");
  return {
    depense: {
      mois: eur(chargedCents(paid.filter(({ purchase }) => purchase.monthKey === monthKey))),
      total: eur(chargedCents(paid)),
    },
    reussis: comparable(stories).length,
    rates: failed.length,
    economie: savingOf(compared),
    confirmes: compared.length,
    pertes: lossesOf(failed, misses),
  };
}

function isBought({ mode, state }: PurchaseStory["purchase"]): boolean {
  return mode === "live" && BOUGHT.has(state);
}

function chargedCents(stories: readonly PurchaseStory[]): number {
  return stories.reduce(
    (sum, { purchase }) => sum + (purchase.chargedCents ?? purchase.listing.totalPriceCents),
    0,
  );
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

function lossesOf(failed: readonly PurchaseStory[], misses: readonly MissedWish[]): Bilan["pertes"] {
  const causes = [
    ...failed.map(({ purchase: { failureReason } }) =>
      failureReason === null ? "Cause inconnue" : FAILURE_CAUSES[failureReason],
    ),
    ...misses.map(({ reason }) => MISS_CAUSES[reason]),
  ];
  return [...Map.groupBy(causes, (cause) => cause)]
    .map(([cause, all]) => ({ cause, nombre: all.length }))
    .toSorted((one, other) => other.nombre - one.nombre);
}
