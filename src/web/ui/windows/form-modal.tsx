import { Modal } from "@mantine/core";
import { useIsMutating } from "@tanstack/react-query";
import { type Key, type ReactNode, useState } from "react";
import { WindowGuard } from "../guard.tsx";
import { closedByEscape, useIsNarrow, useOpened } from "./modal.tsx";
import { SENDING_KEY } from "./use-single-mutation.ts";

interface FormModalProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** Pixels; a narrow screen is filled. */
  readonly size: number;
  readonly onClose: () => void;
  /** Another subject begins with another form, and so does each opening. */
  readonly subject?: Key;
  readonly children: ReactNode;
}

/** A window with one form, which a click beside it does not close: that would lose the input. */
export function FormModal({ isOpen, title, size, onClose, subject, children }: FormModalProps) {
  const isOpened = useOpened(isOpen);
  const isNarrow = useIsNarrow();
  const [opening, setOpening] = useState({ isOpen, count: 0 });
  if (opening.isOpen !== isOpen) setOpening({ isOpen, count: opening.count + Number(isOpen) });
  // While it is being sent the form stays: after a refusal the input must still be there, with the reason.
  const isSending = useIsMutating({ mutationKey: SENDING_KEY }) > 0;
  const close = (): void => (isSending ? undefined : onClose());
  return (
    <Modal
      opened={isOpened}
      onClose={close}
      title={title}
      size={size}
      fullScreen={isNarrow}
      closeOnClickOutside={false}
      {...closedByEscape(close)}
      classNames={{ body: "modal-form-body" }}
    >
      {/* While it fades away a second press must not send the form again. */}
      <div className="modal-form" inert={!isOpen}>
        <WindowGuard key={`${String(subject)} ${opening.count}`}>{children}</WindowGuard>
      </div>
    </Modal>
  );
}
