import { Button, FocusTrap } from "@mantine/core";
import {
  IconChevronDown,
  IconCreditCard,
  IconFilter,
  IconHanger,
  IconKeyboard,
  IconReceipt,
  IconRobot,
  IconShoppingBag,
  IconTag,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useId, useState, type ReactNode } from "react";
import { AwaitingBadge } from "./awaiting-badge.tsx";
import { AutobuyStop } from "./autobuy-stop.tsx";
import { usePanelActions } from "./panel-actions.ts";
import { ThemeToggle } from "./theme-toggle.tsx";
import "./side-menu.css";

export const SIDE_MENU_ID = "menu-principal";

interface SideMenuProps {
  readonly isOpen: boolean;
  /** On a small screen the menu lies above the page. */
  readonly isOverlay: boolean;
  readonly onClose: () => void;
}

export function SideMenu({ isOpen, isOverlay, onClose }: SideMenuProps) {
  const { openHelp } = usePanelActions();
  return (
    <>
      {isOverlay && isOpen ? <div className="side-menu__scrim" /> : null}
      <FocusTrap active={isOverlay && isOpen}>
        <nav
          id={SIDE_MENU_ID}
          className="side-menu"
          aria-label="Menu principal"
          data-open={isOpen || undefined}
          inert={isOverlay && !isOpen}
        >
          <MenuGroup label="Vinted" icon={<IconHanger size={18} stroke={1.7} />} startsOpen>
            <MenuLink to="/synapse/articles" icon={<IconShoppingBag size={18} stroke={1.7} />} onGo={onClose}>
              Produits
            </MenuLink>
            <MenuLink to="/synapse/filtres" icon={<IconFilter size={18} stroke={1.7} />} onGo={onClose}>
              Filtres
            </MenuLink>
            <MenuLink to="/synapse/achats" icon={<IconReceipt size={18} stroke={1.7} />} onGo={onClose}>
              Achats
              <AwaitingBadge hasDeadline />
            </MenuLink>
          </MenuGroup>
          <MenuGroup label="Bot" icon={<IconRobot size={18} stroke={1.7} />} isLater>
            <LaterItem icon={<IconRobot size={18} stroke={1.7} />}>Mes Bots</LaterItem>
            <LaterItem icon={<IconTag size={18} stroke={1.7} />}>Offres</LaterItem>
          </MenuGroup>
          <MenuGroup label="Abonnements" icon={<IconCreditCard size={18} stroke={1.7} />} isLater>
            <LaterItem icon={<IconCreditCard size={18} stroke={1.7} />}>Mon abonnement</LaterItem>
            <LaterItem icon={<IconTag size={18} stroke={1.7} />}>Prix</LaterItem>
          </MenuGroup>
          <div className="side-menu__foot">
            <div className="side-menu__theme">
              <ThemeToggle hasWords />
            </div>
            <Button
              className="side-menu__help"
              variant="subtle"
              justify="flex-start"
              fullWidth
              leftSection={<IconKeyboard size={18} stroke={1.7} />}
              onClick={openHelp}
            >
              Raccourcis clavier
            </Button>
            <AutobuyStop />
          </div>
        </nav>
      </FocusTrap>
    </>
  );
}

interface MenuGroupProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly startsOpen?: boolean;
  /** Nothing in it leads anywhere yet. */
  readonly isLater?: boolean;
  readonly children: ReactNode;
}

function MenuGroup({ label, icon, startsOpen = false, isLater = false, children }: MenuGroupProps) {
  const [isOpen, setIsOpen] = useState(startsOpen);
  const listId = useId();
  return (
    <div className="menu-group">
      <button
        type="button"
        className="menu-group__toggle"
        aria-expanded={isOpen}
        aria-controls={listId}
        onClick={() => setIsOpen(!isOpen)}
      >
        {icon}
        <span>{label}</span>
        <IconChevronDown className="menu-group__chevron" size={16} stroke={2} aria-hidden="true" />
      </button>
      <ul id={listId} hidden={!isOpen}>
        {isLater ? <li className="menu-group__later">Bientôt</li> : null}
        {children}
      </ul>
    </div>
  );
}

interface MenuLinkProps {
  readonly to: "/synapse/articles" | "/synapse/filtres" | "/synapse/achats";
  readonly icon: ReactNode;
  readonly onGo: () => void;
  readonly children: ReactNode;
}

function MenuLink({ to, icon, onGo, children }: MenuLinkProps) {
  return (
    <li>
      <Link to={to} className="menu-link" activeProps={{ "aria-current": "page" }} onClick={onGo}>
        {icon}
        {children}
      </Link>
    </li>
  );
}

interface LaterItemProps {
  readonly icon: ReactNode;
  readonly children: ReactNode;
}

/** An entry that leads nowhere yet, as its group says. */
function LaterItem({ icon, children }: LaterItemProps) {
  return (
    <li>
      <button type="button" className="menu-link" disabled>
        {icon}
        {children}
      </button>
    </li>
  );
}
