/** What the form says of a draft before it is saved: how much it would find, and what in it cannot work. Pure. */
import { categoryById, leafIdsUnder } from "#catalogue/categories.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { sizeById } from "#catalogue/sizes.ts";
import type { Apercu } from "#contract/filtre.ts";
import { formatCount, formatCounted, formatQuoted, formatSpan } from "../../../ui/format.ts";
import { limitOf, wordsOf, type FiltreDraft } from "./draft.ts";

const HOUR_MS = 60 * 60_000;
/** More than a person can look at. */
const BROAD_PER_HOUR = 60;
/** More than a person would want bought automatically. */
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

/** The warning for a filter that finds too many articles; undefined below the limits. */
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

export interface DraftWarning {
  /** never: nothing can match; partly: some of the choices have no effect. */
  readonly kind: "never" | "partly";
  readonly text: string;
}

export function warningsOf(draft: FiltreDraft): readonly DraftWarning[] {
  return [limitWarning(draft), wordsWarning(draft), sizesWarning(draft)].filter(
    (warning) => warning !== undefined,
  );
}

function limitWarning({ limitText }: FiltreDraft): DraftWarning | undefined {
  if (limitOf(limitText) > 0) return undefined;
  return { kind: "never", text: "À 0 €, ce filtre ne trouvera aucun article." };
}

/** A filter whose required words contain an excluded one, as whole words, matches no title. */
function wordsWarning({ wordsText, excludedText }: FiltreDraft): DraftWarning | undefined {
  const required = wordsOf(wordsText);
  const clash = wordsOf(excludedText).find((excluded) => {
    const unwanted = foldText(excluded);
    return unwanted !== "" && required.some((word) => ` ${foldText(word)} `.includes(` ${unwanted} `));
  });
  if (clash === undefined) return undefined;
  return {
    kind: "never",
    text: `${formatQuoted(clash)} est à la fois demandé et exclu : aucun titre ne peut convenir.`,
  };
}

/** A size counts only in the size group of the listing's own type. */
function sizesWarning({ typeIds, sizeIds }: FiltreDraft): DraftWarning | undefined {
  if (typeIds.length === 0 || sizeIds.length === 0) return undefined;
  const groups = new Set(
    typeIds.flatMap(leafIdsUnder).map((leafId) => categoryById(leafId)?.size_id ?? null),
  );
  const idle = sizeIds.filter((id) => !groups.has(sizeById(id)?.sizeGroupId ?? null));
  if (idle.length === 0) return undefined;
  if (idle.length === sizeIds.length) {
    return {
      kind: "never",
      text: "Aucun des types choisis n'a ces tailles : ce filtre ne trouvera aucun article.",
    };
  }
  const names = idle.map((id) => sizeById(id)?.title ?? String(id)).join(", ");
  return { kind: "partly", text: `Sans effet pour les types choisis : ${names}.` };
}
