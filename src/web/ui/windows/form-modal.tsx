import { Modal } from "@mantine/core";
import type { Key, ReactNode } from "react";
import { WindowGuard } from "../guard.tsx";
import { closedByEscape, useIsNarrow, useOpened } from "./modal.tsx";

interface FormModalProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** Pixels; a narrow screen is filled. */
  readonly size: number;
  readonly onClose: () => void;
  /** Another subject begins with another form. */
  readonly subject?: Key;
  readonly children: ReactNode;
}

/** A window with one form, which a click beside it does not close: that would lose the input. */
export function FormModal({ isOpen, title, size, onClose, subject, children }: FormModalProps) {
  const isOpened = useOpened(isOpen);
  const isNarrow = useIsNarrow();
  return (
    <Modal
      opened={isOpened}
      onClose={onClose}
      title={title}
      size={size}
      fullScreen={isNarrow}
      closeOnClickOutside={false}
      {...closedByEscape(onClose)}
      classNames={{ body: "modal-form-body" }}
    >
      {/* While it fades away a second press must not send the form again. */}
      <div className="modal-form" inert={!isOpen}>
        <WindowGuard key={subject}>{children}</WindowGuard>
      </div>
    </Modal>
  );
}
