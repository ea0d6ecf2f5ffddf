import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type Key,
  type ReactNode,
  type RefObject,
  use,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useBlocker } from "@tanstack/react-router";
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

const LEAVE_QUESTION = {
  title: "Quitter sans sauvegarder ?",
  text: "Ce que vous avez saisi sera perdu.",
  action: "Quitter",
  keep: "Rester",
  isDangerous: true,
} as const;

const UnsavedContext = createContext<RefObject<boolean>>({ current: false });

/** For the form in a `FormModal`: whether closing it now would lose something. */
export function useUnsaved(isUnsaved: boolean): void {
  const unsaved = use(UnsavedContext);
  // A ref and a layout effect: Escape may be pressed right after the last character.
  useLayoutEffect(() => {
    unsaved.current = isUnsaved;
    return () => {
      unsaved.current = false;
    };
  }, [isUnsaved, unsaved]);
}

/** For a form that is part of a screen: asks before another screen is opened if something would be lost. */
export function useAskBeforeLeaving(isUnsaved: boolean): void {
  const ask = useAsk();
  useBlocker({
    disabled: !isUnsaved,
    enableBeforeUnload: isUnsaved,
    shouldBlockFn: async ({ current, next }) =>
      next.pathname !== current.pathname && !(await ask(LEAVE_QUESTION)),
  });
}

/**
 * A dialog with one form. A click outside does not close it. Escape, its cross, the browser's back and links to other
 * screens do, and ask first if something would be lost (`useUnsaved`); "Annuler" closes it at once.
 */
export function FormModal({ isOpen, title, size, onClose, subject, children }: FormModalProps) {
  const [opening, setOpening] = useState({ isOpen, count: 0 });
  if (opening.isOpen !== isOpen) setOpening({ isOpen, count: opening.count + Number(isOpen) });
  const unsaved = useRef(false);
  const ask = useAsk();
  const client = useQueryClient();
  // Not while sending, whether or not that is rendered yet: after a refusal the input must still be there.
  const isSending = (): boolean => client.isMutating({ mutationKey: SENDING_KEY }) > 0;
  /** Whether nothing is lost, or the person accepts it. */
  const isAccepted = async (): Promise<boolean> => !unsaved.current || (await ask(LEAVE_QUESTION));
  const close = async (): Promise<void> => {
    if (!isSending() && (await isAccepted()) && !isSending()) onClose();
  };
  const mayLeave = async (): Promise<boolean> => {
    // The form itself leads elsewhere once it is saved.
    if (isSending()) return true;
    if (!(await isAccepted())) return false;
    if (!isSending()) onClose();
    return true;
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={() => void close()}
      title={title}
      size={size}
      isFullScreenOnPhones
      isUnsaved={() => unsaved.current}
      mayLeave={mayLeave}
      closeOnClickOutside={false}
      classNames={{ body: "modal-form-body" }}
      contentKey={`${String(subject)} ${opening.count}`}
    >
      {/* Inert while it fades out: a second press must not send the form again. */}
      <div className="modal-form" inert={!isOpen}>
        <UnsavedContext value={unsaved}>{children}</UnsavedContext>
      </div>
    </Dialog>
  );
}
