/** Why a filter finds nothing, and which criterion to widen: counts the matches of wider variants. */
import { MAX_LIMIT_EUR } from "#contract/bounds.ts";
import type { FiltreApercuInput } from "#contract/filtres/filtre-input.ts";
import type { Apercu, Filtre } from "#contract/filtres/filtre.ts";
import { formatEuros } from "../../ui/format.ts";
import { formatCounted, formatQuoted, formatSpan } from "../../ui/format-panel.ts";
import { asksForSeller, UNTESTED_SELLER_TEXT } from "../../ui/seller-conditions.ts";

/** Counts what these criteria would have found in the last day. */
type CountFilter = (criteria: FiltreApercuInput) => Promise<Apercu>;

export type Breadth =
  /** It finds listings: the next one may arrive at any moment. */
  | { readonly kind: "finds"; readonly apercu: Apercu }
  /** No listing of its types has been read yet. */
  | { readonly kind: "unread" }
  | { readonly kind: "narrow"; readonly apercu: Apercu; readonly wider: Wider | null };

/** The first change that would have found something. */
interface Wider {
  /** "Avec une limite de 60 €". */
  readonly condition: string;
  /** "Passer la limite à 60 €". */
  readonly action: string;
  readonly changes: Partial<Filtre>;
  readonly apercu: Apercu;
}

type Change = Omit<Wider, "apercu">;

const NO_CHOICE = { ids: [], names: [] };
const LIMIT_STEP_EUR = 5;
const LIMIT_GROWTH = 1.5;

/** Requests at most eight counts, one after the other, and stops at the first that finds something. */
export async function breadthOf(filtre: Filtre, count: CountFilter): Promise<Breadth> {
  const apercu = await count(filtre);
  if (apercu.articles > 0) return { kind: "finds", apercu };
  // With a limit of 0 no listing is examined, so a `vus` of 0 does not mean that none has been read.
  if (apercu.vus === 0 && filtre.limit > 0) return { kind: "unread" };
  return { kind: "narrow", apercu, wider: await firstWider(filtre, count) };
}

async function firstWider(filtre: Filtre, count: CountFilter): Promise<Wider | null> {
  const withoutLimit = await count({ ...filtre, limit: MAX_LIMIT_EUR });
  if (withoutLimit.prix !== null) {
    const change = limitChange(higherLimit(filtre.limit, Number(withoutLimit.prix.min.amount)));
    return { ...change, apercu: await count({ ...filtre, ...change.changes }) };
  }
  for (const change of changesFor(filtre)) {
    const apercu = await count({ ...filtre, ...change.changes });
    if (apercu.articles > 0) return { ...change, apercu };
  }
  return null;
}

/**
 * "« Jeans » aurait trouvé 14 articles en 24 h."; null if its conditions on sellers, which are not counted, could
 * refuse all of them.
 */
export function foundText({ tag, vendeur }: Filtre, apercu: Apercu, nowMs: number): string | null {
  return asksForSeller(vendeur) ? null : `${formatQuoted(tag)} aurait trouvé ${countText(apercu, nowMs)}.`;
}

/** "Avec une limite de 60 € : 14 articles en 24 h.", and whether conditions are not counted. */
export function widerText({ vendeur }: Filtre, { condition, apercu }: Wider, nowMs: number): string {
  const counted = `${condition} : ${countText(apercu, nowMs)}.`;
  return asksForSeller(vendeur) ? `${counted} ${UNTESTED_SELLER_TEXT}` : counted;
}

/** "14 articles en 24 h". */
function countText({ articles, depuis }: Apercu, nowMs: number): string {
  return `${formatCounted(articles, "article", "articles")} en ${formatSpan(nowMs - depuis)}`;
}

/** 1.5 times the limit, or the cheapest price if that is higher, rounded up to a multiple of 5 EUR. */
export function higherLimit(limitEur: number, cheapestEur: number): number {
  const wanted = Math.max(limitEur * LIMIT_GROWTH, cheapestEur);
  return Math.min(Math.ceil(wanted / LIMIT_STEP_EUR) * LIMIT_STEP_EUR, MAX_LIMIT_EUR);
}

function limitChange(limit: number): Change {
  return {
    condition: `Avec une limite de ${formatEuros(limit)}`,
    action: `Passer la limite à ${formatEuros(limit)}`,
    changes: { limit },
  };
}

/** The set criteria that can be removed, least important first. */
function changesFor(filtre: Filtre): readonly Change[] {
  const changes: readonly (Change & { readonly isSet: boolean })[] = [
    {
      isSet: filtre.mots.length > 0,
      condition: "Sans les mots à contenir",
      action: "Retirer ces mots",
      changes: { mots: [] },
    },
    {
      isSet: filtre.limit_min > 0,
      condition: "Sans prix minimum",
      action: "Retirer le prix minimum",
      changes: { limit_min: 0 },
    },
    {
      isSet: filtre.color !== "",
      condition: "Dans toutes les couleurs",
      action: "Prendre toutes les couleurs",
      changes: { color: "" },
    },
    {
      isSet: filtre.status.ids.length > 0,
      condition: "Dans tous les états",
      action: "Prendre tous les états",
      changes: { status: NO_CHOICE },
    },
    {
      isSet: filtre.sizes.ids.length > 0,
      condition: "Dans toutes les tailles",
      action: "Prendre toutes les tailles",
      changes: { sizes: NO_CHOICE },
    },
    {
      isSet: filtre.brands.ids.length > 0,
      condition: "Avec toutes les marques",
      action: "Prendre toutes les marques",
      changes: { brands: NO_CHOICE },
    },
  ];
  return changes.filter(({ isSet }) => isSet);
}
