import { ActionIcon, Button } from "@mantine/core";
import {
  IconAdjustmentsHorizontal,
  IconSearch,
  IconLayoutGrid,
  IconLayoutList,
  IconArrowUp,
} from "@tabler/icons-react";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Suspense, useDeferredValue, useRef, useState, startTransition, useEffect } from "react";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { ReadSettings } from "../../api/panel-answers.ts";
import { useBlockCount, useIsBlocked, type IsBlocked } from "../../api/blocked-sellers.ts";
import { useLiveFeed } from "../../api/live/live-feed.ts";
import { useObservable } from "../../api/live/observable.ts";
import { queries } from "../../api/queries.ts";
import { formatCount } from "../../ui/format.ts";
import { formatCounted } from "../../ui/format-panel.ts";
import { lazyPart } from "../../ui/loading/lazy-part.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { parseFlag, usePreference } from "../../ui/preference.ts";
import { EmptyStream } from "./empty-stream.tsx";
import { FilterChips } from "./filter-chips.tsx";
import type { Need } from "./guidance.tsx";
import { LateAlertCard } from "./late-alert-card.tsx";
import { ProduitsList } from "./produits-list.tsx";
import { found, withoutSellers, type Layout } from "./rows.ts";
import "./produits-page.css";

const Guidance = lazyPart(async () => (await import("./guidance.tsx")).Guidance);

const CHIPS_ID = "barre-des-filtres";
const CHIPS_KEY = "synapse.barre-des-filtres";
/** The stream may begin at most this far down the first screen and still show whole cards there. */
const MAX_START_SHARE = 0.4;

export function ProduitsPage() {
  const feed = useLiveFeed();
  const items = useObservable(feed.items);
  // Arrivals render at a lower priority than user input.
  const drawnItems = useDeferredValue(items);
  const held = useObservable(feed.held);
  const recent = useQuery(queries.recentArticles);
  // Not the query's own state: its listings reach the feed a moment later.
  const hasRecent = useObservable(feed.hasRecent);
  const isRead = hasRecent || recent.isError;
  // Deferred as well: until the first articles are drawn, the stream is not empty but still loading.
  const isLoading = useDeferredValue(!isRead);
  // The server already omits sellers blocked before: the list may load after the first listings.
  const isBlocked = useStill(useIsBlocked(isRead), useBlockCount());
  const filters = useQuery(queries.filters);
  const [layout, setLayout] = usePreference(LAYOUT_KEY, parseLayout, "grid");
  const [hasChips, setHasChips] = usePreference(CHIPS_KEY, parseFlag, true);
  const [search, setSearch] = useState("");
  const stream = useRef<HTMLDivElement>(null);
  const deferredSearch = useDeferredValue(search);
  // The switch updates in its own frame; the cards change their layout in the next.
  const drawnLayout = useAfterPaint(layout);
  const visible = withoutSellers(drawnItems, isBlocked);
  const shown = found(visible, deferredSearch);
  // Held listings are counted too; a search does not change the count.
  const foundCount = withoutSellers(items, isBlocked).length + withoutSellers(held, isBlocked).length;

  return (
    <div className="produits stack">
      <PageHeader
        title="Produits"
        subtitle={
          // Zero may be shown only once the listings have been read.
          foundCount > 0 || hasRecent ? countLine(foundCount) : unreadLine(recent.isError)
        }
        actions={
          <>
            {/* A native input: Mantine's would add 4 kB to the first load, where nothing else needs it. */}
            <div className="produits__search">
              <IconSearch size={18} stroke={1.8} aria-hidden="true" />
              <input
                type="search"
                aria-label="Chercher dans les articles"
                placeholder="Chercher"
                value={search}
                onChange={(event) => setSearch(event.currentTarget.value)}
                data-search
              />
            </div>
            <Button
              className="produits__chips-toggle"
              leftSection={<IconAdjustmentsHorizontal size={18} stroke={1.8} />}
              aria-expanded={hasChips}
              aria-controls={CHIPS_ID}
              onClick={() => setHasChips(!hasChips)}
            >
              Filtres
            </Button>
            <LayoutSwitch layout={layout} onChange={setLayout} />
          </>
        }
      />
      {hasChips ? <Chips filters={filters} /> : null}
      <Needed filtres={filters.data} />
      <div ref={stream} className="produits__stream" tabIndex={-1}>
        <NewItemsPill
          isBlocked={isBlocked}
          onShow={() => {
            if (stream.current !== null) showStart(stream.current);
          }}
        />
        {shown.length > 0 ? (
          <ProduitsList items={shown} layout={drawnLayout} filtres={filters.data ?? []} />
        ) : (
          <EmptyStream
            isLoading={isLoading}
            hasFailed={recent.isError}
            onRetry={recent.refetch}
            search={deferredSearch}
            onClearSearch={() => setSearch("")}
            filtres={filters.data}
            haveFiltersFailed={filters.data === undefined && filters.isError}
            onRetryFilters={filters.refetch}
            hiddenCount={drawnItems.length - visible.length}
          />
        )}
      </div>
      {/* Below the articles, so that it does not shift them. Offered once a filter is active. */}
      {filters.data?.some(({ active }) => active) ? (
        <LateAlertCard isPlaced={foundCount > 0 ? shown.length > 0 : isRead} />
      ) : null}
    </div>
  );
}

