import { Skeleton } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { Suspense } from "react";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { formatQuoted } from "../../ui/format-panel.ts";
import { WindowGuard } from "../../ui/loading/guard.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.ts";
import { PassingButton, ReadFailed, ScreenState } from "../../ui/notice.tsx";

const WhyNothing = lazyPart(async () => (await import("./why-nothing.tsx")).WhyNothing);

const SKELETONS = 12;

interface EmptyStreamProps {
  readonly isLoading: boolean;
  readonly hasFailed: boolean;
  readonly onRetry: () => unknown;
  readonly search: string;
  readonly onClearSearch: () => void;
  /** Undefined until they are read. */
  readonly filtres: readonly Filtre[] | undefined;
  readonly haveFiltersFailed: boolean;
  readonly onRetryFilters: () => unknown;
  /** Listings that are hidden because their seller is blocked. */
  readonly hiddenCount: number;
}

/** The stream without a listing: loading, failed, no search result, or an explanation of why it is empty. */
export function EmptyStream(props: EmptyStreamProps) {
  const { isLoading, hasFailed, onRetry, search, onClearSearch, filtres, hiddenCount } = props;
  const { haveFiltersFailed, onRetryFilters } = props;
  if (isLoading) return <LoadingCards />;
  if (hasFailed) return <ReadFailed what="Vos articles" onRetry={onRetry} />;
  if (search.trim() !== "") {
    return (
      <ScreenState
        icon={<IconSearch size={28} stroke={1.6} />}
        title="Rien pour cette recherche"
        text={`Aucun article affiché ne contient ${formatQuoted(search.trim())}.`}
      >
        <PassingButton onPress={onClearSearch}>Effacer la recherche</PassingButton>
      </ScreenState>
    );
  }
  if (haveFiltersFailed) return <ReadFailed what="Vos filtres" onRetry={onRetryFilters} />;
  if (filtres === undefined) return <LoadingCards />;
  // Without a filter, FirstSteps explains what to do.
  if (filtres.length === 0) return null;
  return (
    <WindowGuard>
      <Suspense>
        <WhyNothing filtres={filtres} hiddenCount={hiddenCount} />
      </Suspense>
    </WindowGuard>
  );
}

function LoadingCards() {
  return (
    <div className="produits__loading" role="status" aria-busy="true" aria-label="Chargement des articles">
      {Array.from({ length: SKELETONS }, (_, index) => (
        <Skeleton key={index} className="produits__skeleton" radius="lg" />
      ))}
    </div>
  );
}
