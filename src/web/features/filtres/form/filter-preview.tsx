import { useDebouncedValue } from "@mantine/hooks";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { Apercu } from "#contract/filtre.ts";
import { queries } from "../../../api/queries.ts";
import { useNowMs } from "../../../ui/now.ts";
import { bodyOf, emptyDraft, problemsOf, type FiltreDraft } from "./draft.ts";
import { breadthWarning, previewText, warningsOf, type DraftWarning } from "./preview-text.ts";

/** A pause in writing after which the count is asked for. */
const STILL_MS = 450;

/** What the draft would have found in the last day, and the worst of what in it cannot work; always in sight. */
export function FilterPreview({ draft }: { readonly draft: FiltreDraft }) {
  const isSound = Object.keys(problemsOf({ ...draft, tag: "" })).length === 0;
  const [still] = useDebouncedValue(draft, STILL_MS);
  const { data, isError } = useQuery({ ...queries.filterPreview(criteriaOf(still)), enabled: isSound });
  const nowMs = useNowMs();
  const isCounted = data !== undefined && isSound;
  const breadth = isCounted ? breadthWarning(data, { nowMs, isAutobuy: draft.autobuy }) : undefined;
  // A form that has just been opened is wide open; that is no mistake of the person's.
  const warning = hasChoice(draft) ? worstOf(warningsOf(draft), breadth) : undefined;
  const countText = (counted: Apercu | undefined): string => {
    if (warning?.kind === "never") return "0 article";
    return counted === undefined ? waitingText(isSound, isError) : previewText(counted, nowMs);
  };
  return (
    <section className="filter-preview" aria-label="Aperçu du filtre" role="status">
      <p className="filter-preview__count" data-quiet={!isCounted || undefined}>
        {countText(isCounted ? data : undefined)}
      </p>
      {warning === undefined ? null : (
        <p className="filter-preview__warning" data-kind={warning.kind}>
          <IconAlertTriangle size={16} stroke={1.9} aria-hidden="true" />
          {warning.text}
        </p>
      )}
    </section>
  );
}

function worstOf(warnings: readonly DraftWarning[], breadth: string | undefined): DraftWarning | undefined {
  const never = warnings.find(({ kind }) => kind === "never");
  return never ?? warnings[0] ?? (breadth === undefined ? undefined : { kind: "partly", text: breadth });
}

/** Whether the person has chosen anything yet of what the filter looks for, or that it buys. */
function hasChoice(draft: FiltreDraft): boolean {
  const chosenIn = (one: FiltreDraft): string => JSON.stringify([criteriaOf(one), one.autobuy]);
  return chosenIn(draft) !== chosenIn(emptyDraft);
}

function waitingText(isSound: boolean, isError: boolean): string {
  if (!isSound) return "Corrigez les champs signalés pour voir combien d'articles conviennent.";
  return isError ? "L'aperçu ne répond pas pour le moment ; le filtre s'enregistre sans lui." : "Comptage…";
}

function criteriaOf(draft: FiltreDraft) {
  const { types, brands, sizes, status, color, limit, mots, exclure } = bodyOf(draft);
  return { types, brands, sizes, status, color, limit, mots, exclure };
}
