import { ActionIcon, Button } from "@mantine/core";
import { IconAdjustments, IconPlus, IconTrash } from "@tabler/icons-react";
import { formatCounted } from "../../ui/format.ts";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tip } from "../../ui/tip.tsx";
import { COLUMN_CHIPS_ID } from "./column-chips.tsx";

interface FiltresHeaderProps {
  readonly isManaging: boolean;
  readonly selectedCount: number;
  readonly isDeleting: boolean;
  readonly onCreate: () => void;
  readonly onManage: () => void;
  readonly onDelete: () => void;
}

export function FiltresHeader(props: FiltresHeaderProps) {
  const { isManaging, selectedCount, isDeleting, onCreate, onManage, onDelete } = props;
  const deleteLabel =
    selectedCount === 0
      ? "Supprimer les filtres sélectionnés"
      : `Supprimer ${formatCounted(selectedCount, "filtre sélectionné", "filtres sélectionnés")}`;
  return (
    <PageHeader
      title="Mes filtres"
      subtitle="Gérez vos filtres : chacun décrit ce que vous cherchez, et peut acheter pour vous."
      actions={
        <>
          <Button variant="filled" leftSection={<IconPlus size={18} stroke={2.4} />} onClick={onCreate}>
            Créer un nouveau filtre
          </Button>
          <Button
            leftSection={<IconAdjustments size={18} stroke={1.8} />}
            aria-expanded={isManaging}
            aria-controls={COLUMN_CHIPS_ID}
            onClick={onManage}
          >
            Gérer
          </Button>
          <Tip text={deleteLabel} align="end">
            <ActionIcon
              variant={selectedCount > 0 ? "danger" : "default"}
              aria-label={deleteLabel}
              aria-disabled={selectedCount === 0}
              loading={isDeleting}
              onClick={() => (selectedCount > 0 ? onDelete() : undefined)}
            >
              <IconTrash size={20} stroke={1.8} />
            </ActionIcon>
          </Tip>
        </>
      }
    />
  );
}
