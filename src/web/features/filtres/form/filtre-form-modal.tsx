import { Modal } from "@mantine/core";
import type { Filtre } from "#contract/filtre.ts";
import { useSession } from "../../../api/session.ts";
import { closedByEscape } from "../../../ui/closed-by-escape.ts";
import { useIsNarrow } from "../../../ui/use-is-narrow.ts";
import { FiltreForm } from "./filtre-form.tsx";
import { useOpened } from "../../../ui/use-opened.ts";

interface FiltreFormModalProps {
  readonly isOpen: boolean;
  /** Null for a new filter. */
  readonly edited: Filtre | null;
  readonly onClose: () => void;
}

export function FiltreFormModal({ isOpen, edited, onClose }: FiltreFormModalProps) {
  const isOpened = useOpened(isOpen);
  const { user } = useSession();
  const isNarrow = useIsNarrow();
  if (user === null) return null;
  return (
    <Modal
      opened={isOpened}
      onClose={onClose}
      title={edited === null ? "Créer un nouveau filtre" : "Modifier le filtre"}
      size={720}
      fullScreen={isNarrow}
      // What was typed is not lost by a click beside the window.
      closeOnClickOutside={false}
      {...closedByEscape(onClose)}
      classNames={{ body: "modal-form-body" }}
    >
      <FiltreForm key={edited?._id ?? "new"} user={user} edited={edited} onDone={onClose} />
    </Modal>
  );
}
