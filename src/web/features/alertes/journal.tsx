/** The alerts of the last week, and their outcomes. */
import { Button, Skeleton } from "@mantine/core";
import { IconBell, IconBellOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { ALERT_CHANNELS } from "#catalogue/alert-channels.ts";
import type { Envoi } from "#contract/alerte.ts";
import { queries } from "../../api/queries.ts";
import { formatAge } from "../../ui/format.ts";
import { LeftOut, Notice } from "../../ui/notice.tsx";
import { useNowMs } from "../../ui/now.ts";
import { TagBadge, type BadgeTone } from "../../ui/tag-badge.tsx";

const RESULTS: Readonly<Record<Envoi["resultat"], readonly [label: string, tone: BadgeTone]>> = {
  attend: ["En attente", "waiting"],
  envoye: ["Envoyée", "good"],
  refuse: ["Refusée", "bad"],
  abandonne: ["Abandonnée", "bad"],
  inutile: ["Sans objet", "neutral"],
  incertain: ["Incertaine", "waiting"],
};

export function Journal() {
  const { data, isError, refetch } = useQuery(queries.alertJournal);
  const nowMs = useNowMs();
  if (data === undefined) {
    if (!isError)
      return <Skeleton height={96} role="status" aria-busy="true" aria-label="Chargement du journal" />;
    return (
      <Notice tone="neutral" action={<Button onClick={() => void refetch()}>Réessayer</Button>}>
        Les alertes envoyées n'ont pas pu être lues.
      </Notice>
    );
  }
  if (data.length === 0) return <p className="aside">Rien n'a encore été envoyé.</p>;
  return (
    <>
      <ol className="alertes__journal">
        {data.map((one) => (
          <Entry key={one.id} envoi={one} nowMs={nowMs} />
        ))}
      </ol>
      <LeftOut list="alerts" one="envoi" many="envois" />
    </>
  );
}

function Entry({ envoi, nowMs }: { readonly envoi: Envoi; readonly nowMs: number }) {
  const { titre, sonore, resultat, raison, canal, nom, envoye_a: sentMs, prevu_a: plannedMs } = envoi;
  const [label, tone] = RESULTS[resultat];
  const channel = ALERT_CHANNELS[canal].label;
  const Icon = sonore ? IconBell : IconBellOff;
  return (
    <li>
      <Icon size={18} stroke={1.6} aria-label={sonore ? "Sonore" : "Silencieuse"} role="img" />
      <div>
        <p>{titre}</p>
        <p className="hint">
          {[nom === channel ? channel : `${channel} · ${nom}`, formatAge(sentMs ?? plannedMs, nowMs), raison]
            .filter((part) => part !== null)
            .join(" · ")}
        </p>
      </div>
      <TagBadge tone={tone}>{label}</TagBadge>
    </li>
  );
}
