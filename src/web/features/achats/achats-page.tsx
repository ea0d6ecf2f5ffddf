import { Button, Skeleton, Tabs } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import {
  IconDownload,
  IconEyeOff,
  IconReceiptOff,
  IconShoppingBag,
  IconTargetOff,
} from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { WindowVirtualizer } from "virtua";
import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE, PURCHASES_PER_PAGE } from "#contract/bounds.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import { call, errorText } from "../../api/client.ts";
import { logFailure } from "../../api/log.ts";
import { type PurchasePage, queries } from "../../api/queries.ts";
import { formatCount } from "../../ui/format.ts";
import { formatCounted } from "../../ui/format-panel.ts";
import { Guard, LazyWindow, WindowGuard } from "../../ui/loading/guard.tsx";
import {
  ButtonLink,
  LeftOutLine,
  Notice,
  PassingButton,
  ReadFailed,
  RetryButton,
  ScreenState,
} from "../../ui/notice.tsx";
import { lazyPart } from "../../ui/loading/lazy-part.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { LoadingList } from "../../ui/loading/unread-part.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { keepFocusInPage } from "../../ui/windows/keep-focus.ts";
import { useAsk } from "../../ui/windows/ask.tsx";
import { AchatRow } from "./achat-row.tsx";
import { purchasesIn, type AchatTab } from "./achat-status.ts";
import "./achats-page.css";

const SKELETONS_PX = [132, 132, 132, 132, 132];

const tabs = [
  { key: "tous", label: "Tous les achats" },
  { key: "confirme", label: "Confirmé" },
  { key: "attente", label: "En attente" },
] as const;

const ICON = { size: 17, stroke: 1.7 } as const;

const MissedModal = lazyPart(async () => (await import("./missed-modal.tsx")).MissedModal);
const Bilan = lazyPart(async () => (await import("./bilan.tsx")).Bilan);

/** Stands for a count that is not read yet: 0 would be a statement. */
const UNREAD = "…";

