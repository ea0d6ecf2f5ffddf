/** Entry point of the landing page; without the component library, for a fast first render on a phone. */
import "../ui/theme/colour-scheme.ts";
import { LandingPage } from "../features/landing/landing-page.tsx";
import { start } from "./start.tsx";

start(<LandingPage />);
