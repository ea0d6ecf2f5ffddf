import { IconLayoutGrid, IconLayoutList } from "@tabler/icons-react";
import type { Layout } from "./rows.ts";
import "./layout-switch.css";

/** Where the choice is kept. */
export const LAYOUT_KEY = "synapse.disposition-produits";

export function parseLayout(stored: unknown): Layout | undefined {
  return stored === "grid" || stored === "list" ? stored : undefined;
}

interface LayoutSwitchProps {
  readonly layout: Layout;
  readonly onChange: (layout: Layout) => void;
}

export function LayoutSwitch({ layout, onChange }: LayoutSwitchProps) {
  return (
    <div className="layout-switch" role="group" aria-label="Disposition">
      <button
        type="button"
        aria-label="Grille"
        aria-pressed={layout === "grid"}
        onClick={() => onChange("grid")}
      >
        <IconLayoutGrid size={20} stroke={1.7} />
      </button>
      <button
        type="button"
        aria-label="Liste"
        aria-pressed={layout === "list"}
        onClick={() => onChange("list")}
      >
        <IconLayoutList size={20} stroke={1.7} />
      </button>
    </div>
  );
}
