import { useQuery } from "@tanstack/react-query";
import type { Sante } from "#contract/parametres.ts";
import { queries } from "../api/queries.ts";
import { ReadFailed } from "../ui/notice.tsx";
import { Loading } from "../ui/loading/unread-part.tsx";
import { useNowMs } from "../ui/now.ts";
import { Dialog } from "../ui/windows/dialog.tsx";
import { AutobuyStop } from "./autobuy-stop.tsx";
import { formatCount, formatMoney } from "../ui/format.ts";
import { formatCounted, formatResumption } from "../ui/format-panel.ts";

const REREAD_MS = 10_000;

interface HealthModalProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Status of the stream, the Vinted account and automatic buying; polled while it is open. */
export function HealthModal({ isOpen, onClose }: HealthModalProps) {
  const nowMs = useNowMs();
  const { data, isError, refetch } = useQuery({
    ...queries.state,
    enabled: isOpen,
    refetchInterval: isOpen ? REREAD_MS : false,
  });
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="État du service" size="md">
      <AutobuyStop />
      {data !== undefined ? (
        <HealthRows etat={data} nowMs={nowMs} />
      ) : isError ? (
        <ReadFailed what="L'état du service" onRetry={refetch} />
      ) : (
        <Loading height={220} mt="md" label="Chargement de l'état" />
      )}
    </Dialog>
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

interface HealthRow {
  readonly name: string;
  readonly text: string;
  /** care: the person must act or wait. rest: idle, or not part of the plan. */
  readonly tone: "good" | "care" | "rest";
}

export function healthRowsOf(etat: Sante, nowMs: number): readonly HealthRow[] {
  return [
    fluxRow(etat, nowMs),
    { name: "Lectures de Vinted", text: readsText(etat), tone: "good" },
    accountRow(etat),
    autobuyRow(etat, nowMs),
    spendingRow(etat),
  ];
}

function fluxRow({ flux }: Sante, nowMs: number): HealthRow {
  const name = "Flux des annonces";
  switch (flux.etat) {
    case "en_direct":
      return { name, text: "En direct", tone: "good" };
    case "au_repos":
      return { name, text: "Au repos : aucun filtre actif", tone: "rest" };
    case "ailleurs":
      return { name, text: "Lu par un autre serveur", tone: "rest" };
    case "en_pause":
      return { name, text: pauseText(flux.raison, flux.reprise, nowMs), tone: "care" };
    default:
      return flux.etat satisfies never;
  }
}

/** "En pause : Vinted ne répond pas, reprise à 04:29". */
function pauseText(reason: string | null, untilMs: number | null, nowMs: number): string {
  return `En pause${reason === null ? "" : ` : ${reason}`}${formatResumption(untilMs, nowMs)}`;
}

function readsText({ lectures_par_seconde: perSecond }: Sante): string {
  return `${formatCount(perSecond)} par seconde au plus, pour tous les abonnés`;
}

function accountRow({ compte }: Sante): HealthRow {
  const name = "Compte Vinted";
  if (compte === "connecte") return { name, text: "Connecté", tone: "good" };
  if (compte === "a_reconnecter")
    return { name, text: "À reconnecter : Vinted refuse votre token (Paramètres)", tone: "care" };
  return { name, text: "Aucun compte : connectez-le pour acheter (Paramètres)", tone: "care" };
}

function autobuyRow(
  { achats_auto: auto, compte, adresse_complete: hasAddress }: Sante,
  nowMs: number,
): HealthRow {
  const name = "Achats automatiques";
  // A block stops clicks as well, so it is shown for every plan.
  if (auto.bloque !== null)
    return { name, text: `${auto.bloque}${formatResumption(auto.reprise, nowMs)}`, tone: "care" };
  if (!auto.inclus) return { name, text: "Réservés aux offres Acquire et Thunder", tone: "rest" };
  // Set by the person, or by a purchase that cost more than its quote.
  if (auto.arret) return { name, text: "Arrêtés : « Tout arrêter » est allumé", tone: "care" };
  if (auto.filtres === 0)
    return { name, text: "Aucun achat automatique : aucun filtre actif n'en fait", tone: "rest" };
  if (compte !== "connecte") return { name, text: "En pause : compte à connecter", tone: "care" };
  if (!hasAddress) return { name, text: "En pause : adresse à compléter", tone: "care" };
  const filters = formatCounted(auto.filtres, "filtre actif achète", "filtres actifs achètent");
  return { name, text: `${filters} pour vous`, tone: "good" };
}

function spendingRow({ depense }: Sante): HealthRow {
  const { jour, limite_jour: limit } = depense;
  const isFull = Number(jour.amount) >= Number(limit.amount);
  return {
    name: "Dépensé aujourd'hui",
    text: `${formatMoney(jour)} sur ${formatMoney(limit)}${isFull ? " : limite atteinte" : ""}`,
    tone: isFull ? "care" : "good",
  };
}
