/** The channels and what each receives; changes are saved immediately. */
import { Button, Switch } from "@mantine/core";
import {
  IconBell,
  IconBrandDiscord,
  IconBrandTelegram,
  IconDeviceMobile,
  IconMail,
} from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ALERT_CHANNELS } from "#catalogue/alert-channels.ts";
import type { Canal } from "#contract/alerte.ts";
import { call } from "../../api/client.ts";
import { unsubscribe } from "../../api/alerts/push-device.ts";
import { Guard } from "../../ui/loading/guard.tsx";
import { LeftOut } from "../../ui/notice.tsx";
import { TagBadge } from "../../ui/tag-badge.tsx";
import { showToast } from "../../ui/toasts/show-toast.ts";
import { useAsk } from "../../ui/windows/ask.tsx";
import { useCentreChange } from "./use-centre-change.ts";

const ICONS: Readonly<Partial<Record<Canal["canal"], typeof IconMail>>> = {
  push: IconDeviceMobile,
  telegram: IconBrandTelegram,
  discord: IconBrandDiscord,
  courriel: IconMail,
};

const EVENTS = [
  ["articles", "Nouveaux articles"],
  ["achats", "Achats"],
  ["compte", "Compte et sécurité"],
  ["resume", "Résumé"],
] as const satisfies readonly (readonly [keyof Canal["evenements"], string])[];

export function Channels({ canaux }: { readonly canaux: readonly Canal[] }) {
  return (
    <>
      {canaux.length === 0 ? (
        <p className="aside">Aucun canal : activez cet appareil ou reliez Telegram.</p>
      ) : (
        <ul className="alertes__channels stack ruled">
          {canaux.map((canal) => (
            <Guard key={canal.id} of={canal} fallback={null}>
              <Channel
                canal={canal}
                isLastHere={
                  canal.ici && !canaux.some(({ id, ici, etat }) => id !== canal.id && ici && etat === "actif")
                }
              />
            </Guard>
          ))}
        </ul>
      )}
      <LeftOut list="channels" one="canal" many="canaux" />
    </>
  );
}

interface ChannelProps {
  readonly canal: Canal;
  /** Without it, nothing is sent to this browser any more. */
  readonly isLastHere: boolean;
}

function Channel({ canal, isLastHere }: ChannelProps) {
  const { id, nom, etat, ici } = canal;
  const client = useQueryClient();
  const ask = useAsk();
  const change = useCentreChange();
  const trial = useMutation({
    mutationFn: () => call("testAlertChannel", { body: { id } }),
    onSuccess: ({ message }) => showToast({ message }),
    ...change,
  });
  const removal = useMutation({
    mutationFn: () => call("removeAlertChannel", { body: { id } }),
    onSuccess: async ({ message }) => {
      showToast({ message, tone: "neutral" });
      if (isLastHere) await unsubscribe(client);
    },
    ...change,
  });
  const label = ALERT_CHANNELS[canal.canal].label;
  const name = nom === label ? label : `${label} · ${nom}`;
  const remove = async (): Promise<void> => {
    const question = {
      title: "Retirer ce canal ?",
      text: `${name} ne recevra plus d'alertes.`,
      action: "Retirer",
      keep: "Garder le canal",
      isDangerous: true,
    };
    if (await ask(question)) removal.mutate();
  };
  const Icon = ICONS[canal.canal] ?? IconBell;
  return (
    <li className="stack" data-gap="12" aria-label={name}>
      <p className="alertes__name row">
        <Icon size={20} stroke={1.6} aria-hidden="true" />
        <span>{name}</span>
        {ici ? <TagBadge tone="good">Cet appareil</TagBadge> : null}
        {etat === "perdu" ? <TagBadge tone="bad">Perdu</TagBadge> : null}
      </p>
      <div className="alertes__switches row">
        {EVENTS.map(([event, words]) =>
          event === "articles" && !ALERT_CHANNELS[canal.canal].mayHaveArticles ? null : (
            <EventSwitch key={event} canal={canal} event={event} label={words} />
          ),
        )}
      </div>
      <div className="buttons">
        <Button
          aria-label={`Envoyer un essai : ${name}`}
          loading={trial.isPending}
          onClick={() => trial.mutate()}
        >
          Envoyer un essai
        </Button>
        {canal.canal === "courriel" ? null : (
          <Button
            variant="danger-quiet"
            aria-label={`Retirer : ${name}`}
            loading={removal.isPending}
            onClick={() => void remove()}
          >
            Retirer
          </Button>
        )}
      </div>
    </li>
  );
}

interface EventSwitchProps {
  readonly canal: Canal;
  readonly event: keyof Canal["evenements"];
  readonly label: string;
}

/** Each switch has its own request, so that the answer to one does not turn another back. */
function EventSwitch({ canal: { id, evenements }, event, label }: EventSwitchProps) {
  const edit = useMutation({
    mutationFn: (isOn: boolean) =>
      call("editAlertCentre", { body: { canaux: [{ id, evenements: { [event]: isOn } }] } }),
    ...useCentreChange(),
  });
  return (
    <Switch
      label={label}
      // Optimistic update: the new state is shown while the request is in flight.
      checked={edit.isPending ? edit.variables : evenements[event]}
      onChange={({ currentTarget }) => edit.mutate(currentTarget.checked)}
    />
  );
}
