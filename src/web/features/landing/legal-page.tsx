import type { ReactNode } from "react";
import { legalPageTitle, type LegalPageKey } from "./legal-pages.ts";
import { AboutText } from "./legal/about-text.tsx";
import { BlogText } from "./legal/blog-text.tsx";
import { CareersText } from "./legal/careers-text.tsx";
import { ContactText } from "./legal/contact-text.tsx";
import { CookiesText } from "./legal/cookies-text.tsx";
import { GdprText } from "./legal/gdpr-text.tsx";
import { PrivacyText } from "./legal/privacy-text.tsx";
import { TermsText } from "./legal/terms-text.tsx";
import { SiteFooter } from "./site-footer.tsx";
import { SiteHeader } from "./site-header.tsx";
import { usePageTitle } from "./use-page-title.ts";
import "./landing.css";
import "./legal-page.css";

const texts: Readonly<Record<LegalPageKey, () => ReactNode>> = {
  about: AboutText,
  blog: BlogText,
  careers: CareersText,
  contact: ContactText,
  terms: TermsText,
  privacy: PrivacyText,
  cookies: CookiesText,
  gdpr: GdprText,
};

/** One of the pages of the footer. */
export function LegalPage({ page }: { readonly page: LegalPageKey }) {
  const title = legalPageTitle(page);
  const Text = texts[page];
  usePageTitle(`${title} — Synapse`);
  return (
    <div className="landing">
      <SiteHeader anchorBase="/" />
      <main className="legal" id="contenu">
        <h1 className="legal__title">{title}</h1>
        <Text />
      </main>
      <SiteFooter anchorBase="/" />
    </div>
  );
}
