import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
import { keepFocus, isFocusLost } from "./keep-focus.ts";
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

/** After a form in a dialog was refused: moves the focus to its first invalid field, or keeps it on its submit button. */
export function keepFocusInForm(): void {
  const inForm = (control: string) => document.querySelector<HTMLElement>(`[role="dialog"] form ${control}`);
  const invalidField = () => inForm('[aria-invalid="true"]');
  keepFocus(
    () => {
      // Its label is above it.
      invalidField()?.scrollIntoView({ block: "center" });
      return invalidField() ?? inForm('[type="submit"]');
    },
    () => {
      const field = invalidField();
      return field === null ? isFocusLost() : field !== document.activeElement;
    },
  );
}

/** Whether dialogs are full screen; must equal the breakpoint in the style sheets. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 639px)", false, { getInitialValueInEffect: false });
}
