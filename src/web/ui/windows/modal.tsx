import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useEffect, useState, type KeyboardEvent, type ReactNode } from "react";
import { CallError, errorText } from "../../api/client.ts";
import { keepFocusAfterWindow } from "./keep-focus.ts";
import "./modal.css";

interface ModalFormFooterProps {
  /** What the server refused and no field can show; null for nothing. */
  readonly refusal: string | null;
  /** The button that saves. */
  readonly save: string;
  readonly isSaving: boolean;
  /** There is nothing to save yet. */
  readonly isDisabled?: boolean;
  readonly onCancel: () => void;
  /** Before the buttons. */
  readonly children?: ReactNode;
}

/** The end of a form in a window: always in sight, however long the form is. */
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
 * Where a form says what the server refused: at the field where it can be mended, or else in its footer.
 * @param fieldOf the form's field for the server's name of it
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
 * Of a window that something inside or above may take the Escape key from: an open list, a field, a question. The
 * library would close all open windows together, before any of them receives the key.
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
