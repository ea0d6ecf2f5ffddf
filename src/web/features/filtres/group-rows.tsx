/** The groups of filters above the grid: what each has bought, and what is left. */
import { useMutation, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { IconEdit, IconStack2, IconTrash } from "@tabler/icons-react";
import { useId } from "react";
import type { Groupe } from "#contract/filtres/regles.ts";
import { call } from "../../api/client.ts";
import { reloadEverything } from "../../api/queries.ts";
import { ActionMenu } from "../../ui/action-menu.tsx";
import { formatCount, formatEuros, formatMoney } from "../../ui/format.ts";
import { formatCounted, formatQuoted } from "../../ui/format-panel.ts";
import { Guard } from "../../ui/loading/guard.tsx";
import { LeftOut, Notice, RetryButton } from "../../ui/notice.tsx";
import { TagBadge } from "../../ui/tag-badge.tsx";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { useAsk } from "../../ui/windows/ask.tsx";
import { keepFocusInPage } from "../../ui/windows/keep-focus.ts";

/** More groups are folded: they would fill a phone's screen above the first filter. */
const MOST_IN_SIGHT = 3;

interface GroupRowsProps {
  readonly query: Pick<UseQueryResult<readonly Groupe[]>, "data" | "isError" | "refetch">;
  readonly onEdit: (group: Groupe) => void;
}

export function GroupRows({ query: { data: groups, isError, refetch }, onEdit }: GroupRowsProps) {
  const askToDelete = useDeleteGroup();
  if (groups === undefined)
    return isError ? (
      <Notice tone="neutral" action={<RetryButton onRetry={refetch} />}>
        Vos groupes n'ont pas pu être lus. Leurs limites restent en vigueur.
      </Notice>
    ) : null;
  const unread = <LeftOut list="groups" one="groupe" many="groupes" />;
  if (groups.length === 0) return unread;
  const list = (
    <ul className="stack" data-gap="6" aria-label="Groupes de filtres">
      {groups.map((group) => (
        <Guard key={group._id} of={group} fallback={null}>
          <GroupRow group={group} onEdit={() => onEdit(group)} onDelete={() => void askToDelete(group)} />
        </Guard>
      ))}
    </ul>
  );
  return (
    <>
      {groups.length <= MOST_IN_SIGHT ? (
        list
      ) : (
        <details className="fold">
          <summary>{formatCounted(groups.length, "groupe", "groupes")}</summary>
          {list}
        </details>
      )}
      {unread}
    </>
  );
}

interface GroupRowProps {
  readonly group: Groupe;
  readonly onEdit: () => void;
  readonly onDelete: () => void;
}

function GroupRow({ group, onEdit, onDelete }: GroupRowProps) {
  const textId = useId();
  return (
    <li className="group-row line" data-complete={group.etat === "complet" || undefined}>
      <IconStack2 size={18} stroke={1.7} aria-hidden="true" />
      <p id={textId}>
        <strong className="clip">{group.nom}</strong>
        <span className="group-row__dot">{" · "}</span>
        <span>{progressText(group)}</span>
      </p>
      {group.etat === "complet" ? <TagBadge tone="good">Complet</TagBadge> : null}
      <ActionMenu
        label="Actions du groupe"
        describedBy={textId}
        actions={[
          { label: "Modifier", icon: <IconEdit size={18} stroke={1.7} />, onSelect: onEdit },
          { label: "Supprimer", icon: <IconTrash size={18} stroke={1.7} />, onSelect: onDelete },
        ]}
      />
    </li>
  );
}

/** "0 sur 1 · 0,00 € sur 60 €"; without a budget, only the amount spent. */
function progressText({ achats, budget, pris }: Groupe): string {
  const count = `${formatCount(pris.achats)} sur ${formatCount(achats)}`;
  const spent = formatMoney(pris.montant);
  return `${count} · ${spent}${budget === null ? "" : ` sur ${formatEuros(budget)}`}`;
}

function useDeleteGroup(): (group: Groupe) => Promise<void> {
  const client = useQueryClient();
  const ask = useAsk();
  const { mutate } = useMutation({
    mutationFn: (id: string) => call("deleteGroup", { body: { _id: id } }),
    onSuccess: ({ message }) => showToast({ message }),
    onError: showError,
    onSettled: async () => {
      await reloadEverything(client);
      // The row with the focused button has been unmounted.
      keepFocusInPage();
    },
  });
  return async ({ _id, nom }) => {
    const isSure = await ask({
      title: `Supprimer le groupe ${formatQuoted(nom)} ?`,
      text: "Ses filtres restent, mais leur achat automatique est coupé.",
      action: "Supprimer",
      keep: "Garder le groupe",
      isDangerous: true,
    });
    if (isSure) mutate(_id);
  };
}
