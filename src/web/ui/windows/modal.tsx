import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { ReactNode } from "react";
import { CallError, errorText } from "../../api/client.ts";
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

/** Whether dialogs are full screen; must equal the breakpoint in the style sheets. */
export function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 639px)", false, { getInitialValueInEffect: false });
}
