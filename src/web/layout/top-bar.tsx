import { ActionIcon, Burger } from "@mantine/core";
import { IconActivityHeartbeat, IconBell, IconLogout, IconSettings } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { Utilisateur } from "#contract/compte.ts";
import { useLiveFeed, type Connection } from "../api/live/live-feed.ts";
import { useObservable } from "../api/live/observable.ts";
import { queries } from "../api/queries.ts";
import { formatResumption } from "../ui/format-panel.ts";
import { LazyWindow } from "../ui/loading/guard.tsx";
import { lazyPart } from "../ui/loading/lazy-part.ts";
import { Logo } from "../ui/logo.tsx";
import { useNowMs } from "../ui/now.ts";
import { PersonPicture } from "../ui/photo.tsx";
import { Tip } from "../ui/tag-badge.tsx";
import { SIDE_MENU_ID } from "./navigation.tsx";
import { usePanelActions } from "./panel-actions.ts";
import { ThemeToggle } from "./theme-toggle.tsx";
import "./top-bar.css";

interface TopBarProps {
  readonly user: Utilisateur;
  readonly isMenuOpen: boolean;
  readonly onToggleMenu: () => void;
  readonly onSignOut: () => void;
}

export function TopBar({ user, isMenuOpen, onToggleMenu, onSignOut }: TopBarProps) {
  const { openSettings } = usePanelActions();
  return (
    <header className="top-bar">
      <Burger
        className="top-bar__burger"
        opened={isMenuOpen}
        onClick={onToggleMenu}
        size={20}
        aria-label={isMenuOpen ? "Fermer le menu" : "Ouvrir le menu"}
        aria-expanded={isMenuOpen}
        aria-controls={SIDE_MENU_ID}
      />
      <div className="top-bar__brand">
        <Link to="/synapse/articles" className="top-bar__home" aria-label="Synapse, vers les produits">
          <Logo isCompact />
        </Link>
        <ConnectionState />
      </div>
      <div className="top-bar__tools">
        <HealthButton />
        <Tip text="Alertes" align="end">
          <Link to="/synapse/alertes" className="top-bar__alerts centred touch-square" aria-label="Alertes">
            <IconBell size={21} stroke={1.7} aria-hidden="true" />
          </Link>
        </Tip>
        <span className="top-bar__theme">
          <ThemeToggle />
        </span>
        <Tip text="Paramètres utilisateur" align="end">
          <ActionIcon aria-label="Paramètres utilisateur" onClick={openSettings}>
            <IconSettings size={21} stroke={1.7} />
          </ActionIcon>
        </Tip>
        <Tip text={`Se déconnecter (${user.name})`} align="end">
          <button
            type="button"
            className="sign-out centred touch-square"
            aria-label="Se déconnecter"
            onClick={onSignOut}
          >
            <PersonPicture url={user.picture} size={34} />
            <span className="sign-out__icon centred">
              <IconLogout size={18} stroke={2} aria-hidden="true" />
            </span>
          </button>
        </Tip>
      </div>
    </header>
  );
}

const ALL_PAUSED: Connection = { kind: "paused", reason: "tous vos filtres sont en pause" };

/** Whether listings are arriving, and if not, why. */
function ConnectionState() {
  const socket = useObservable(useLiveFeed().connection);
  const { data: areAllPaused } = useQuery({ ...queries.filters, select: areAllInactive });
  const connection = socket.kind === "live" && areAllPaused === true ? ALL_PAUSED : socket;
  const text = connectionText(connection, useNowMs());
  return (
    <p className="connection-state hint" data-kind={connection.kind} role="status" title={text}>
      <span className="connection-state__dot" aria-hidden="true" />
      <span className="clip">{text}</span>
    </p>
  );
}

function areAllInactive(filtres: readonly Filtre[]): boolean {
  return filtres.length > 0 && filtres.every(({ active }) => !active);
}

function connectionText(connection: Connection, nowMs: number): string {
  switch (connection.kind) {
    case "connecting":
      return "Connexion…";
    case "live":
      return "En direct";
    case "reconnecting":
      return "Reconnexion…";
    case "paused":
      return `Flux en pause : ${connection.reason}${formatResumption(connection.untilMs ?? null, nowMs)}`;
    default:
      return connection satisfies never;
  }
}

const HealthModal = lazyPart(async () => (await import("./health-modal.tsx")).HealthModal);

const LABEL = "État du service et arrêt des achats";

/** Opens the status dialog, which also holds 'Tout arrêter'. */
function HealthButton() {
  const { data: settings } = useQuery(queries.settings);
  const [isOpen, setIsOpen] = useState(false);
  const isStopped = settings?.limites?.arret === true;
  const needsAttention = isStopped || settings?.etat === "a_reconnecter";
  return (
    <>
      <Tip text={LABEL} align="end">
        <ActionIcon
          className="health-button"
          data-care={needsAttention || undefined}
          aria-label={isStopped ? `${LABEL} (achats automatiques arrêtés)` : LABEL}
          aria-haspopup="dialog"
          onClick={() => setIsOpen(true)}
        >
          <IconActivityHeartbeat size={21} stroke={1.7} />
        </ActionIcon>
      </Tip>
      <LazyWindow isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <HealthModal isOpen={isOpen} onClose={() => setIsOpen(false)} />
      </LazyWindow>
    </>
  );
}
