/** The alerts of the last week, and their outcomes. */
import { IconBell, IconBellOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { ALERT_CHANNELS } from "#catalogue/alert-channels.ts";
import type { Envoi } from "#contract/alerte.ts";
import { alertJournal } from "../../api/alerts/alert-centre.ts";
import { formatAge } from "../../ui/format.ts";
import { formatClock } from "../../ui/format-panel.ts";
import { Guard } from "../../ui/loading/guard.tsx";
import { LeftOut } from "../../ui/notice.tsx";
import { UnreadPart } from "../../ui/loading/unread-part.tsx";
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
  const journal = useQuery(alertJournal);
  const { data } = journal;
  const nowMs = useNowMs();
  if (data === undefined)
    return (
      <UnreadPart query={journal} height={96} label="Chargement du journal">
        Les alertes envoyées n'ont pas pu être lues.
      </UnreadPart>
    );
  if (data.length === 0) return <p className="aside">Rien n'a encore été envoyé.</p>;
  return (
    <>
      <ol className="alertes__journal ruled">
        {data.map((one) => (
          <Guard key={one.id} of={one} fallback={null}>
            <Entry envoi={one} nowMs={nowMs} />
          </Guard>
        ))}
      </ol>
      <LeftOut list="alerts" one="envoi" many="envois" />
    </>
  );
}

function Entry({ envoi, nowMs }: { readonly envoi: Envoi; readonly nowMs: number }) {
  const { titre, sonore, resultat, raison, canal, nom, envoye_a: sentMs, prevu_a: dueMs } = envoi;
  const [label, tone] = RESULTS[resultat];
  const channel = ALERT_CHANNELS[canal].label;
  const Icon = sonore ? IconBell : IconBellOff;
  return (
    <li>
      <Icon size={18} stroke={1.6} aria-label={sonore ? "Sonore" : "Silencieuse"} role="img" />
      <div>
        <p>{titre}</p>
        <p className="hint">
          {[nom === channel ? channel : `${channel} · ${nom}`, timeText(sentMs ?? dueMs, nowMs), raison]
            .filter((part) => part !== null)
            .join(" · ")}
        </p>
      </div>
      <TagBadge tone={tone}>{label}</TagBadge>
    </li>
  );
}

/** "il y a 5 min"; "à 14:05" for what is due later, as the bank's reminder. */
function timeText(ms: number, nowMs: number): string {
  return ms > nowMs ? `à ${formatClock(ms / 1_000)}` : formatAge(ms, nowMs);
}
