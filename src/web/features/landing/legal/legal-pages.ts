/** The pages linked in the footer, with their paths and titles. */
const COMPANY_KEYS = ["about", "blog", "careers", "contact"] as const;
const LEGAL_KEYS = ["terms", "privacy", "cookies", "gdpr"] as const;

export type LegalPageKey = (typeof COMPANY_KEYS)[number] | (typeof LEGAL_KEYS)[number];

interface LegalPageNames {
  readonly path: `/${string}`;
  /** The text of the footer's link, verbatim from specification §2. */
  readonly label: string;
  readonly title: string;
}

interface LegalPageLink extends LegalPageNames {
  readonly key: LegalPageKey;
}

const names: Readonly<Record<LegalPageKey, LegalPageNames>> = {
  about: { path: "/a-propos", label: "About", title: "À propos" },
  blog: { path: "/blog", label: "Blog", title: "Blog" },
  careers: { path: "/carrieres", label: "Careers", title: "Carrières" },
  contact: { path: "/contact", label: "Contact", title: "Contact" },
  terms: { path: "/conditions", label: "Terms", title: "Conditions d'utilisation" },
  privacy: { path: "/confidentialite", label: "Privacy", title: "Confidentialité" },
  cookies: { path: "/cookies", label: "Cookies", title: "Cookies" },
  gdpr: { path: "/rgpd", label: "GDPR", title: "Vos droits (RGPD)" },
};

const linkTo = (key: LegalPageKey): LegalPageLink => ({ key, ...names[key] });

/** In the order of the footer. */
export const companyLinks: readonly LegalPageLink[] = COMPANY_KEYS.map(linkTo);
export const legalLinks: readonly LegalPageLink[] = LEGAL_KEYS.map(linkTo);

/** The page at a path, with or without a slash at its end; null for any other path. */
export function legalPageAt(path: string): LegalPageKey | null {
  const bare = path.endsWith("/") ? path.slice(0, -1) : path;
  return [...companyLinks, ...legalLinks].find((link) => link.path === bare)?.key ?? null;
}

export function legalPageTitle(key: LegalPageKey): string {
  return names[key].title;
}
