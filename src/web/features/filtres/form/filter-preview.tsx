import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../api/queries.ts";
import { Notice } from "../../../ui/notice.tsx";
import { useNowMs } from "../../../ui/now.ts";
import { bodyOf, problemsOf, type FiltreDraft } from "./draft.ts";
import { warningsOf } from "./draft-warnings.ts";
import { breadthWarning, previewText } from "./preview-text.ts";
import "./filter-preview.css";

/** A pause in writing after which the count is asked for. */
const STILL_MS = 450;

/** What the draft would have found in the last day, and what in it cannot work; told while it is being written. */
export function FilterPreview({ draft }: { readonly draft: FiltreDraft }) {
  const isSound = Object.keys(problemsOf({ ...draft, tag: "" })).length === 0;
  const [still] = useDebouncedValue(draft, STILL_MS);
  const { data, isError } = useQuery({ ...queries.filterPreview(criteriaOf(still)), enabled: isSound });
  const nowMs = useNowMs();
  const warnings = warningsOf(draft);
  const isHopeless = warnings.some(({ kind }) => kind === "never");
  const isCounted = data !== undefined && !isHopeless && isSound;
  const breadth = isCounted ? breadthWarning(data, { nowMs, isAutobuy: draft.autobuy }) : undefined;
  return (
    <section className="filter-preview" aria-label="Aperçu du filtre" role="status">
      {isHopeless ? null : (
        <p className="filter-preview__count" data-quiet={!isCounted || undefined}>
          {isCounted ? previewText(data, nowMs) : waitingText(isSound, isError)}
        </p>
      )}
      {warnings.map(({ kind, text }) => (
        <Notice key={text} tone={kind === "never" ? "bad" : "warning"}>
          {text}
        </Notice>
      ))}
      {breadth === undefined ? null : <Notice tone="warning">{breadth}</Notice>}
    </section>
  );
}

function waitingText(isSound: boolean, isError: boolean): string {
  if (!isSound) return "Corrigez les champs signalés pour voir combien d'articles conviennent.";
  return isError ? "L'aperçu ne répond pas pour le moment ; le filtre s'enregistre sans lui." : "Comptage…";
}

function criteriaOf(draft: FiltreDraft) {
  const { types, brands, sizes, status, color, limit, mots, exclure } = bodyOf(draft);
  return { types, brands, sizes, status, color, limit, mots, exclure };
}
