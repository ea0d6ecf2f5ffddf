import type { ReactNode } from "react";
import "./modal-form.css";

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
