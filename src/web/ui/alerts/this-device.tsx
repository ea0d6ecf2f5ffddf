/** Push alerts of this browser: active, or what prevents them and how to fix it. */
import { Button } from "@mantine/core";
import { IconBellRinging, IconBrandTelegram, IconCheck } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type MouseEvent, type ReactNode } from "react";
import { alertCentre, type AlertCentre } from "../../api/alerts/alert-centre.ts";
import { call } from "../../api/client.ts";
import type { PushDevice } from "../../api/alerts/push-device.ts";
import { LazyWindow } from "../loading/guard.tsx";
import { lazyPart } from "../loading/lazy-part.ts";
import { showError } from "../toasts/show-toast.ts";
import { keepFocus, keepFocusInPage, leaveFocusAround } from "../windows/keep-focus.ts";
import "./this-device.css";

const TelegramDialog = lazyPart(async () => (await import("./telegram-dialog.tsx")).TelegramDialog);

interface ThisDeviceProps {
  readonly centre: AlertCentre;
  readonly device: PushDevice;
  /** An alternative channel, shown if push does not work here. */
  readonly alternative?: ReactNode;
  /** Beside the main button: "Plus tard". */
  readonly children?: ReactNode;
}

export function ThisDevice({ centre, device, alternative, children }: ThisDeviceProps) {
  const { state } = device;
  const activate = ({ currentTarget }: MouseEvent): void => {
    leaveFocusAround(currentTarget);
    device.activate();
  };
  if (state === "on") return <Done centre={centre} />;
  if (state === "off" || state === "activating" || state === "reading")
    return (
      <div className="buttons">
        <Button
          variant="filled"
          leftSection={<IconBellRinging size={18} stroke={1.7} />}
          loading={state === "activating"}
          disabled={state === "reading"}
          onClick={activate}
        >
          Activer sur cet appareil
        </Button>
        {children}
      </div>
    );
  return (
    <div className="stack" data-gap="12">
      <Obstacle state={state} refusal={device.refusal} />
      <div className="buttons">
        {state === "failed" || state === "lost" ? (
          <Button variant="filled" onClick={activate}>
            {state === "failed" ? "Réessayer" : "Activer sur cet appareil"}
          </Button>
        ) : null}
        {alternative}
        {children}
      </div>
    </div>
  );
}

interface ObstacleProps extends Pick<PushDevice, "refusal"> {
  readonly state: Exclude<PushDevice["state"], "on" | "off" | "activating" | "reading">;
}

function Obstacle({ state, refusal }: ObstacleProps) {
  switch (state) {
    case "denied":
      return (
        <div role="status">
          <p>Votre navigateur bloque les notifications de Synapse.</p>
          <p className="aside">
            Autorisez-les dans les réglages de ce site : l'icône à gauche de l'adresse, puis « Notifications
            ».
          </p>
        </div>
      );
    case "needs_install":
      return (
        <ol className="this-device__steps stack" data-gap="6">
          <li>Touchez Partager</li>
          <li>Choisissez « Sur l'écran d'accueil »</li>
          <li>Ouvrez Synapse depuis l'écran d'accueil et connectez-vous</li>
        </ol>
      );
    case "unsupported":
      return <p role="status">Ce navigateur ne sait pas recevoir d'alertes.</p>;
    case "failed":
      return <p role="status">{refusal ?? "Le service de notifications du navigateur n'a pas répondu."}</p>;
    case "lost":
      return <p role="status">Cet appareil ne reçoit plus les alertes.</p>;
    default:
      return state satisfies never;
  }
}

function Done({ centre }: { readonly centre: AlertCentre }) {
  const client = useQueryClient();
  const quiet = useMutation({
    mutationFn: () =>
      call("editAlertCentre", { body: { reglages: { calme: { actif: true, de: "23:00", a: "07:00" } } } }),
    onSuccess: () => client.invalidateQueries({ queryKey: alertCentre.queryKey }),
    onError: showError,
    onSettled: keepFocusInPage,
  });
  return (
    <div className="stack" data-gap="12" role="status">
      <p className="this-device__done line">
        <IconCheck size={18} stroke={2.2} aria-hidden="true" />
        C'est réglé
      </p>
      {centre.reglages === null || centre.reglages.calme.actif ? null : (
        <div className="buttons">
          <Button loading={quiet.isPending} onClick={() => quiet.mutate()}>
            Silence la nuit (23 h – 7 h)
          </Button>
        </div>
      )}
    </div>
  );
}

/** Renders nothing if the server has no bot. */
export function PairTelegram({ centre }: { readonly centre: AlertCentre }) {
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  if (centre.offerts.telegram === null) return null;
  const close = (): void => {
    setIsOpen(false);
    keepFocus(() => opener.current);
  };
  return (
    <>
      <Button
        ref={opener}
        leftSection={<IconBrandTelegram size={18} stroke={1.7} />}
        onClick={() => setIsOpen(true)}
      >
        Relier Telegram
      </Button>
      {isOpen ? (
        <LazyWindow isOpen onClose={close}>
          <TelegramDialog onClose={close} />
        </LazyWindow>
      ) : null}
    </>
  );
}
