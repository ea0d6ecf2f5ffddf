import "../landing.css";
import type { ReactNode } from "react";
import { usePageTitle } from "../page-document.ts";
import { SiteFooter } from "../site-footer.tsx";
import { SiteHeader } from "../site-header.tsx";
import { AboutText, BlogText, CareersText, ContactText } from "./company-texts.tsx";
import { legalPageTitle, type LegalPageKey } from "./legal-pages.ts";
import { CookiesText, GdprText, PrivacyText, TermsText } from "./legal-texts.tsx";
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

export function LegalPage({ page }: { readonly page: LegalPageKey }) {
  const title = legalPageTitle(page);
  const Text = texts[page];
  usePageTitle(`${title} — Synapse`);
  return (
    <div className="landing">
      <SiteHeader anchorBase="/" />
      <main className="legal" id="contenu">
        <h1 className="landing-title legal__title">{title}</h1>
        <Text />
      </main>
      <SiteFooter anchorBase="/" />
    </div>
  );
}
