/** What the live count of a draft says. Pure. */
import type { Apercu } from "#contract/filtre.ts";
import { formatCount, formatCounted, formatSpan } from "../../../ui/format.ts";

const HOUR_MS = 60 * 60_000;
/** More than anybody can look at. */
const BROAD_PER_HOUR = 60;
/** More than anybody would want to be bought for them. */
const BROAD_AUTOBUY_PER_HOUR = 6;

/** "Sur 24 h : 14 articles, de 12 à 45 €". */
export function previewText(apercu: Apercu, nowMs: number): string {
  if (apercu.vus === 0) return "Rien n'a encore été vu de ces types : impossible d'estimer.";
  const span = formatSpan(nowMs - apercu.depuis);
  if (apercu.articles === 0) {
    return `Sur ${span} : aucun article, parmi ${formatCounted(apercu.vus, "examiné", "examinés")}.`;
  }
  return `Sur ${span} : ${formatCounted(apercu.articles, "article", "articles")}${pricesText(apercu)}`;
}

/** What is wrong with so many finds; undefined when the number is one that a person can follow. */
export function breadthWarning(
  { articles, depuis }: Apercu,
  { nowMs, isAutobuy }: { readonly nowMs: number; readonly isAutobuy: boolean },
): string | undefined {
  // The stock that was there at the start is no rate: less than an hour says nothing of an hour.
  const spanMs = nowMs - depuis;
  const perHour = (articles * HOUR_MS) / Math.max(spanMs, HOUR_MS);
  const rate =
    spanMs < HOUR_MS
      ? `déjà ${formatCounted(articles, "article vu", "articles vus")} en moins d'une heure`
      : `environ ${formatCount(Math.round(perHour))} articles par heure`;
  if (isAutobuy && perHour > BROAD_AUTOBUY_PER_HOUR) {
    return `Très large pour un achat automatique : ${rate}. Vos garde-fous seraient vite atteints.`;
  }
  return perHour > BROAD_PER_HOUR
    ? `Très large : ${rate}. Précisez les types, les marques ou le prix.`
    : undefined;
}

function pricesText({ prix }: Apercu): string {
  if (prix === null) return "";
  const [min, max] = [eurosText(prix.min.amount), eurosText(prix.max.amount)];
  return min === max ? `, à ${min}\u00A0€` : `, de ${min} à ${max}\u00A0€`;
}

/** "12", "12,50". */
function eurosText(amount: string): string {
  const euros = Number(amount);
  const digits = Number.isInteger(euros) ? 0 : 2;
  return new Intl.NumberFormat("fr-FR", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(euros);
}
