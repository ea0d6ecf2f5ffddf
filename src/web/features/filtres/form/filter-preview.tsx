import { useDebouncedValue } from "@mantine/hooks";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { categoryById, leafIdsUnder } from "#catalogue/categories.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { sizeById } from "#catalogue/sizes.ts";
import type { Apercu } from "#contract/filtres/filtre.ts";
import { queries } from "../../../api/queries.ts";
import { formatCount, HOUR_MS } from "../../../ui/format.ts";
import { formatCounted, formatQuoted, formatSpan } from "../../../ui/format-panel.ts";
import { WindowGuard } from "../../../ui/loading/guard.tsx";
import { useNowMs } from "../../../ui/now.ts";
import { asksForSeller, UNTESTED_SELLER_TEXT } from "../../../ui/seller-conditions.ts";
import { type DraftReplay, ReplayLine } from "../replay/replay-line.tsx";
import {
  bodyOf,
  criteriaOf,
  emptyDraft,
  problemsOf,
  type FiltreDraft,
  alternativesOf,
  limitOf,
  wordsOf,
} from "./draft.ts";

/** The count of the last day knows no earlier listings; the month below it does. */
const COUNTED_RELISTS_TEXT = "Le nombre sur 24 h compte aussi les republications.";

/** Debounce of the count request. */
const DEBOUNCE_MS = 450;

interface FilterPreviewProps {
  readonly draft: FiltreDraft;
  /** Null while no backtest can be requested. */
  readonly replay: DraftReplay | null;
}

/** What the draft would have found in the last day and month, and its most serious warning. */
export function FilterPreview({ draft, replay }: FilterPreviewProps) {
  const problem = firstProblemOf(draft);
  const isSound = problem === undefined;
  const [debounced] = useDebouncedValue(draft, DEBOUNCE_MS);
  const [wanted, asked] = [criteriaOf(draft), criteriaOf(debounced)];
  const { data, isError, isPlaceholderData } = useQuery({
    ...queries.filterPreview(asked),
    enabled: isSound,
  });
  const isOld = isPlaceholderData || JSON.stringify(wanted) !== JSON.stringify(asked);
  const nowMs = useNowMs();
  const isCounted = data !== undefined && isSound;
  const breadth = isCounted ? breadthWarning(data, { nowMs, isAutobuy: draft.autobuy }) : undefined;
  // An untouched form is broad by default, which deserves no warning.
  const warning = hasChoice(draft) ? worstOf(warningsOf(draft), breadth) : undefined;
  const countText = (counted: Apercu | undefined): string => {
    if (warning?.kind === "never") return "0 article";
    return counted === undefined ? waitingText(problem, isError) : previewText(counted, nowMs);
  };
  return (
    <section className="filter-preview stack" data-gap="4" aria-label="Aperçu du filtre" role="status">
      <p
        className="filter-preview__count"
        data-quiet={!isCounted || undefined}
        data-old={(isCounted && isOld && warning?.kind !== "never") || undefined}
      >
        <span>{countText(isCounted ? data : undefined)}</span>
      </p>
      {replay === null ? null : (
        <WindowGuard>
          <ReplayLine {...replay} />
        </WindowGuard>
      )}
      {isSound && asksForSeller(bodyOf(draft).vendeur) ? (
        <p className="hint">{UNTESTED_SELLER_TEXT}</p>
      ) : null}
      {isCounted && draft.ignoresRelists ? <p className="hint">{COUNTED_RELISTS_TEXT}</p> : null}
      {warning === undefined ? null : (
        <p
          className="filter-preview__warning hint toned"
          data-tone={warning.kind === "never" ? "bad" : "warning"}
          data-old={(isOld && warning.text === breadth) || undefined}
        >
          <IconAlertTriangle size={16} stroke={1.9} aria-hidden="true" />
          <span>{warning.text}</span>
        </p>
      )}
    </section>
  );
}

/** Ignores the tag, which does not affect what is found. */
function firstProblemOf(draft: FiltreDraft): string | undefined {
  return Object.values(problemsOf({ ...draft, tag: "" }))[0];
}

/** Whether a backtest is worth its cost: the draft has criteria, is valid and can match something. */
export function isWorthReplaying(draft: FiltreDraft): boolean {
  return (
    hasChoice(draft) &&
    firstProblemOf(draft) === undefined &&
    warningsOf(draft).every(({ kind }) => kind !== "never")
  );
}

function worstOf(warnings: readonly DraftWarning[], breadth: string | undefined): DraftWarning | undefined {
  const never = warnings.find(({ kind }) => kind === "never");
  return never ?? warnings[0] ?? (breadth === undefined ? undefined : { kind: "partly", text: breadth });
}

/** Whether the criteria or automatic buying differ from an empty form's. */
function hasChoice(draft: FiltreDraft): boolean {
  const chosenIn = (one: FiltreDraft): string => JSON.stringify([criteriaOf(one), one.autobuy]);
  return chosenIn(draft) !== chosenIn(emptyDraft);
}

/** Includes the problem, because its field may not be marked yet, or be folded. */
function waitingText(problem: string | undefined, isError: boolean): string {
  if (problem !== undefined) return `À corriger : ${problem}`;
  return isError ? "L'aperçu ne répond pas pour le moment ; le filtre s'enregistre sans lui." : "Comptage…";
}

/** More articles per hour than a person can look through. */
const BROAD_PER_HOUR = 60;
/** More articles per hour than a person would want bought automatically. */
const BROAD_AUTOBUY_PER_HOUR = 6;

/** "Sur 24 h : 14 articles, de 12 à 45 €". */
export function previewText(apercu: Apercu, nowMs: number): string {
  if (apercu.vus === 0) return "Rien n'a été lu récemment : impossible d'estimer.";
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
  // Less than an hour is not extrapolated: it includes listings that were online before the start.
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

/** No title can match if every alternative of a required word contains an excluded one, as whole words. */
function wordsWarning({ wordsText, excludedText }: FiltreDraft): DraftWarning | undefined {
  const excluded = wordsOf(excludedText).flatMap(alternativesOf);
  const clashOf = (word: string): string | undefined =>
    excluded.find((each) => {
      const unwanted = foldText(each);
      return unwanted !== "" && ` ${foldText(word)} `.includes(` ${unwanted} `);
    });
  const clash = wordsOf(wordsText)
    .map((member) => alternativesOf(member).map(clashOf))
    .find((clashes) => clashes.every((each) => each !== undefined))?.[0];
  if (clash === undefined) return undefined;
  return {
    kind: "never",
    text: `${formatQuoted(clash)} est à la fois demandé et exclu : aucun titre ne peut convenir.`,
  };
}

/** A size matches only within the size group of the listing's type. */
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
