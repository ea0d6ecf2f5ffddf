import { useQueryClient } from "@tanstack/react-query";
import { type Key, type ReactNode, useState } from "react";
import { useAsk } from "./ask.tsx";
import { Dialog } from "./dialog.tsx";
import { SENDING_KEY } from "./use-single-mutation.ts";

interface FormModalProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** Width in pixels; full screen on a narrow screen. */
  readonly size: number;
  readonly onClose: () => void;
  /** Reset key: each new subject, and each opening, mounts a new form. */
  readonly subject?: Key;
  readonly children: ReactNode;
}

export const LEAVE_QUESTION = {
  title: "Quitter sans sauvegarder ?",
  text: "Ce que vous avez modifié n'est pas encore enregistré.",
  action: "Quitter",
  keep: "Rester",
  isDangerous: true,
} as const;

/**
 * A dialog with one form. A click outside does not close it. Escape, its cross and the browser's back do, and ask
 * first once something was typed, which would be lost; "Annuler" closes it at once.
 */
export function FormModal({ isOpen, title, size, onClose, subject, children }: FormModalProps) {
  const [opening, setOpening] = useState({ isOpen, count: 0 });
  // The number of the opening in which something was typed.
  const [typedAt, setTypedAt] = useState<number | null>(null);
  if (opening.isOpen !== isOpen) setOpening({ isOpen, count: opening.count + Number(isOpen) });
  const isTyped = typedAt === opening.count && isOpen;
  const ask = useAsk();
  const client = useQueryClient();
  // Not while sending, whether or not that is rendered yet: after a refusal the input must still be there.
  const isSending = (): boolean => client.isMutating({ mutationKey: SENDING_KEY }) > 0;
  const leave = async (): Promise<void> => {
    if (isSending() || (isTyped && !(await ask(LEAVE_QUESTION)))) return;
    if (!isSending()) onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={() => void leave()}
      title={title}
      size={size}
      isFullScreenOnPhones
      isUnsaved={isTyped}
      closeOnClickOutside={false}
      classNames={{ body: "modal-form-body" }}
      contentKey={`${String(subject)} ${opening.count}`}
    >
      {/* Inert while it fades out: a second press must not send the form again. */}
      <div
        className="modal-form"
        inert={!isOpen}
        onInput={({ target }) => (isSavedLater(target) ? setTypedAt(opening.count) : undefined)}
      >
        {children}
      </div>
    </Dialog>
  );
}

/** A part of a form may save at once, or nothing (`data-saves`). */
function isSavedLater(field: EventTarget): boolean {
  const part = field instanceof Element ? field.closest("[data-saves]") : null;
  return part === null || part.getAttribute("data-saves") === "button";
}
