import { ActionIcon, Burger } from "@mantine/core";
import { IconLogout, IconSettings } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { Utilisateur } from "#contract/utilisateur.ts";
import { Logo } from "../ui/logo.tsx";
import { PersonPicture } from "../ui/person-picture.tsx";
import { Tip } from "../ui/tip.tsx";
import { ConnectionState } from "./connection-state.tsx";
import { HealthButton } from "./health-button.tsx";
import { usePanelActions } from "./panel-actions.ts";
import { SIDE_MENU_ID } from "./side-menu.tsx";
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
        <span className="top-bar__theme">
          <ThemeToggle />
        </span>
        <Tip text="Paramètres utilisateur" align="end">
          <ActionIcon aria-label="Paramètres utilisateur" onClick={openSettings}>
            <IconSettings size={21} stroke={1.7} />
          </ActionIcon>
        </Tip>
        <Tip text={`Se déconnecter (${user.name})`} align="end">
          <button type="button" className="sign-out" aria-label="Se déconnecter" onClick={onSignOut}>
            <PersonPicture url={user.picture} size={34} />
            <span className="sign-out__icon">
              <IconLogout size={18} stroke={2} aria-hidden="true" />
            </span>
          </button>
        </Tip>
      </div>
    </header>
  );
}
