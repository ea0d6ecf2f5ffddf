import { Button, Modal, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.ts";
import { closedByEscape } from "../../ui/closed-by-escape.ts";
import { WindowGuard } from "../../ui/guard.tsx";
import { ReadFailed } from "../../ui/screen-state.tsx";
import { useIsNarrow } from "../../ui/use-is-narrow.ts";
import { SettingsForm } from "./settings-form.tsx";
import { useOpened } from "../../ui/use-opened.ts";

interface ParametresModalProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ParametresModal({ isOpen, onClose }: ParametresModalProps) {
  const isOpened = useOpened(isOpen);
  const isNarrow = useIsNarrow();
  const settings = useQuery(queries.settings);
  return (
    <Modal
      opened={isOpened}
      onClose={onClose}
      title="Paramètres utilisateur"
      size={900}
      fullScreen={isNarrow}
      closeOnClickOutside={false}
      {...closedByEscape(onClose)}
      classNames={{ body: "modal-form-body" }}
    >
      {settings.data !== undefined && settings.data.isPartial !== true ? (
        <WindowGuard>
          <SettingsForm saved={settings.data} onDone={onClose} />
        </WindowGuard>
      ) : settings.isError || settings.data !== undefined ? (
        <div className="settings-wait">
          <ReadFailed what="Vos paramètres" onRetry={() => void settings.refetch()} />
          <Button onClick={onClose}>Fermer</Button>
        </div>
      ) : (
        <div className="settings-wait" role="status" aria-busy="true" aria-label="Chargement des paramètres">
          <Skeleton height={44} />
          <Skeleton height={44} />
          <Skeleton height={120} />
        </div>
      )}
    </Modal>
  );
}
