import { ActionIcon, Checkbox, Switch } from "@mantine/core";
import {
  IconBolt,
  IconCopy,
  IconEdit,
  IconEye,
  IconLock,
  IconShare2,
  IconStack2,
  IconTag,
  IconTrash,
  IconBellOff,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useId, type ReactNode } from "react";
import { autobuyLabel, planByKey } from "#catalogue/plans.ts";
import type { FiltreActivite } from "#contract/filtres/filtre.ts";
import type { Groupe } from "#contract/filtres/regles.ts";
import type { Utilisateur } from "#contract/compte.ts";
import { PARTIAL_FILTER_TEXT, useFiltreFlag } from "../../api/commands.ts";
import type { ReadFilter } from "../../api/panel-answers.ts";
import { LINK_MARK } from "../../api/shared-filter.ts";
import { ActionMenu } from "../../ui/action-menu.tsx";
import { pastText } from "../../ui/charts/day-text.ts";
import { Notice } from "../../ui/notice.tsx";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { TagBadge, Tip } from "../../ui/tag-badge.tsx";
import { Activity } from "./filtre-activity.tsx";
import { factText, stopText, type ColumnName } from "./filtre-facts.ts";
import { alertLabel } from "./form/alert-fields.tsx";
import "./filtre-card.css";

const LOCKED_TEXT = "Réservé aux offres Acquire et Thunder";

interface FiltreCardProps {
  readonly filtre: ReadFilter;
  readonly user: Utilisateur;
  readonly columns: readonly ColumnName[];
  readonly activity: FiltreActivite | undefined;
  readonly group: Groupe | undefined;
  readonly isPartial: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
  readonly onEdit: () => void;
  readonly onDuplicate: () => void;
  readonly onDelete: () => void;
}

export function FiltreCard({
  filtre,
  user,
  columns,
  activity,
  group,
  isPartial,
  isSelected,
  onSelect,
  onEdit,
  onDuplicate,
  onDelete,
}: FiltreCardProps) {
  const titleId = useId();
  // A normal card would show default values for unread fields, and its switches send the whole filter.
  if (filtre.isPartial === true) return <PartialFiltreCard filtre={filtre} onDelete={onDelete} />;
  return (
    <article
      className="filtre-card card"
      aria-labelledby={titleId}
      data-active={filtre.active || undefined}
      data-selected={isSelected || undefined}
    >
      <header className="line" data-gap="0">
        <label className="filtre-card__select centred touch-square">
          <Checkbox
            size="sm"
            aria-label={`Sélectionner ${filtre.tag}`}
            checked={isSelected}
            onChange={(event) => onSelect(event.currentTarget.checked)}
          />
        </label>
        <h2 id={titleId}>{filtre.tag}</h2>
        <Tip text="Modifier" align="end">
          <ActionIcon aria-label="Modifier" aria-describedby={titleId} onClick={onEdit}>
            <IconEdit size={19} stroke={1.7} />
          </ActionIcon>
        </Tip>
        <Tip text="Supprimer" align="end">
          <ActionIcon
            className="filtre-card__delete"
            aria-label="Supprimer"
            aria-describedby={titleId}
            onClick={onDelete}
          >
            <IconTrash size={19} stroke={1.7} />
          </ActionIcon>
        </Tip>
        <ActionMenu
          label="Autres actions"
          describedBy={titleId}
          actions={[
            { label: "Dupliquer", icon: <IconCopy size={18} stroke={1.7} />, onSelect: onDuplicate },
            {
              label: "Partager",
              icon: <IconShare2 size={18} stroke={1.7} />,
              onSelect: () => void copyLink(filtre),
            },
          ]}
        />
      </header>
      <Badges filtre={filtre} user={user} group={group} activity={activity} />
      <Activity filtre={filtre} activity={activity} isPartial={isPartial} />
      {columns.length === 0 ? null : (
        <dl className="filtre-card__facts stack" data-gap="6">
          {columns.map((column) => (
            <div key={column}>
              <dt>{column}</dt>
              <dd>{factText(filtre, column)}</dd>
            </div>
          ))}
        </dl>
      )}
      <Toggles filtre={filtre} user={user} />
    </article>
  );
}

const COPIED_TEXT = "Lien copié : il ne contient ni achat automatique, ni paiement, ni info.";

async function copyLink(filtre: ReadFilter): Promise<void> {
  const link = await linkOf(filtre).catch(showError);
  if (link === undefined) return;
  try {
    await navigator.clipboard.writeText(link);
    showToast({ message: COPIED_TEXT });
  } catch {
    // No clipboard permission, or no secure context: the user copies the link by hand.
    window.prompt("Copiez ce lien :", link);
  }
}

async function linkOf(filtre: ReadFilter): Promise<string> {
  const { packFilter } = await import("./filter-link.ts");
  return `${window.location.origin}/synapse/filtres${LINK_MARK}${await packFilter(filtre)}`;
}

