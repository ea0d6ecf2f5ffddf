import { useEffect, useRef, useState, type RefObject } from "react";
import { formatCount } from "../../ui/format.ts";
import { Logo } from "../../ui/logo.tsx";
import { Icon } from "./icon.tsx";
import { ordinalEnding, waitlistSentence, type Place } from "./waitlist-place.ts";
import "./site-header.css";

export interface SiteHeaderProps {
  /** The waiting-list place of a signed-in user at level 0. */
  readonly place?: Place | undefined;
  /** Prefix of the section links: "" on the landing page, "/" on all others. */
  readonly anchorBase: "" | "/";
}

export function SiteHeader({ anchorBase, place }: SiteHeaderProps) {
  const top = useRef<HTMLSpanElement>(null);
  const isScrolled = useIsScrolled(top);
  return (
    <>
      <span ref={top} className="site-header__top" aria-hidden="true" />
      <header className="site-header line between" data-solid={isScrolled || undefined}>
        <a className="site-header__skip" href="#contenu">
          Aller au contenu
        </a>
        <a
          className="site-header__home line"
          href={anchorBase === "" ? "#haut" : "/"}
          aria-label="Synapse, accueil"
        >
          <Logo />
        </a>
        <nav className="site-header__nav line strong" aria-label="Principale">
          <a className="landing-link" href={`${anchorBase}#features`} lang="en">
            Features
          </a>
          <a className="landing-link" href={`${anchorBase}#prix`}>
            Prix
          </a>
          <a className="landing-link site-header__join" href={`${anchorBase}#login`} lang="en">
            Create account
          </a>
        </nav>
        {place === undefined ? null : (
          <a className="landing-link site-header__place strong" href={`${anchorBase}#login`}>
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

// From this width on, the header shows its links (same breakpoint in site-header.css).
const WIDE_SCREEN = "(min-width: 768px)";

const MENU_ID = "menu-mobile";
/** The browser's own commands: the menu also opens and closes before the page's code has loaded. */
const OPEN_MENU = { command: "show-modal", commandfor: MENU_ID };
const CLOSE_MENU = { command: "close", commandfor: MENU_ID };

/** The header's links on narrow screens, in a native dialog, which traps and restores the focus. */
function MobileMenu({ anchorBase }: { readonly anchorBase: "" | "/" }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // For browsers without these commands; in others the command then finds the menu open.
  const open = (): void => {
    dialog.current?.showModal();
  };
  const close = (): void => {
    dialog.current?.close();
  };

  useEffect(() => {
    const wide = window.matchMedia(WIDE_SCREEN);
    // Rotating a phone must not leave a hidden modal dialog open.
    const closeWhenWide = (): void => {
      if (wide.matches) dialog.current?.close();
    };
    wide.addEventListener("change", closeWhenWide);
    return () => {
      wide.removeEventListener("change", closeWhenWide);
    };
  }, []);

  return (
    <>
      <button
        type="button"
        className="centred touch-square menu-toggle"
        aria-label="Ouvrir le menu"
        aria-haspopup="dialog"
        onClick={open}
        {...OPEN_MENU}
      >
        <Icon name="menu" />
      </button>
      <dialog ref={dialog} id={MENU_ID} className="mobile-menu" aria-label="Menu">
        <button
          type="button"
          className="centred touch-square menu-toggle"
          aria-label="Fermer le menu"
          onClick={close}
          {...CLOSE_MENU}
        >
          <Icon name="close" />
        </button>
        <nav className="mobile-menu__links" aria-label="Menu">
          <a className="wide-voice" href={`${anchorBase}#features`} onClick={close} lang="en">
            Features
          </a>
          <a className="wide-voice" href={`${anchorBase}#prix`} onClick={close}>
            Prix
          </a>
          <a className="wide-voice" href={`${anchorBase}#login`} onClick={close} lang="en">
            Create account
          </a>
          <a
            className="mobile-menu__start line between volt wide-voice"
            href={`${anchorBase}#login`}
            onClick={close}
          >
            Commencer
            <Icon name="arrow" />
          </a>
        </nav>
      </dialog>
    </>
  );
}

/**
 * Whether the element at the top of the page is scrolled out of view.
 * Observed rather than read: reading the scroll position would force a layout.
 */
function useIsScrolled(top: RefObject<Element | null>): boolean {
  const [isScrolled, setIsScrolled] = useState(false);
  useEffect(() => {
    if (top.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      setIsScrolled(entries.at(-1)?.isIntersecting === false);
    });
    observer.observe(top.current);
    return () => {
      observer.disconnect();
    };
  }, [top]);
  return isScrolled;
}
