/** The landing page as HTML for any visitor; run by the build, and hydrated in the browser by main-landing.tsx. */
import { renderToString } from "react-dom/server";
import { createQueryClient } from "../api/query-client.ts";
import { LandingPage } from "../features/landing/landing-page.tsx";
import { pageTree } from "./start.tsx";

export const landingMarkup = renderToString(pageTree(createQueryClient(), <LandingPage />));
