/** Where the public pages begin: what a stranger on a phone must see in one breath, without the component library. */
import "../ui/colour-scheme.ts";
import { lazy, Suspense } from "react";
import { LandingPage } from "../features/landing/landing-page.tsx";
import { legalPageAt } from "../features/landing/legal/legal-pages.ts";
import { start } from "./start.tsx";

const LegalPage = lazy(async () => ({
  default: (await import("../features/landing/legal/legal-page.tsx")).LegalPage,
}));

start(<PublicPages />);

/**
 * The page of the address that the browser loaded; the landing page for any other than a legal one. The pages link to
 * one another by plain navigation, so they need no router.
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
