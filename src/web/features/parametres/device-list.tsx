import { Button, Skeleton } from "@mantine/core";
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Appareil } from "#contract/compte.ts";
import { call, errorText } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { formatAge, formatPurchaseDate } from "../../ui/format.ts";
import { Notice } from "../../ui/notice.tsx";
import { useNowMs } from "../../ui/now.ts";
import { TagBadge } from "../../ui/tag-badge.tsx";
import { showToast } from "../../ui/toast.tsx";
import "./device-list.css";

/** Where the person is signed in; every other place can be signed out from here. */
export function DeviceList() {
  const client = useQueryClient();
  const { data, isError, refetch } = useQuery(queries.sessions);
  const end = useMutation({
    mutationFn: (id: string | undefined) => call("endSessions", { body: id === undefined ? {} : { id } }),
    onSuccess: ({ message }) => showToast({ message, tone: "neutral" }),
    onError: (error) => showToast({ message: errorText(error), tone: "bad" }),
    onSettled: () => client.invalidateQueries({ queryKey: queries.sessions.queryKey }),
  });
  if (data === undefined) {
    if (!isError) return <Skeleton height={64} aria-busy="true" aria-label="Chargement des appareils" />;
    return (
      <Notice tone="neutral" action={<Button onClick={() => void refetch()}>Réessayer</Button>}>
        Vos appareils n'ont pas pu être lus.
      </Notice>
    );
  }
  return (
    <div className="device-list">
      <ul>
        {data.map((device) => (
          <DeviceRow
            key={device.id}
            device={device}
            isBusy={end.isPending && end.variables === device.id}
            onEnd={() => end.mutate(device.id)}
          />
        ))}
      </ul>
      {data.length < 3 ? null : (
        <Button loading={end.isPending && end.variables === undefined} onClick={() => end.mutate(undefined)}>
          Déconnecter tous les autres
        </Button>
      )}
    </div>
  );
}

interface DeviceRowProps {
  readonly device: Appareil;
  readonly isBusy: boolean;
  readonly onEnd: () => void;
}

function DeviceRow({ device: { nom, depuis, vu, actuel }, isBusy, onEnd }: DeviceRowProps) {
  const nowMs = useNowMs();
  const Icon = /iPhone|Android/u.test(nom) ? IconDeviceMobile : IconDeviceDesktop;
  const name = nom === "" ? "Navigateur inconnu" : nom;
  return (
    <li>
      <Icon size={20} stroke={1.6} aria-hidden="true" />
      <div>
        <p>
          {name} {actuel ? <TagBadge tone="good">Cet appareil</TagBadge> : null}
        </p>
        <p className="device-list__times">
          Connecté le {formatPurchaseDate(Math.floor(depuis / 1_000))}
          {actuel ? null : `, vu ${formatAge(vu, nowMs)}`}
        </p>
      </div>
      {actuel ? null : (
        <Button variant="danger-quiet" aria-label={`Déconnecter ${name}`} loading={isBusy} onClick={onEnd}>
          Déconnecter
        </Button>
      )}
    </li>
  );
}
