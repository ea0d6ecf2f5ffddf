import { useRef } from "react";
import { formatCount } from "../../ui/format.ts";
import { Logo } from "../../ui/logo.tsx";
import { MobileMenu } from "./mobile-menu.tsx";
import { ordinalEnding, waitlistSentence, type Place } from "./waitlist-place.ts";
import { useIsScrolled } from "./use-is-scrolled.ts";
import "./site-header.css";

export interface SiteHeaderProps {
  /** The place on the waiting list of who is here at level 0. */
  readonly place?: Place | undefined;
  /** "" on the landing page, "/" on those that lead back to its sections. */
  readonly anchorBase: "" | "/";
}

export function SiteHeader({ anchorBase, place }: SiteHeaderProps) {
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
        {place === undefined ? null : (
          <a className="site-header__place" href={`${anchorBase}#login`}>
            <span className="visually-hidden">{waitlistSentence(place)}</span>
            <span aria-hidden="true">
              {formatCount(place.rank)}
              <sup>{ordinalEnding(place.rank)}</sup>
              <span> sur la liste</span>
            </span>
          </a>
        )}
        <MobileMenu anchorBase={anchorBase} />
      </header>
    </>
  );
}