export function AchatsPage() {
  const [tab, setTab] = useState<AchatTab>("tous");
  const { purchases, leftOutCount, isComplete, hasFailed, retry } = useAllPurchases();
  const countText = (key: AchatTab): string => {
    if (purchases === undefined || (!isComplete && !hasFailed)) return UNREAD;
    return `${formatCount(purchasesIn(key, purchases).length)}${isComplete ? "" : "+"}`;
  };
  return (
    <div className="achats stack">
      <PageHeader
        title="Mes achats"
        actions={
          <>
            <HideCancelled purchases={purchases ?? []} />
            <ButtonLink to="/synapse/articles" leftSection={<IconShoppingBag size={18} stroke={1.8} />}>
              Produits
            </ButtonLink>
          </>
        }
      />
      <WindowGuard>
        <Suspense fallback={<Skeleton className="achats__bilan-loading" radius="lg" />}>
          <Bilan hasPurchases={purchases !== undefined && purchases.length > 0} />
        </Suspense>
      </WindowGuard>
      <Aside purchases={purchases ?? []} isComplete={isComplete} />
      <Tabs value={tab} onChange={(next) => setTab(tabs.find(({ key }) => key === next)?.key ?? "tous")}>
        <Tabs.List>
          {tabs.map(({ key, label }) => (
            <Tabs.Tab key={key} value={key}>
              {`${label} (${countText(key)})`}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} pt={16}>
          {purchases === undefined ? (
            <Reading hasFailed={hasFailed} onRetry={retry} />
          ) : (
            <AchatsList key={tab} purchases={purchasesIn(tab, purchases)} onShowAll={() => setTab("tous")} />
          )}
          {purchases !== undefined && !isComplete && hasFailed ? (
            <Notice tone="neutral" action={<RetryButton onRetry={retry} />}>
              Vos achats plus anciens n'ont pas pu être lus.
            </Notice>
          ) : null}
          <LeftOutLine count={leftOutCount} one="achat" many="achats" />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

interface AllPurchases {
  /** Newest first; undefined until the newest page is read. */
  readonly purchases: readonly Achat[] | undefined;
  /** Number of purchases that could not be parsed. */
  readonly leftOutCount: number;
  /** The older purchases are read too. */
  readonly isComplete: boolean;
  readonly hasFailed: boolean;
  readonly retry: () => unknown;
}

/** The newest page, which the whole panel keeps up to date, and, if it is full, all older purchases. */
function useAllPurchases(): AllPurchases {
  const newest = useQuery(queries.purchases);
  const { data: page } = newest;
  const lastId = page?.purch.at(-1)?._id;
  const isFull = page !== undefined && page.count >= PURCHASES_PER_PAGE && lastId !== undefined;
  const older = useQuery({ ...queries.olderPurchases(lastId ?? ""), enabled: isFull });
  const read = isFull ? older : newest;
  const olderPage = isFull ? older.data : undefined;
  return {
    purchases: page && merged(page.purch, olderPage?.purch ?? []),
    leftOutCount: leftOutOf(page) + leftOutOf(olderPage),
    isComplete: read.data !== undefined && !read.isPlaceholderData,
    hasFailed: read.isError && read.data === undefined,
    retry: read.refetch,
  };
}

function leftOutOf(page: PurchasePage | undefined): number {
  return page === undefined ? 0 : page.count - page.purch.length;
}

/** The newest page wins for a purchase in both, because it receives the live updates. */
function merged(newest: readonly Achat[], older: readonly Achat[]): readonly Achat[] {
  const known = new Set(newest.map(({ _id }) => _id));
  return [...newest, ...older.filter(({ _id }) => !known.has(_id))];
}

function Reading({ hasFailed, onRetry }: { readonly hasFailed: boolean; readonly onRetry: () => unknown }) {
  if (hasFailed) return <ReadFailed what="Vos achats" onRetry={onRetry} />;
  return <LoadingList gap="12" label="Chargement des achats" heights={SKELETONS_PX} />;
}

interface AsideProps {
  readonly purchases: readonly Achat[];
  readonly isComplete: boolean;
}

function Aside({ purchases, isComplete }: AsideProps) {
  const missed = useMissedWindow();
  const { data: filters } = useQuery(queries.filters);
  return (
    <>
      <div className="achats-aside row" data-gap="4" role="group" aria-label="Autour de mes achats">
        <Button variant="subtle" leftSection={<IconTargetOff {...ICON} />} onClick={missed.open}>
          Achats manqués
        </Button>
        {purchases.length === 0 ? null : (
          <Button
            variant="subtle"
            leftSection={<IconDownload {...ICON} />}
            // A partial export would look like a complete one.
            disabled={!isComplete}
            onClick={() => void download(purchases, filters)}
          >
            Exporter (CSV)
          </Button>
        )}
      </div>
      <LazyWindow isOpen={missed.isOpen} onClose={missed.close}>
        <MissedModal isOpen={missed.isOpen} onClose={missed.close} />
      </LazyWindow>
    </>
  );
}

/** The state is in the URL, so that a toast can link to the window and "back" closes it. */
function useMissedWindow() {
  const navigate = useNavigate();
  const { manques } = useSearch({ from: "/synapse/achats" });
  const go = (search: { manques?: true }, replace: boolean): void =>
    void navigate({ to: "/synapse/achats", search, replace, resetScroll: false });
  return {
    isOpen: manques === true,
    open: () => go({ manques: true }, false),
    close: () => go({}, true),
  };
}

/** The file is generated in the browser. */
async function download(purchases: readonly Achat[], filters: readonly Filtre[] | undefined): Promise<void> {
  try {
    const { purchasesCsv } = await import("./purchases-csv.ts");
    const tags = filters === undefined ? null : new Map(filters.map(({ _id, tag }) => [_id, tag]));
    saveFile("synapse-achats.csv", purchasesCsv(purchases, tags), "text/csv");
    const what = formatCounted(purchases.length, "achat enregistré", "achats enregistrés");
    showToast({ message: `${what} dans synapse-achats.csv.`, tone: "neutral" });
  } catch (error) {
    showError(error);
  }
}

interface AchatsListProps {
  readonly purchases: readonly Achat[];
  readonly onShowAll: () => void;
}

function AchatsList({ purchases, onShowAll }: AchatsListProps) {
  // Kept here: a row that new purchases push far down is unmounted.
  const [openWhys, setOpenWhys] = useState<ReadonlySet<string>>(new Set());
  const { ref: start, inViewport: isStartInSight } = useInViewport();
  const isShifted = useShift(purchases, isStartInSight);
  const toggleWhy = (id: string): void =>
    setOpenWhys((open) => new Set(open.has(id) ? [...open].filter((other) => other !== id) : [...open, id]));
  if (purchases.length === 0) {
    return (
      <ScreenState
        icon={<IconReceiptOff size={28} stroke={1.6} />}
        title="Aucuns achats trouvés"
        text="Vous n'avez pas encore réalisé d'achats."
      >
        <PassingButton onPress={onShowAll}>Voir tous les achats</PassingButton>
      </ScreenState>
    );
  }
  return (
    <>
      <div ref={start} />
      <WindowVirtualizer data={purchases} bufferSize={600} shift={isShifted}>
        {(purchase) => (
          <Guard key={purchase._id} of={purchase} fallback={<UnreadableRow purchase={purchase} />}>
            <AchatRow
              purchase={purchase}
              isWhyOpen={openWhys.has(purchase._id)}
              onToggleWhy={() => toggleWhy(purchase._id)}
            />
          </Guard>
        )}
      </WindowVirtualizer>
    </>
  );
}

/** Whether the last change only added purchases before those that are read, further down: they must not move. */
function useShift(purchases: readonly Achat[], isStartInSight: boolean): boolean {
  const { length } = purchases;
  const firstId = purchases[0]?._id;
  const [known, setKnown] = useState({ firstId, length, isShifted: false });
  if (known.firstId !== firstId || known.length !== length) {
    const isPrepended = known.firstId !== firstId && purchases.some(({ _id }) => _id === known.firstId);
    setKnown({ firstId, length, isShifted: isPrepended && !isStartInSight });
  }
  return known.isShifted;
}

/** A purchase stays visible even if its row fails to render. */
function UnreadableRow({ purchase }: { readonly purchase: Achat }) {
  return (
    <Notice tone="bad">
      {`Cet achat n'a pas pu s'afficher${purchase.id_transaction === null ? "" : ` (transaction ${purchase.id_transaction})`}.`}
    </Notice>
  );
}

/** Hides the cancelled purchases from the list; they are not deleted. */
function HideCancelled({ purchases }: { readonly purchases: readonly Achat[] }) {
  const client = useQueryClient();
  const ask = useAsk();
  const count = purchases.filter(({ status }) => status === ACHAT_ANNULE).length;
  const { mutate, isPending } = useMutation({
    mutationFn: () => call("hidePurchases"),
    onSuccess: ({ message }) => showToast({ message }),
    // Only logged (specification §8): the list stays as it is.
    onError: (error) => logFailure("hiding purchases failed", { error: errorText(error) }),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: queries.purchases.queryKey });
      keepFocusInPage();
    },
  });
  if (count === 0) return null;
  const hide = async (): Promise<void> => {
    const what = formatCounted(count, "achat annulé", "achats annulés");
    const isSure = await ask({
      title: `Retirer ${what} ?`,
      text: "Ils quittent la liste, mais ne sont pas effacés de nos registres.",
      action: "Retirer",
      keep: "Laisser dans la liste",
    });
    if (isSure) mutate();
  };
  return (
    <Button
      loading={isPending}
      leftSection={<IconEyeOff size={18} stroke={1.8} />}
      onClick={() => void hide()}
    >
      Retirer les achats annulés
    </Button>
  );
}
