/** Where the page behind an alert begins: one listing and one button, without the component library. */
import "../api/alert-answers.ts";
import "../ui/colour-scheme.ts";
import { AlertePage } from "../features/alerte/alerte-page.tsx";
import { start } from "./start.tsx";

// Another alert that is opened in this window changes only what stands behind the "#".
window.addEventListener("hashchange", () => window.location.reload());
start(<AlertePage />);
