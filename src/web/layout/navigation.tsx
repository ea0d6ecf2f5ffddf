import { Button } from "@mantine/core";
import {
  IconChartBar,
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
import { useEffect, useId, useRef, useState, type ReactNode, type RefObject } from "react";
import { useAwaitingBank } from "../api/live/purchase-outcomes.ts";
import { formatClock, formatCounted } from "../ui/format-panel.ts";
import { useNowMs } from "../ui/now.ts";
import { AutobuyStop } from "./autobuy-stop.tsx";
import { usePanelActions } from "./panel-actions.ts";
import { ThemeToggle } from "./theme-toggle.tsx";
import "./navigation.css";

/** The menu's screens; the first `BAR_SCREENS` are also in the bottom bar of a small screen. */
const screens = [
  { to: "/synapse/articles", label: "Produits", Icon: IconShoppingBag },
  { to: "/synapse/filtres", label: "Filtres", Icon: IconFilter },
  { to: "/synapse/achats", label: "Achats", Icon: IconReceipt },
  { to: "/synapse/prix", label: "Prix du marché", Icon: IconChartBar },
] as const;

const BAR_SCREENS = 3;

export const SIDE_MENU_ID = "menu-principal";

interface SideMenuProps {
  readonly isOpen: boolean;
  /** On a small screen the menu overlays the page. */
  readonly isOverlay: boolean;
  readonly onClose: () => void;
}

export function SideMenu({ isOpen, isOverlay, onClose }: SideMenuProps) {
  const { openHelp } = usePanelActions();
  const menu = useRef<HTMLElement>(null);
  useFocusWithin(menu, isOverlay && isOpen);
  return (
    <>
      {isOverlay && isOpen ? <div className="side-menu__scrim" /> : null}
      <nav
        ref={menu}
        id={SIDE_MENU_ID}
        className="side-menu"
        aria-label="Menu principal"
        data-open={isOpen || undefined}
        inert={isOverlay && !isOpen}
      >
        <MenuGroup label="Vinted" icon={<IconHanger size={18} stroke={1.7} />} startsOpen>
          {screens.map(({ to, label, Icon }) => (
            <MenuLink key={to} to={to} icon={<Icon size={18} stroke={1.7} />} onGo={onClose}>
              {label}
              {to === "/synapse/achats" ? <AwaitingBadge hasDeadline /> : null}
            </MenuLink>
          ))}
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
    </>
  );
}

interface MenuGroupProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly startsOpen?: boolean;
  /** None of its entries is available yet. */
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
  readonly to: (typeof screens)[number]["to"];
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

/** A disabled entry; its group is labelled 'Bientôt'. */
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

/**
 * The main screens at the bottom of a small screen, where the menu is collapsed.
 * @param purchasesBadge the count of purchases that await confirmation
 */
export function BottomBar({ purchasesBadge }: { readonly purchasesBadge?: ReactNode }) {
  return (
    <nav className="bottom-bar" aria-label="Écrans">
      {screens.slice(0, BAR_SCREENS).map(({ to, label, Icon }) => (
        <Link key={to} to={to} activeProps={{ "aria-current": "page" }}>
          <Icon size={22} stroke={1.7} aria-hidden="true" />
          <span>{label}</span>
          {to === "/synapse/achats" ? purchasesBadge : null}
        </Link>
      ))}
    </nav>
  );
}

interface AwaitingBadgeProps {
  /** Shows the next deadline beside the count, where there is room. */
  readonly hasDeadline?: boolean;
}

/** The count of purchases that await confirmation at the bank; renders nothing for 0. */
export function AwaitingBadge({ hasDeadline = false }: AwaitingBadgeProps) {
  const { count, deadlinesS } = useAwaitingBank();
  const nowMs = useNowMs();
  if (count === 0) return null;
  const nextS = deadlinesS.find((deadlineS) => deadlineS * 1_000 >= nowMs);
  const deadline = nextS === undefined ? "" : `avant ${formatClock(nextS)}`;
  const words = `${formatCounted(count, "achat à confirmer", "achats à confirmer")} ${deadline}`.trim();
  return (
    <span className="awaiting-badge" title={words}>
      <span className="visually-hidden">{`, ${words}`}</span>
      {hasDeadline && deadline !== "" ? (
        <span className="awaiting-badge__deadline" aria-hidden="true">
          {deadline}
        </span>
      ) : null}
      <span className="awaiting-badge__count" aria-hidden="true">
        {count}
      </span>
    </span>
  );
}

/** Closes an open menu on Escape or a click outside; Escape returns the focus to its button. */
export function useMenuClosing(menuId: string, isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const button = (): HTMLElement | null =>
      document.querySelector<HTMLElement>(`[aria-controls="${menuId}"]`);
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      // The key closes the window above the menu.
      if (event.target instanceof Element && event.target.closest('[role="dialog"]') !== null) return;
      close();
      button()?.focus();
    };
    const onClick = (event: MouseEvent): void => {
      // Not `contains`: the click may have replaced its own target, such as an icon.
      const path = event.composedPath();
      // The button has its own handler.
      if (![document.getElementById(menuId), button()].some((one) => one !== null && path.includes(one)))
        close();
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener("click", onClick);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("click", onClick);
    };
  }, [menuId, isOpen, close]);
}

/**
 * Focus trap of the open overlay menu. The menu has only links and buttons; the library's trap, which handles
 * every kind of field, would add 1.7 kB to the first load.
 */
function useFocusWithin(menu: RefObject<HTMLElement | null>, isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return undefined;
    const stops = (): readonly HTMLElement[] =>
      [...(menu.current?.querySelectorAll<HTMLElement>("a, button:enabled") ?? [])].filter((stop) =>
        stop.checkVisibility(),
      );
    stops()[0]?.focus({ preventScroll: true });
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Tab") return;
      const [first, last] = [stops().at(0), stops().at(-1)];
      if (document.activeElement !== (event.shiftKey ? first : last)) return;
      event.preventDefault();
      (event.shiftKey ? last : first)?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [menu, isActive]);
}
