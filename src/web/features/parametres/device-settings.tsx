import { Button, Switch } from "@mantine/core";
import { IconEye, IconVolume } from "@tabler/icons-react";
import { useState } from "react";
import { areNotificationsAllowed, keepAlertChoices, readAlertChoices, ring } from "../../api/alerts.ts";
import type { AlertChoices } from "../../api/alerts.ts";
import { useLiveFeed } from "../../api/live-context.ts";
import { useObservable } from "../../api/observable.ts";
import { formatCounted } from "../../ui/format.ts";
import { showToast } from "../../ui/toast.tsx";
import "./device-settings.css";

const REFUSED_TEXT =
  "Le navigateur refuse les notifications de cette page : permettez-les dans ses réglages.";

/** Choices of this device alone, kept in its browser and in effect at once. */
export function DeviceSettings() {
  const [choices, setChoices] = useState(readAlertChoices);
  const choose = (changes: Partial<AlertChoices>): void => {
    const next = { ...choices, ...changes };
    setChoices(next);
    keepAlertChoices(next);
  };
  const chooseNotifications = async (isWanted: boolean): Promise<void> => {
    if (isWanted && !(await askForNotifications())) {
      showToast({ message: REFUSED_TEXT, tone: "bad" });
      return;
    }
    choose({ notifications: isWanted });
  };
  const chooseSound = (isWanted: boolean): void => {
    choose({ sound: isWanted });
    // Heard once, so that it is known later; a page may sound only after a touch.
    if (isWanted) void ring();
  };
  return (
    <div className="device-settings">
      <Switch
        label="Notifications du système"
        description="Quand l'onglet est caché : nouveaux articles et achats."
        checked={choices.notifications && areNotificationsAllowed()}
        onChange={(event) => void chooseNotifications(event.currentTarget.checked)}
      />
      <div className="device-settings__sound">
        <Switch
          label="Son"
          description="Deux notes brèves, quand l'onglet est caché."
          checked={choices.sound}
          onChange={(event) => chooseSound(event.currentTarget.checked)}
        />
        {choices.sound ? (
          <Button
            variant="subtle"
            leftSection={<IconVolume size={18} stroke={1.7} />}
            onClick={() => void ring()}
          >
            Écouter
          </Button>
        ) : null}
      </div>
      <HiddenSellers />
    </div>
  );
}

function HiddenSellers() {
  const { hiddenSellers } = useLiveFeed();
  const hidden = useObservable(hiddenSellers);
  if (hidden.size === 0) return null;
  return (
    <div className="device-settings__sellers">
      <p>{formatCounted(hidden.size, "vendeur masqué", "vendeurs masqués")}</p>
      <Button
        variant="subtle"
        leftSection={<IconEye size={18} stroke={1.7} />}
        onClick={() => hiddenSellers.set(new Set())}
      >
        Tout remontrer
      </Button>
    </div>
  );
}

async function askForNotifications(): Promise<boolean> {
  if (!("Notification" in window)) return false;
  return (await Notification.requestPermission()) === "granted";
}
