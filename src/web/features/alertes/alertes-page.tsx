import { Button } from "@mantine/core";
import { IconMailOpened, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { alertCentre } from "../../api/alerts/alert-centre.ts";
import { call } from "../../api/client.ts";
import { useThisDevice } from "../../api/alerts/push-device.ts";
import { PairTelegram, ThisDevice } from "../../ui/alerts/this-device.tsx";
import { formatClock } from "../../ui/format-panel.ts";
import { ReadFailed } from "../../ui/notice.tsx";
import { Loading } from "../../ui/loading/unread-part.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { showToast } from "../../ui/toasts/show-toast.ts";
import { useCentreChange } from "./use-centre-change.ts";
import { AlertSettings } from "./alert-settings.tsx";
import { Channels } from "./channels.tsx";
import { Journal } from "./journal.tsx";
import "./alertes-page.css";

/** A pause ends by itself, and the push service may give up a device. */
const REFRESH_MS = 30_000;

/** The channels and settings of alerts outside the page, and what was sent. */
export function AlertesPage() {
  const { data: centre, isError, refetch } = useQuery({ ...alertCentre, refetchInterval: REFRESH_MS });
  const device = useThisDevice(centre);
  const settings = centre?.reglages ?? null;
  return (
    <div className="alertes stack">
      <PageHeader
        title="Alertes"
        subtitle="Soyez prévenu quand Synapse est fermé"
        actions={settings === null ? undefined : <Pause untilMs={settings.pause_jusqua} />}
      />
      {centre === undefined ? (
        isError ? (
          <ReadFailed what="Vos alertes" onRetry={refetch} />
        ) : (
          <Loading height={220} label="Chargement des alertes" />
        )
      ) : (
        <>
          <section className="card stack" aria-labelledby="cet-appareil">
            <h2 id="cet-appareil">Cet appareil</h2>
            <ThisDevice centre={centre} device={device} />
            {centre.boite === null ? null : <Trial boite={centre.boite} />}
          </section>
          <section className="card stack" aria-labelledby="canaux">
            <div className="row between">
              <h2 id="canaux">Canaux</h2>
              <PairTelegram centre={centre} />
            </div>
            <Channels canaux={centre.canaux} />
          </section>
          <section className="card stack" aria-labelledby="reglages-alertes">
            <h2 id="reglages-alertes">Réglages</h2>
            {settings === null ? (
              <ReadFailed what="Vos réglages" onRetry={refetch} />
            ) : (
              <AlertSettings settings={settings} hasTelegram={centre.offerts.telegram !== null} />
            )}
          </section>
          <section className="card stack" aria-labelledby="alertes-envoyees">
            <h2 id="alertes-envoyees">Alertes envoyées</h2>
            <Journal />
          </section>
        </>
      )}
    </div>
  );
}

function Pause({ untilMs }: { readonly untilMs: number | null }) {
  const change = useCentreChange();
  const pause = useMutation({
    mutationFn: (minutes: number) => call("pauseAlerts", { body: { minutes } }),
    onSuccess: ({ message }) => showToast({ message }),
    ...change,
  });
  // Not compared with this device's clock, which may be wrong.
  if (untilMs === null)
    return (
      <Button
        leftSection={<IconPlayerPause size={18} stroke={1.7} />}
        loading={pause.isPending}
        onClick={() => pause.mutate(60)}
      >
        Pause 1 h
      </Button>
    );
  return (
    <>
      <p className="aside">En pause jusqu'à {formatClock(Math.floor(untilMs / 1_000))}</p>
      <Button
        leftSection={<IconPlayerPlay size={18} stroke={1.7} />}
        loading={pause.isPending}
        onClick={() => pause.mutate(0)}
      >
        Reprendre
      </Button>
    </>
  );
}

/** The sandbox's substitute for a phone. */
function Trial({ boite }: { readonly boite: string }) {
  const change = useCentreChange();
  const add = useMutation({
    mutationFn: () => call("addAlertDevice", { body: { essai: true } }),
    onSuccess: ({ message }) => showToast({ message }),
    ...change,
  });
  return (
    <div className="buttons">
      <Button loading={add.isPending} onClick={() => add.mutate()}>
        Téléphone d'essai
      </Button>
      <Button
        component="a"
        variant="subtle"
        href={boite}
        target="_blank"
        rel="noreferrer"
        leftSection={<IconMailOpened size={18} stroke={1.7} />}
      >
        Boîte de réception
      </Button>
    </div>
  );
}
