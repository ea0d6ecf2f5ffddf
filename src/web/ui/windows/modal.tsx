import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState, type KeyboardEvent, type ReactNode } from "react";
import { CallError, errorText } from "../../api/client.ts";
import { keepFocusAfterWindow } from "./keep-focus.ts";
import "./modal.css";

interface ModalFormFooterProps {
  /** A refusal that no field shows; null if there is none. */
  readonly refusal: string | null;
  /** Label of the submit button. */
  readonly save: string;
  readonly isSaving: boolean;
  /** There is nothing to save yet. */
  readonly isDisabled?: boolean;
  readonly onCancel: () => void;
  /** Before the buttons. */
  readonly children?: ReactNode;
}

/** Sticky footer of a form in a dialog. */
export function ModalFormFooter(props: ModalFormFooterProps) {
  const { refusal, save, isSaving, isDisabled = false, onCancel, children } = props;
  return (
    <footer className="modal-form__footer">
      {refusal === null ? null : (
        <p className="modal-form__refusal" role="alert">
          {refusal}
        </p>
      )}
      {children}
      <Button disabled={isSaving} onClick={onCancel}>
        Annuler
      </Button>
      <Button type="submit" variant="filled" disabled={isDisabled} loading={isSaving}>
        {save}
      </Button>
    </footer>
  );
}

interface FormRefusal<Field extends string> {
  readonly atField: Partial<Record<Field, string>>;
  /** Null where a field shows it. */
  readonly inFooter: string | null;
}

/**
 * Where to show a refusal: at the field that it is about, or else in the footer.
 * @param fieldOf maps the server's field name to the form's
 */
export function refusalIn<Field extends string>(
  error: unknown,
  fieldOf: (name: string | undefined) => Field | undefined,
): FormRefusal<Field> {
  const text = errorText(error);
  const field = error instanceof CallError ? fieldOf(error.field) : undefined;
  if (field === undefined) return { atField: {}, inFooter: text };
  const atField: Partial<Record<string, string>> = { [field]: text };
  return { atField, inFooter: null };
}

/**
 * Props of a dialog whose content may handle Escape first: an open list, a field, a confirmation. Mantine's
 * own handler would close all open dialogs together, before any of them receives the key.
 */
export function closedByEscape(onClose: () => void) {
  return {
    closeOnEscape: false,
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.key === "Escape") onClose();
    },
    onExitTransitionEnd: keepFocusAfterWindow,
  };
}

/** What closes each open dialog, the innermost last. */
const openDialogs: (() => void)[] = [];

/**
 * The browser's back closes the innermost open dialog, and stays on the page.
 * @param isUnsaved the browser itself asks before another page is loaded, for example by a press on a notification
 */
export function useClosedByBack(isOpen: boolean, onClose: () => void, isUnsaved = false): void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!isOpen) return undefined;
    const own = (): void => close();
    openDialogs.push(own);
    return () => void openDialogs.splice(openDialogs.indexOf(own), 1);
  }, [isOpen]);
  useBlocker({
    disabled: !isOpen,
    enableBeforeUnload: isUnsaved,
    shouldBlockFn: ({ action }) => {
      // The page itself leads elsewhere, for example after saving.
      if (action === "PUSH" || action === "REPLACE") return false;
      openDialogs.at(-1)?.();
      return true;
    },
  });
}

/**
 * `isOpen`, but false at the first render of a lazily loaded dialog: Mantine records the focused element, to
 * restore it on close, only for a dialog that it has rendered closed before.
 */
export function useOpened(isOpen: boolean): boolean {
  const [wasDrawn, setWasDrawn] = useState(false);
  useEffect(() => setWasDrawn(true), []);
  return isOpen && wasDrawn;
}

/** Whether dialogs are full screen; must equal the breakpoint in the style sheets. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 639px)", false, { getInitialValueInEffect: false });
}
