/** Offers alerts if no channel reports new articles, or if this device has lost its push subscription. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { alertCentre } from "../../api/alerts/alert-centre.ts";
import { useThisDevice } from "../../api/alerts/push-device.ts";
import { PairTelegram, ThisDevice } from "../../ui/alerts/this-device.tsx";
import { PassingButton } from "../../ui/notice.tsx";
import { parseFlag, usePreference } from "../../ui/preference.ts";

const LATER_KEY = "synapse.alertes-plus-tard";

export function AlertCard() {
  const { data: centre } = useQuery(alertCentre);
  const device = useThisDevice(centre);
  const { state } = device;
  const [isLater, setIsLater] = usePreference(LATER_KEY, parseFlag, false);
  // After the set-up, the card stays until the page is left.
  const [wasOffered, setWasOffered] = useState(false);
  const hasChannel =
    centre?.canaux.some(({ etat, evenements }) => etat === "actif" && evenements.articles) === true;
  const isReached = hasChannel && state === "on";
  // 'Plus tard' ends once this device receives alerts of articles: that it has lost them later is news.
  useEffect(() => {
    if (isLater && isReached) setIsLater(false);
  }, [isLater, isReached, setIsLater]);
  if (centre === undefined || isLater) return null;
  const isOffered = !hasChannel || state === "lost";
  if (isOffered && !wasOffered) setWasOffered(true);
  if (!isOffered && !wasOffered) return null;
  return (
    <section className="produits__alerts card stack" data-gap="12" aria-labelledby="alertes-carte">
      <h2 id="alertes-carte">Soyez prévenu quand Synapse est fermé</h2>
      <ThisDevice
        centre={centre}
        device={hasChannel && state !== "lost" ? { ...device, state: "on" } : device}
        alternative={<PairTelegram centre={centre} />}
      >
        <PassingButton variant="subtle" onPress={() => setIsLater(true)}>
          Plus tard
        </PassingButton>
      </ThisDevice>
    </section>
  );
}
