import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { VendeurBloque } from "#contract/vendeur.ts";
import { useUnblockSeller } from "../../api/blocked-sellers.ts";
import { queries } from "../../api/queries.ts";
import { formatCount } from "../../ui/format.ts";
import { formatPurchaseDate } from "../../ui/format-panel.ts";
import { Guard } from "../../ui/loading/guard.tsx";
import { LeftOut } from "../../ui/notice.tsx";
import { leaveFocusAround } from "../../ui/windows/keep-focus.ts";
import { UnreadPart } from "../../ui/loading/unread-part.tsx";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";

/** The list may have 2,000 entries. */
const SHOWN_FIRST = 20;

/** The blocked sellers, each with a button to unblock. */
export function BlockedSellers() {
  const blocked = useQuery(queries.blockedSellers);
  const { data } = blocked;
  const [isWhole, setIsWhole] = useState(false);
  if (data === undefined)
    return (
      <UnreadPart query={blocked} height={64} label="Chargement des vendeurs bloqués">
        Vos vendeurs bloqués n'ont pas pu être lus. Ils le restent.
      </UnreadPart>
    );
  if (data.length === 0) return <p className="hint">Aucun vendeur bloqué.</p>;
  const shown = isWhole ? data : data.slice(0, SHOWN_FIRST);
  return (
    <div className="device-list blocked-sellers stack" data-gap="12">
      <ul className="ruled">
        {shown.map((seller) => (
          <Guard key={`${seller.id} ${seller.login}`} of={seller} fallback={null}>
            <SellerRow seller={seller} />
          </Guard>
        ))}
      </ul>
      {shown.length === data.length ? null : (
        <Button onClick={() => setIsWhole(true)}>Afficher les {formatCount(data.length)} vendeurs</Button>
      )}
      <LeftOut list="sellers" one="vendeur" many="vendeurs" />
    </div>
  );
}

function SellerRow({ seller: { login, depuis } }: { readonly seller: VendeurBloque }) {
  const unblock = useUnblockSeller();
  const press = (button: Element): void => {
    // The promise, not mutate's callbacks: the answer unmounts this row before those would run.
    leaveFocusAround(button);
    unblock.mutateAsync(login).then(({ message }) => showToast({ message }), showError);
  };
  return (
    <li>
      <div>
        <p>{login}</p>
        <p className="hint">Bloqué le {formatPurchaseDate(Math.floor(depuis / 1_000))}</p>
      </div>
      <Button
        aria-label={`Débloquer ${login}`}
        loading={unblock.isPending}
        onClick={({ currentTarget }) => press(currentTarget)}
      >
        Débloquer
      </Button>
    </li>
  );
}
