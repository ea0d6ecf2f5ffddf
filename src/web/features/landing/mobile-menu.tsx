import { useEffect, useRef, useState } from "react";
import { Icon } from "./icon.tsx";
import "./mobile-menu.css";

// From here on the header has room for its links (site-header.css).
const WIDE_SCREEN = "(min-width: 768px)";

/** The header's links where there is no room for them: a native dialog keeps and returns the focus by itself. */
export function MobileMenu({ anchorBase }: { readonly anchorBase: "" | "/" }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const open = (): void => {
    dialog.current?.showModal();
    setIsOpen(true);
  };
  const close = (): void => {
    dialog.current?.close();
  };

  useEffect(() => {
    const wide = window.matchMedia(WIDE_SCREEN);
    // A turned phone must not be left behind an invisible dialog.
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
        className="menu-toggle"
        aria-label="Ouvrir le menu"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={open}
      >
        <Icon name="menu" />
      </button>
      <dialog ref={dialog} className="mobile-menu" aria-label="Menu" onClose={() => setIsOpen(false)}>
        <button type="button" className="menu-toggle" aria-label="Fermer le menu" onClick={close}>
          <Icon name="close" />
        </button>
        <nav className="mobile-menu__links" aria-label="Menu">
          <a href={`${anchorBase}#features`} onClick={close} lang="en">
            Features
          </a>
          <a href={`${anchorBase}#prix`} onClick={close}>
            Prix
          </a>
          <a href={`${anchorBase}#login`} onClick={close} lang="en">
            Create account
          </a>
          <a className="mobile-menu__start" href={`${anchorBase}#login`} onClick={close}>
            Commencer
            <Icon name="arrow" />
          </a>
        </nav>
      </dialog>
    </>
  );
}
