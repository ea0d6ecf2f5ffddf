/** Entry point of the alert page: one listing and one button, without the component library. */
import "../api/alerts/alert-answers.ts";
import "../ui/theme/colour-scheme.ts";
import { AlertePage } from "../features/alerte/alerte-page.tsx";
import { start } from "./start.tsx";

// Another alert opened in this tab changes only the URL fragment, which loads no page.
window.addEventListener("hashchange", () => window.location.reload());
start(<AlertePage />);
