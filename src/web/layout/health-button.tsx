import { ActionIcon } from "@mantine/core";
import { IconActivityHeartbeat } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { queries } from "../api/queries.ts";
import { LateWindow } from "../ui/guard.tsx";
import { Tip } from "../ui/tip.tsx";
import "./health-button.css";

const HealthModal = lazy(async () => ({ default: (await import("./health-modal.tsx")).HealthModal }));

const LABEL = "État du service et arrêt d'urgence";

/** In the bar of every screen: how everything stands, and 'Tout arrêter' one touch away. */
export function HealthButton() {
  const { data: settings } = useQuery(queries.settings);
  const [modal, setModal] = useState({ isOpen: false, wasOpened: false });
  const isStopped = settings?.limites?.arret === true;
  const needsCare = isStopped || settings?.etat === "a_reconnecter";
  return (
    <>
      <Tip text={LABEL} align="end">
        <ActionIcon
          className="health-button"
          data-care={needsCare || undefined}
          aria-label={isStopped ? `${LABEL} (achats automatiques arrêtés)` : LABEL}
          aria-haspopup="dialog"
          onClick={() => setModal({ isOpen: true, wasOpened: true })}
        >
          <IconActivityHeartbeat size={21} stroke={1.7} />
        </ActionIcon>
      </Tip>
      {modal.wasOpened ? (
        <LateWindow isOpen={modal.isOpen}>
          <HealthModal isOpen={modal.isOpen} onClose={() => setModal({ isOpen: false, wasOpened: true })} />
        </LateWindow>
      ) : null}
    </>
  );
}
