import { Modal, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Sante } from "#contract/compte.ts";
import { queries } from "../api/queries.ts";
import { WindowGuard } from "../ui/guard.tsx";
import { ReadFailed } from "../ui/notice.tsx";
import { useNowMs } from "../ui/now.ts";
import { closedByEscape, useOpened } from "../ui/windows/modal.tsx";
import { AutobuyStop } from "./autobuy-stop.tsx";
import { healthRowsOf } from "./health-rows.ts";

const REREAD_MS = 10_000;

interface HealthModalProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Everything that finds and buys for the person, in one place; read again while it is open. */
export function HealthModal({ isOpen, onClose }: HealthModalProps) {
  const isOpened = useOpened(isOpen);
  const nowMs = useNowMs();
  const { data, isError, refetch } = useQuery({
    ...queries.state,
    enabled: isOpen,
    refetchInterval: isOpen ? REREAD_MS : false,
  });
  return (
    <Modal opened={isOpened} onClose={onClose} title="État du service" size="md" {...closedByEscape(onClose)}>
      <AutobuyStop />
      {data !== undefined ? (
        <WindowGuard>
          <HealthRows etat={data} nowMs={nowMs} />
        </WindowGuard>
      ) : isError ? (
        <ReadFailed what="L'état du service" onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={220} mt="md" aria-busy="true" aria-label="Chargement de l'état" />
      )}
    </Modal>
  );
}

interface HealthRowsProps {
  readonly etat: Sante;
  readonly nowMs: number;
}

function HealthRows({ etat, nowMs }: HealthRowsProps) {
  return (
    <dl className="health-rows">
      {healthRowsOf(etat, nowMs).map(({ name, text, tone }) => (
        <div key={name} data-tone={tone}>
          <span className="health-rows__dot" aria-hidden="true" />
          <dt className="hint">{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
