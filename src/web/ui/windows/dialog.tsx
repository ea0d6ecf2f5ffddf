import { Modal, type ModalProps } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState, type Key } from "react";
import { WindowGuard } from "../loading/guard.tsx";
import { keepFocusAfterWindow } from "./keep-focus.ts";
import { useIsNarrow } from "./modal.tsx";

interface DialogProps extends Pick<
  ModalProps,
  "size" | "centered" | "zIndex" | "closeOnClickOutside" | "classNames" | "children"
> {
  readonly isOpen: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly isFullScreenOnPhones?: boolean;
  /** The browser itself asks before another page is loaded, for example by a press on a notification. */
  readonly isUnsaved?: () => boolean;
  /** Called before a link leads to another screen, for example one in a toast: false keeps the person here. */
  readonly mayLeave?: () => Promise<boolean>;
  /** The address says that it is open, so the browser's back closes it already. */
  readonly isInAddress?: boolean;
  /** Reset key of the content. */
  readonly contentKey?: Key;
}

/** Every dialog: Escape and the browser's back close the innermost one, and the focus returns into the page. */
export function Dialog({
  isOpen,
  onClose,
  isFullScreenOnPhones = false,
  isUnsaved = () => false,
  mayLeave = () => Promise.resolve(true),
  isInAddress = false,
  contentKey,
  children,
  ...looks
}: DialogProps) {
  const isOpened = useOpened(isOpen);
  const isNarrow = useIsNarrow();
  useInnermost(isOpen, onClose);
  useBlocker({
    disabled: !isOpen || isInAddress,
    enableBeforeUnload: isUnsaved,
    shouldBlockFn: async ({ action, current, next }) => {
      if (action === "PUSH" && next.pathname !== current.pathname) return !(await mayLeave());
      if (action === "PUSH" || action === "REPLACE") return false;
      openDialogs.at(-1)?.();
      return true;
    },
  });
  return (
    <Modal
      opened={isOpened}
      onClose={onClose}
      fullScreen={isFullScreenOnPhones && isNarrow}
      // Mantine's own handler comes before what is inside, and closes all open dialogs together.
      closeOnEscape={false}
      onExitTransitionEnd={keepFocusAfterWindow}
      {...looks}
    >
      <WindowGuard key={contentKey}>{children}</WindowGuard>
    </Modal>
  );
}

/** What closes each open dialog, the innermost last. */
const openDialogs: (() => void)[] = [];

/** Among the open dialogs; the innermost is closed by Escape, unless its content has handled the key. */
function useInnermost(isOpen: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!isOpen) return undefined;
    const own = (): void => close();
    // Wherever the focus is: it may still be in the dialog below.
    const closeOnEscape = ({ key }: KeyboardEvent): void => {
      if (key === "Escape" && openDialogs.at(-1) === own) own();
    };
    openDialogs.push(own);
    window.addEventListener("keydown", closeOnEscape);
    return () => {
      openDialogs.splice(openDialogs.indexOf(own), 1);
      window.removeEventListener("keydown", closeOnEscape);
    };
  }, [isOpen]);
}

/**
 * `isOpen`, but false at the first render of a lazily loaded dialog: Mantine records the focused element, to
 * restore it on close, only for a dialog that it has rendered closed before.
 */
function useOpened(isOpen: boolean): boolean {
  const [wasDrawn, setWasDrawn] = useState(false);
  useEffect(() => setWasDrawn(true), []);
  return isOpen && wasDrawn;
}
