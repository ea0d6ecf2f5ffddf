/** What the filter in the form would have found in 30 days, below its live count. */
import { Skeleton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Rejeu } from "#contract/filtres/rejeu.ts";
import { errorText } from "../../../api/client.ts";
import type { FiltreDraft } from "../form/draft.ts";
import { replayBodyOf, replayQuery } from "./replay-query.ts";
import { exampleText, NEVER_READ_TEXT } from "../../../ui/charts/day-text.ts";
import { PassingButton } from "../../../ui/notice.tsx";
import { headlineText, isNeverRead, seenText } from "./replay-texts.ts";

/** Debounce of the backtest; longer than the live count's, because it costs more. */
const DEBOUNCE_MS = 800;

export interface DraftReplay extends Pick<UseQueryResult<Rejeu>, "data" | "error" | "refetch"> {
  /** The data belong to an earlier draft: they only reserve their space. */
  readonly isOld: boolean;
}

/** @param isWorthwhile whether a draft is worth a backtest */
export function useDraftReplay(
  draft: FiltreDraft,
  groupId: string | null,
  isWorthwhile: (draft: FiltreDraft) => boolean,
): DraftReplay | null {
  const [debounced] = useDebouncedValue(draft, DEBOUNCE_MS);
  const isAsked = isWorthwhile(draft);
  const query = useQuery({
    ...replayQuery(debounced, groupId),
    placeholderData: keepPreviousData,
    enabled: isAsked && isWorthwhile(debounced),
  });
  if (!isAsked) return null;
  const { data, error, isPlaceholderData, refetch } = query;
  const [currentBody, debouncedBody] = [draft, debounced].map((each) =>
    JSON.stringify(replayBodyOf(each, groupId)),
  );
  return { data, error, refetch, isOld: isPlaceholderData || currentBody !== debouncedBody };
}

export function ReplayLine({ data, error, isOld, refetch }: DraftReplay) {
  if (data === undefined && error !== null && !isOld)
    return (
      <div className="filter-preview__replay row between">
        <span>{errorText(error)}</span>
        <PassingButton size="sm" variant="subtle" onPress={refetch}>
          Réessayer
        </PassingButton>
      </div>
    );
  if (data === undefined) return <Skeleton className="filter-preview__loading" height={14} width="80%" />;
  if (isNeverRead(data)) return <p className="filter-preview__replay">{NEVER_READ_TEXT}</p>;
  const isPartial = data.couverture.jours < data.periode.jours;
  const remark = isPartial ? seenText(data) : exampleText(data.couverture);
  return (
    <p className="filter-preview__replay" data-old={isOld || undefined}>
      <span>{headlineText(data)}</span>
      {remark === null ? null : <span className="hint">{remark}</span>}
    </p>
  );
}
