/** How everything stands, as rows that a person reads at a glance. Pure. */
import type { Sante } from "#contract/compte.ts";
import { formatCount, formatCounted, formatMoney } from "../ui/format.ts";

export interface HealthRow {
  readonly name: string;
  readonly text: string;
  /** care: something is to be done or waited for. */
  readonly tone: "good" | "care" | "rest";
}

export function healthRowsOf(etat: Sante): readonly HealthRow[] {
  return [
    fluxRow(etat),
    { name: "Lectures de Vinted", text: readsText(etat), tone: "good" },
    accountRow(etat),
    autobuyRow(etat),
    spendingRow(etat),
  ];
}

function fluxRow({ flux }: Sante): HealthRow {
  const name = "Flux des annonces";
  switch (flux.etat) {
    case "en_direct":
      return { name, text: "En direct", tone: "good" };
    case "au_repos":
      return { name, text: "Au repos : aucun filtre actif à suivre", tone: "rest" };
    case "ailleurs":
      return { name, text: "Lu par un autre serveur", tone: "rest" };
    case "en_pause":
      return { name, text: flux.raison ?? "En pause", tone: "care" };
    default:
      return flux.etat satisfies never;
  }
}

function readsText({ lectures_par_seconde: perSecond }: Sante): string {
  return `${formatCount(perSecond)} par seconde au plus, partagées entre tous les abonnés`;
}

function accountRow({ compte }: Sante): HealthRow {
  const name = "Session Vinted";
  if (compte === "connecte") return { name, text: "Connectée", tone: "good" };
  if (compte === "a_reconnecter")
    return { name, text: "Refusée par Vinted : à reconnecter dans les paramètres", tone: "care" };
  return { name, text: "Aucun compte connecté : rien ne peut être acheté", tone: "care" };
}

function autobuyRow({ achats_auto: auto }: Sante): HealthRow {
  const name = "Achats automatiques";
  // It stops clicks as well, so that every plan is told.
  if (auto.bloque !== null) return { name, text: auto.bloque, tone: "care" };
  if (!auto.inclus) return { name, text: "Réservés aux offres Acquire et Thunder", tone: "rest" };
  if (auto.arret) return { name, text: "Arrêtés par « Tout arrêter »", tone: "care" };
  if (auto.filtres === 0) return { name, text: "Aucun filtre actif n'achète de lui-même", tone: "rest" };
  const filters = formatCounted(auto.filtres, "filtre actif achète", "filtres actifs achètent");
  return { name, text: `${filters} pour vous`, tone: "good" };
}

function spendingRow({ depense }: Sante): HealthRow {
  const { jour, limite_jour: limit } = depense;
  const isFull = Number(jour.amount) >= Number(limit.amount);
  return {
    name: "Dépensé aujourd'hui",
    text: `${formatMoney(jour)} sur ${formatMoney(limit)}${isFull ? " : la limite du jour est atteinte" : ""}`,
    tone: isFull ? "care" : "good",
  };
}
