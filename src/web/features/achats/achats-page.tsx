import { Button, Skeleton, Tabs } from "@mantine/core";
import { IconEyeOff, IconReceiptOff, IconShoppingBag } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { WindowVirtualizer } from "virtua";
import type { Achat } from "#contract/achat.ts";
import { ACHAT_ANNULE } from "#contract/bounds.ts";
import { call, errorText } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { useAsk } from "../../ui/ask.tsx";
import { ButtonLink } from "../../ui/button-link.tsx";
import { formatCount, formatCounted } from "../../ui/format.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { ReadFailed, ScreenState } from "../../ui/screen-state.tsx";
import { showToast } from "../../ui/toast.tsx";
import { AchatsAside } from "./achats-aside.tsx";
import { AchatRow } from "./achat-row.tsx";
import { purchasesIn, type AchatTab } from "./achat-status.ts";
import "./achats-page.css";

const SKELETONS = 5;

const tabs = [
  { key: "tous", label: "Tous les achats" },
  { key: "confirme", label: "Confirmé" },
  { key: "attente", label: "En attente" },
] as const;

/** A count of nothing would be a claim while nothing has been read yet. */
const UNREAD = "…";

export function AchatsPage() {
  const [tab, setTab] = useState<AchatTab>("tous");
  const purchases = useQuery(queries.purchases);
  const all = purchases.data ?? [];
  return (
    <div className="achats">
      <PageHeader
        title="Mes achats"
        actions={
          <>
            <HideCancelled purchases={all} />
            <ButtonLink to="/synapse/articles" leftSection={<IconShoppingBag size={18} stroke={1.8} />}>
              Produits
            </ButtonLink>
          </>
        }
      />
      <AchatsAside purchases={all} />
      <Tabs value={tab} onChange={(next) => setTab(tabs.find(({ key }) => key === next)?.key ?? "tous")}>
        <Tabs.List>
          {tabs.map(({ key, label }) => (
            <Tabs.Tab key={key} value={key}>
              {`${label} (${purchases.data === undefined ? UNREAD : formatCount(purchasesIn(key, all).length)})`}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} className="achats__panel">
          {purchases.data === undefined ? (
            <Reading hasFailed={purchases.isError} onRetry={() => void purchases.refetch()} />
          ) : (
            <AchatsList purchases={purchasesIn(tab, all)} onShowAll={() => setTab("tous")} />
          )}
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

function Reading({ hasFailed, onRetry }: { readonly hasFailed: boolean; readonly onRetry: () => void }) {
  if (hasFailed) return <ReadFailed what="Vos achats" onRetry={onRetry} />;
  return (
    <div className="achats__loading" role="status" aria-busy="true" aria-label="Chargement des achats">
      {Array.from({ length: SKELETONS }, (_, index) => (
        <Skeleton key={index} height={132} radius="lg" />
      ))}
    </div>
  );
}

interface AchatsListProps {
  readonly purchases: readonly Achat[];
  readonly onShowAll: () => void;
}

function AchatsList({ purchases, onShowAll }: AchatsListProps) {
  if (purchases.length === 0) {
    return (
      <ScreenState
        icon={<IconReceiptOff size={28} stroke={1.6} />}
        title="Aucuns achats trouvés"
        text="Vous n'avez pas encore réalisé d'achats."
      >
        <Button onClick={onShowAll}>Voir tous les achats</Button>
      </ScreenState>
    );
  }
  return (
    <WindowVirtualizer data={purchases} bufferSize={600}>
      {(purchase) => <AchatRow key={purchase._id} purchase={purchase} />}
    </WindowVirtualizer>
  );
}

/** Takes the cancelled purchases off the list; they are not erased. */
function HideCancelled({ purchases }: { readonly purchases: readonly Achat[] }) {
  const client = useQueryClient();
  const ask = useAsk();
  const count = purchases.filter(({ status }) => status === ACHAT_ANNULE).length;
  const { mutate, isPending } = useMutation({
    mutationFn: () => call("hidePurchases"),
    onSuccess: ({ message }) => showToast({ message }),
    onError: (error) => showToast({ message: errorText(error), tone: "bad" }),
    onSettled: () => client.invalidateQueries({ queryKey: queries.purchases.queryKey }),
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
