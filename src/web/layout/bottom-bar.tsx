import { IconFilter, IconReceipt, IconShoppingBag } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import "./bottom-bar.css";

const screens = [
  { to: "/synapse/articles", label: "Produits", Icon: IconShoppingBag },
  { to: "/synapse/filtres", label: "Filtres", Icon: IconFilter },
  { to: "/synapse/achats", label: "Achats", Icon: IconReceipt },
] as const;

/**
 * The three screens under the thumb, where the menu is behind its burger.
 * @param purchasesBadge what waits for the person among their purchases
 */
export function BottomBar({ purchasesBadge }: { readonly purchasesBadge?: ReactNode }) {
  return (
    <nav className="bottom-bar" aria-label="Écrans">
      {screens.map(({ to, label, Icon }) => (
        <Link key={to} to={to} activeProps={{ "aria-current": "page" }}>
          <Icon size={22} stroke={1.7} aria-hidden="true" />
          <span>{label}</span>
          {to === "/synapse/achats" ? purchasesBadge : null}
        </Link>
      ))}
    </nav>
  );
}
