/** Where the page behind an alert begins: one listing and one button, without the component library. */
import "../api/alert-answers.ts";
import "../ui/colour-scheme.ts";
import { AlertePage } from "../features/alerte/alerte-page.tsx";
import { start } from "./start.tsx";

start(<AlertePage />);
