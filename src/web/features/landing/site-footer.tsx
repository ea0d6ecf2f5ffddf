import { Icon } from "./icon.tsx";
import { companyLinks, legalLinks } from "./legal/legal-pages.ts";
import { useSupportEmail } from "./page-document.ts";
import type { SiteHeaderProps } from "./site-header.tsx";
import "./site-footer.css";

const FEATURES = ["Seeker", "Clicker", "Acquire", "Thunder"];

export function SiteFooter({ anchorBase }: SiteHeaderProps) {
  const email = useSupportEmail();
  return (
    <footer className="site-footer">
      <div className="site-footer__columns">
        <FooterLinks
          title="Features"
          links={FEATURES.map((name) => ({ label: name, path: `${anchorBase}#${name.toLowerCase()}` }))}
        />
        <FooterLinks title="Entreprise" links={companyLinks} />
        <FooterLinks title="Légal" links={legalLinks} />
        <div className="site-footer__support">
          <h2 className="dim">Support</h2>
          {email === null ? null : (
            <a className="landing-link strong" href={`mailto:${email}`}>
              <Icon name="mail" />
              {email}
            </a>
          )}
          <p className="line dim">
            <Icon name="lock" />
            Paiements Sécurisés
          </p>
          <p className="line dim">
            <Icon name="card" />
            Principales Cartes bancaires acceptées
          </p>
        </div>
      </div>
      <svg className="site-footer__word display-voice" viewBox="0 0 500 112" aria-hidden="true">
        <text x="-3" y="84" textLength="500" lengthAdjust="spacingAndGlyphs">
          Synapse
        </text>
      </svg>
      <p className="site-footer__small aside">
        Synapse n'est affilié à aucune place de marché. Acheter par automate demande l'accord de celle que
        vous utilisez.
      </p>
    </footer>
  );
}

interface FooterLinksProps {
  readonly title: string;
  readonly links: readonly { readonly label: string; readonly path: string }[];
}

function FooterLinks({ title, links }: FooterLinksProps) {
  return (
    <nav aria-label={title}>
      <h2 className="dim">{title}</h2>
      <ul>
        {links.map(({ label, path }) => (
          <li key={path}>
            <a className="landing-link strong" href={path} lang="en">
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
