/** The pages that need no session. They link to one another by plain navigation, so they need no router. */
import { lazy, Suspense } from "react";
import { LandingPage } from "../features/landing/landing-page.tsx";
import { legalPageAt } from "../features/landing/legal-pages.ts";

const LegalPage = lazy(async () => ({
  default: (await import("../features/landing/legal-page.tsx")).LegalPage,
}));

/** The page of the address that the browser loaded; the landing page for any other than a legal one. */
export function PublicPages() {
  const legalPage = legalPageAt(window.location.pathname);
  if (legalPage === null) return <LandingPage />;
  return (
    <Suspense>
      <LegalPage page={legalPage} />
    </Suspense>
  );
}
