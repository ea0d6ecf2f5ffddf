/** Entry point of the pages in the landing page's footer. They link to one another by full navigation, without a router. */
import "../ui/theme/colour-scheme.ts";
import { LegalPage } from "../features/landing/legal/legal-page.tsx";
import { legalPageAt } from "../features/landing/legal/legal-pages.ts";
import { start } from "./start.tsx";

const page = legalPageAt(window.location.pathname);
// The server sends this document for those pages only.
if (page !== null) start(<LegalPage page={page} />);
