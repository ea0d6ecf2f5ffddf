import { useMediaQuery } from "@mantine/hooks";
import { useEffect, useState, type KeyboardEvent, type ReactNode } from "react";
import "./modal.css";

interface ModalFormFooterProps {
  /** What the server refused and no field can show; null for nothing. */
  readonly refusal: string | null;
  /** The buttons. */
  readonly children: ReactNode;
}

/** The end of a form in a window: always in sight, however long the form is. */
export function ModalFormFooter({ refusal, children }: ModalFormFooterProps) {
  return (
    <footer className="modal-form__footer">
      {refusal === null ? null : <p className="modal-form__refusal">{refusal}</p>}
      {children}
    </footer>
  );
}

/**
 * Of a window that something inside or above may take the Escape key from: an open list, a field, a question. The
 * library would close all open windows together, before any of them receives the key.
 */
export function closedByEscape(onClose: () => void) {
  return {
    closeOnEscape: false,
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.key === "Escape") onClose();
    },
  };
}

/**
 * Whether a window whose code has just come is to be shown: never at its first drawing, since the library notes where
 * the focus was, and gives it back there, only for a window that it saw closed before.
 */
export function useOpened(isOpen: boolean): boolean {
  const [wasDrawn, setWasDrawn] = useState(false);
  useEffect(() => setWasDrawn(true), []);
  return isOpen && wasDrawn;
}

/** Whether a window takes the whole screen: the same width as in the style sheets. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 639px)", false, { getInitialValueInEffect: false });
}