/** Scrolls to the top of the page, or to the stream if its first cards would be below the fold there. */
function showStart(stream: HTMLElement): void {
  const startPx = stream.getBoundingClientRect().top + window.scrollY;
  if (startPx < window.innerHeight * MAX_START_SHARE) window.scrollTo({ top: 0 });
  else stream.scrollIntoView({ block: "start" });
  // The pressed button is unmounted: the next tab stop is then the first card.
  stream.focus({ preventScroll: true });
}

/** The filter bar, or an empty line of its height while the filters load: the stream below does not shift. */
function Chips({ filters }: { readonly filters: UseQueryResult<readonly Filtre[]> }) {
  if (filters.data !== undefined) return <FilterChips id={CHIPS_ID} filtres={filters.data} />;
  return filters.isError ? null : <div className="filter-chips line" aria-hidden="true" />;
}

function Needed({ filtres }: { readonly filtres: readonly Filtre[] | undefined }) {
  const { data: settings, errorUpdateCount } = useQuery(queries.settings);
  const isRead = settings !== undefined || errorUpdateCount > 0;
  const need = isRead ? needOf(settings, filtres) : null;
  const shown = useStill(need);
  // What was done is no longer asked for, also while arrivals are held.
  if (need === null || shown === null) return null;
  return (
    <Suspense>
      <Guidance need={shown} isConnected={settings?.etat === "connecte"} hasFilters={filtres?.length !== 0} />
    </Suspense>
  );
}

/** @param settings undefined if they cannot be read: without filters nothing else is on the page */
function needOf(settings: ReadSettings | undefined, filtres: readonly Filtre[] | undefined): Need | null {
  if (filtres === undefined) return null;
  if (settings?.etat === "absent" || filtres.length === 0) return "first-steps";
  return settings?.etat === "a_reconnecter" ? "reconnect" : null;
}

/**
 * What would move the articles: while arrivals are held, the value that was shown when holding began.
 * @param ownCount counts the person's own changes, which show at once
 */
function useStill<Value>(value: Value, ownCount = 0): Value {
  const isHolding = useObservable(useLiveFeed().holding);
  const [still, setStill] = useState({ value, ownCount });
  const isStill = isHolding && still.ownCount === ownCount;
  if (!isStill && still.value !== value) setStill({ value, ownCount });
  return isStill ? still.value : value;
}

function unreadLine(hasFailed: boolean): string {
  return hasFailed ? "Articles indisponibles" : "Chargement des articles…";
}

/** The specification's text, with a singular of its own. */
function countLine(count: number): string {
  return count === 1 ? "1 article trouvé sur Vinted" : `${formatCount(count)} articles trouvés sur Vinted`;
}

const LAYOUT_KEY = "synapse.disposition-produits";

function parseLayout(stored: unknown): Layout | undefined {
  return stored === "grid" || stored === "list" ? stored : undefined;
}

interface LayoutSwitchProps {
  readonly layout: Layout;
  readonly onChange: (layout: Layout) => void;
}

function LayoutSwitch({ layout, onChange }: LayoutSwitchProps) {
  return (
    <ActionIcon.Group className="layout-switch" aria-label="Disposition">
      <ActionIcon
        variant={layout === "grid" ? "default" : "outline"}
        aria-label="Grille"
        aria-pressed={layout === "grid"}
        onClick={() => onChange("grid")}
      >
        <IconLayoutGrid size={20} stroke={1.7} />
      </ActionIcon>
      <ActionIcon
        variant={layout === "list" ? "default" : "outline"}
        aria-label="Liste"
        aria-pressed={layout === "list"}
        onClick={() => onChange("list")}
      >
        <IconLayoutList size={20} stroke={1.7} />
      </ActionIcon>
    </ActionIcon.Group>
  );
}

interface NewItemsPillProps {
  readonly isBlocked: IsBlocked;
  /** Brings the start of the stream into view. */
  readonly onShow: () => void;
}

/** The number of held listings; a press shows them and scrolls up to them. */
function NewItemsPill({ isBlocked, onShow }: NewItemsPillProps) {
  const feed = useLiveFeed();
  const count = withoutSellers(useObservable(feed.held), isBlocked).length;
  const show = (): void => {
    feed.showHeld();
    onShow();
  };
  return (
    <div className="new-items-pill" role="status">
      {count === 0 ? null : (
        <Button
          variant="filled"
          radius="xl"
          leftSection={<IconArrowUp size={16} stroke={2.4} aria-hidden="true" />}
          onClick={show}
        >
          {formatCounted(count, "nouvel article", "nouveaux articles")}
        </Button>
      )}
    </div>
  );
}

/**
 * The value, updated in a transition after the next paint: a pressed control updates at once, the
 * expensive rendering that depends on the value follows.
 */
function useAfterPaint<Value>(value: Value): Value {
  const [shown, setShown] = useState(value);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setShown(value)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [value]);
  return shown;
}
