import { Link } from "@tanstack/react-router";
import "./view-tabs.css";

const views = [
  { search: {}, label: "Tous" },
  { search: { vue: "autobuy" }, label: "Achat automatique" },
  { search: { vue: "prives" }, label: "Privés" },
  { search: { vue: "publics" }, label: "Filtres publics" },
] as const;

/** Which filters are looked at; each view has an address of its own. */
export function ViewTabs() {
  return (
    <nav className="view-tabs" aria-label="Vues des filtres">
      {views.map(({ search, label }) => (
        <Link
          key={label}
          to="/synapse/filtres"
          search={search}
          activeOptions={{ exact: true, includeSearch: true }}
          activeProps={{ "aria-current": "page" }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
