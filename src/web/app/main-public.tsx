/** Entry point of the public pages; without the component library, for a fast first render on a phone. */
import "../ui/theme/colour-scheme.ts";
import { lazy, Suspense } from "react";
import { LandingPage } from "../features/landing/landing-page.tsx";
import { legalPageAt } from "../features/landing/legal/legal-pages.ts";
import { start } from "./start.tsx";

const LegalPage = lazy(async () => ({
  default: (await import("../features/landing/legal/legal-page.tsx")).LegalPage,
}));

start(<PublicPages />);

/**
 * The legal page of the URL, or else the landing page. The pages link to one another by full navigation, so
 * they need no router.
 */
function PublicPages() {
  const legalPage = legalPageAt(window.location.pathname);
  if (legalPage === null) return <LandingPage />;
  return (
    <Suspense>
      <LegalPage page={legalPage} />
    </Suspense>
  );
}
