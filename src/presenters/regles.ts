/** Converts buying rules and groups between domain and contract, and words them in French. Pure. */
import type { FiltrePayload } from "#contract/socket.ts";
import type { Groupe, RaisonArret, Regles } from "#contract/filtres/regles.ts";
import type { ReglesInput } from "#contract/filtres/regles-input.ts";
import type { BuyingRules, BuyingStop, EndReason, GroupState } from "#domain/buying-rules.ts";
import { eur } from "#domain/money.ts";
import { countText } from "./french-texts.ts";

export function presentRegles(rules: BuyingRules): Regles {
  const { hours } = rules;
  return {
    budget_jour: rules.dayBudgetEur,
    budget_total: rules.totalBudgetEur,
    heures: hours === null ? null : { de: timeText(hours.fromMinute), a: timeText(hours.toMinute) },
    jours: [...rules.days],
    pause: rules.pauseMinutes,
    vendeur_jour: rules.perSellerAndDay,
    echecs: rules.maxFailures,
  };
}

/** 510 becomes "08:30". */
export function timeText(minute: number): string {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${hours}:${minutes}`;
}

/** "08:30", validated by the contract's schema, becomes 510. */
export function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

/**
 * Applies sent rules to a filter's rules; absent members keep their value.
 * @returns null: the two times of day are equal
 */
export function readRegles(input: ReglesInput, known: BuyingRules): BuyingRules | null {
  const { heures, jours } = input;
  const hours =
    heures === undefined || heures === null
      ? heures
      : { fromMinute: minuteOf(heures.de), toMinute: minuteOf(heures.a) };
  if (hours !== undefined && hours !== null && hours.fromMinute === hours.toMinute) return null;
  const kept = <Value>(sent: Value | undefined, before: Value): Value => (sent === undefined ? before : sent);
  return {
    dayBudgetEur: kept(input.budget_jour, known.dayBudgetEur),
    totalBudgetEur: kept(input.budget_total, known.totalBudgetEur),
    hours: kept(hours, known.hours),
    days: jours === undefined ? known.days : [...new Set(jours)].toSorted((one, other) => one - other),
    pauseMinutes: kept(input.pause, known.pauseMinutes),
    perSellerAndDay: kept(input.vendeur_jour, known.perSellerAndDay),
    maxFailures: kept(input.echecs, known.maxFailures),
  };
}

const RAISONS: Readonly<Record<EndReason, RaisonArret>> = {
  group: "groupe",
  max_purchases: "max_achats",
  total_budget: "budget_total",
  failures: "echecs",
};

export function presentRaison(reason: EndReason): RaisonArret {
  return RAISONS[reason];
}

export function presentGroupe(group: GroupState): Groupe {
  return {
    _id: group.id,
    nom: group.name,
    achats: group.maxPurchases,
    budget: group.budgetEur,
    filtres: [...group.filterIds],
    pris: { achats: group.taken.count, montant: eur(group.taken.cents) },
    etat: group.isComplete ? "complet" : "ouvert",
  };
}

/** Payload for pages when autobuy ended. @param name of the group or the filter; null: it was deleted */
export function presentArret(stop: BuyingStop, name: string | null): FiltrePayload {
  return {
    message: stopText(stop, name),
    raison: presentRaison(stop.reason),
    filtres: [...stop.filterIds],
    groupe: stop.groupId,
  };
}

const REASON_TEXTS: Readonly<Record<EndReason, string>> = {
  group: "son groupe est complet",
  max_purchases: "son nombre d'achats est atteint",
  total_budget: "son budget est dépensé",
  failures: "trop d'achats n'ont pas abouti",
};

function stopText({ reason, filterIds }: BuyingStop, name: string | null): string {
  if (reason === "group") {
    const filters = countText(filterIds.length, "filtre", "filtres");
    return `Groupe ${quoted(name)}complet : l'achat automatique de ${filters} est arrêté.`;
  }
  return `Filtre ${quoted(name)}arrêté : ${REASON_TEXTS[reason]}.`;
}

/** Answer to switching autobuy on although its end is reached. */
export function reachedText(reason: EndReason): string {
  return `L'achat automatique reste coupé : ${REASON_TEXTS[reason]}.`;
}

const quoted = (name: string | null): string => (name === null ? "" : `« ${name} » `);