/** A filter that could not be read in full can only be deleted, which also stops it. */
export function PartialFiltreCard({ filtre, onDelete }: Pick<FiltreCardProps, "filtre" | "onDelete">) {
  const titleId = useId();
  return (
    <article className="filtre-card card" aria-labelledby={titleId}>
      <header className="line" data-gap="0">
        <h2 id={titleId}>{filtre.tag}</h2>
        <ActionIcon
          variant="danger-quiet"
          aria-label="Supprimer"
          aria-describedby={titleId}
          onClick={onDelete}
        >
          <IconTrash size={19} stroke={1.7} />
        </ActionIcon>
      </header>
      <Notice tone="warning">{PARTIAL_FILTER_TEXT}</Notice>
    </article>
  );
}

function Badges({
  filtre,
  user,
  group,
  activity,
}: Pick<FiltreCardProps, "filtre" | "user" | "group" | "activity">) {
  const label = autobuyLabel(user.level) ?? "Acquire";
  const stop = stopText(filtre, { group, bought: activity?.achetes });
  return (
    <div className="filtre-card__badges row" data-gap="6">
      {filtre.autobuy ? (
        <TagBadge
          tone={label === "Thunder" ? "thunder" : "acquire"}
          icon={<IconBolt size={13} stroke={2.2} />}
        >
          {label}
        </TagBadge>
      ) : null}
      <TagBadge
        tone="neutral"
        icon={filtre.private ? <IconLock size={13} stroke={2} /> : <IconEye size={13} stroke={2} />}
      >
        {filtre.private ? "Privé" : "Publique"}
      </TagBadge>
      <BargainBadge percent={filtre.bon_prix} />
      {filtre.simulation ? <TagBadge tone="neutral">Simulation</TagBadge> : null}
      {filtre.active ? null : <TagBadge tone="neutral">En pause</TagBadge>}
      {filtre.alerte === "sonore" ? null : (
        <TagBadge tone="neutral" icon={<IconBellOff size={13} stroke={2} />}>
          Alertes : {alertLabel(filtre.alerte)}
        </TagBadge>
      )}
      {group === undefined ? null : (
        <TagBadge tone="neutral" icon={<IconStack2 size={13} stroke={2} />}>
          <span className="clip">Groupe : {group.nom}</span>
        </TagBadge>
      )}
      {stop === null ? null : <TagBadge tone="waiting">Arrêté : {stop}</TagBadge>}
      <Link
        className="filtre-card__replay"
        to="/synapse/filtres/rejeu"
        search={{ f: filtre._id }}
        aria-label={`${pastText("Sur")} : ${filtre.tag}`}
      >
        {pastText("Sur")}
      </Link>
    </div>
  );
}

/** The filter's condition on the usual price (`bon_prix`): "Bon prix : 10 %"; nothing without one. */
export function BargainBadge({ percent }: { readonly percent: ReadFilter["bon_prix"] }) {
  if (percent === null) return null;
  return (
    <TagBadge tone="accent" icon={<IconTag size={13} stroke={2} />}>
      {`Bon prix : ${percent}\u00A0%`}
    </TagBadge>
  );
}

function Toggles({ filtre, user }: Pick<FiltreCardProps, "filtre" | "user">) {
  const label = autobuyLabel(user.level) ?? "Acquire";
  const isLocked = !planByKey(user.plan).hasAutobuy;
  return (
    <footer className="filtre-card__toggles row between">
      <FlagSwitch filtre={filtre} flag="active" label="Actif" />
      <div data-lane={label.toLowerCase()} title={isLocked ? LOCKED_TEXT : undefined}>
        <FlagSwitch
          filtre={filtre}
          flag="autobuy"
          lockedText={isLocked ? LOCKED_TEXT : undefined}
          label={
            <>
              {label}
              {isLocked ? <IconLock size={13} stroke={2} aria-hidden="true" /> : null}
            </>
          }
        />
      </div>
      <FlagSwitch filtre={filtre} flag="private" label="Privé" />
    </footer>
  );
}

interface FlagSwitchProps {
  readonly filtre: ReadFilter;
  readonly flag: "active" | "autobuy" | "private";
  readonly label: ReactNode;
  /** Set if the user's plan does not include the flag. */
  readonly lockedText?: string | undefined;
}

function FlagSwitch({ filtre, flag, label, lockedText }: FlagSwitchProps) {
  const command = useFiltreFlag(filtre, flag);
  return (
    <Switch
      size="sm"
      label={label}
      disabled={lockedText !== undefined}
      aria-description={lockedText}
      aria-busy={command.isBusy}
      checked={command.isOn}
      onChange={(event) => command.set(event.currentTarget.checked)}
    />
  );
}
