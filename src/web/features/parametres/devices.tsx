import { Button } from "@mantine/core";
import { IconDeviceDesktop, IconDeviceMobile } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Appareil } from "#contract/parametres.ts";
import { call } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { formatAge } from "../../ui/format.ts";
import { formatPurchaseDate } from "../../ui/format-panel.ts";
import { Guard } from "../../ui/loading/guard.tsx";
import { LeftOut } from "../../ui/notice.tsx";
import { UnreadPart } from "../../ui/loading/unread-part.tsx";
import { useNowMs } from "../../ui/now.ts";
import { TagBadge } from "../../ui/tag-badge.tsx";
import { showError, showToast } from "../../ui/toasts/show-toast.ts";
import { useAsk } from "../../ui/windows/ask.tsx";
import { leaveFocusAround } from "../../ui/windows/keep-focus.ts";

/** The user's sessions; every other one can be signed out from here. */
export function DeviceList() {
  const client = useQueryClient();
  const sessions = useQuery(queries.sessions);
  const { data } = sessions;
  const end = useMutation({
    mutationFn: (id: string | undefined) => call("endSessions", { body: id === undefined ? {} : { id } }),
    onSuccess: ({ message }) => showToast({ message, tone: "neutral" }),
    onError: showError,
    onSettled: () => client.invalidateQueries({ queryKey: queries.sessions.queryKey }),
  });
  const endFrom = (button: Element, id?: string): void => {
    leaveFocusAround(button);
    end.mutate(id);
  };
  const ask = useAsk();
  const endOthers = async (button: Element, count: number): Promise<void> => {
    const question = {
      title: `Déconnecter ${count} appareils ?`,
      text: "Il faudra s'y connecter de nouveau. Celui-ci reste connecté.",
      action: "Déconnecter",
      keep: "Les laisser connectés",
      isDangerous: true,
    };
    if (await ask(question)) endFrom(button);
  };
  if (data === undefined)
    return (
      <UnreadPart query={sessions} height={64} label="Chargement des appareils">
        Vos appareils n'ont pas pu être lus.
      </UnreadPart>
    );
  return (
    <div className="device-list stack" data-gap="12" tabIndex={-1}>
      <ul className="ruled">
        {data.map((device) => (
          <Guard key={device.id} of={device} fallback={null}>
            <DeviceRow
              device={device}
              isBusy={end.isPending && end.variables === device.id}
              onEnd={(button) => endFrom(button, device.id)}
            />
          </Guard>
        ))}
      </ul>
      <LeftOut list="sessions" one="appareil" many="appareils" />
      {data.length < 3 ? null : (
        <Button
          loading={end.isPending && end.variables === undefined}
          onClick={({ currentTarget }) => void endOthers(currentTarget, data.length - 1)}
        >
          Déconnecter tous les autres
        </Button>
      )}
    </div>
  );
}

interface DeviceRowProps {
  readonly device: Appareil;
  readonly isBusy: boolean;
  readonly onEnd: (button: Element) => void;
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
        <p className="hint">
          Connecté le {formatPurchaseDate(Math.floor(depuis / 1_000))}
          {actuel ? null : `, vu ${formatAge(vu, nowMs)}`}
        </p>
      </div>
      {actuel ? null : (
        <Button
          variant="danger-quiet"
          aria-label={`Déconnecter ${name}`}
          loading={isBusy}
          onClick={({ currentTarget }) => onEnd(currentTarget)}
        >
          Déconnecter
        </Button>
      )}
    </li>
  );
}
