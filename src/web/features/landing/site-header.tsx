import { useRef } from "react";
import { Logo } from "../../ui/logo.tsx";
import { MobileMenu } from "./mobile-menu.tsx";
import { useIsScrolled } from "./use-is-scrolled.ts";
import "./site-header.css";

export interface SiteHeaderProps {
  /** "" on the landing page, "/" on those that lead back to its sections. */
  readonly anchorBase: "" | "/";
}

export function SiteHeader({ anchorBase }: SiteHeaderProps) {
  const top = useRef<HTMLSpanElement>(null);
  const isScrolled = useIsScrolled(top);
  return (
    <>
      <span ref={top} className="site-header__top" aria-hidden="true" />
      <header className="site-header" data-solid={isScrolled || undefined}>
        <a className="site-header__skip" href="#contenu">
          Aller au contenu
        </a>
        <a
          className="site-header__home"
          href={anchorBase === "" ? "#haut" : "/"}
          aria-label="Synapse, accueil"
        >
          <Logo />
        </a>
        <nav className="site-header__nav" aria-label="Principale">
          <a href={`${anchorBase}#features`} lang="en">
            Features
          </a>
          <a href={`${anchorBase}#prix`}>Prix</a>
          <a className="site-header__join" href={`${anchorBase}#login`} lang="en">
            Create account
          </a>
        </nav>
        <MobileMenu anchorBase={anchorBase} />
      </header>
    </>
  );
}
