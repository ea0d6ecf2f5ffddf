/** The figures of the summary in words that promise no more than they are. Pure. */
import type { Bilan } from "#contract/recit.ts";
import { formatCounted, formatMoney } from "../../ui/format.ts";

const SHOWN_WEEKS = 12;
const DAY_MS = 24 * 3_600_000;

/** Whether there is anything to sum up. */
export function hasHistory({ reussis, rates, pertes, depense }: Bilan): boolean {
  return reussis + rates > 0 || pertes.length > 0 || depense.semaines.length > 0;
}

/** "75 %", "—" while nothing has ended. */
export function successText({ reussis, rates }: Pick<Bilan, "reussis" | "rates">): string {
  const ended = reussis + rates;
  return ended === 0 ? "—" : `${Math.round((100 * reussis) / ended)}\u00A0%`;
}

/** "9 achats réussis, 1 raté". */
export function endedText({ reussis, rates }: Pick<Bilan, "reussis" | "rates">): string {
  return `${formatCounted(reussis, "achat réussi", "achats réussis")}, ${formatCounted(rates, "raté", "ratés")}`;
}

/** Compared with what: "sur 3 achats comparables, au prix de 42 annonces du jour". */
export function savingText({ economie, confirmes }: Pick<Bilan, "economie" | "confirmes">): string {
  if (confirmes === 0) return "se calcule dès le premier achat confirmé";
  if (economie === null) return "trop peu d'annonces comparables sur 24 h";
  const compared = formatCounted(economie.achats, "achat comparable", "achats comparables");
  const listings = formatCounted(economie.annonces, "annonce", "annonces");
  return `sur ${compared}, au prix de ${listings} du jour`;
}

export interface Week {
  /** "16/11". */
  readonly label: string;
  readonly euros: number;
  /** "12,50 €". */
  readonly text: string;
  readonly purchases: number;
}

/** The last weeks up to this one, the oldest first; a week without a purchase is there with nothing. */
export function recentWeeks(semaines: Bilan["depense"]["semaines"], nowMs: number): readonly Week[] {
  const known = new Map(semaines.map((semaine) => [semaine.debut, semaine]));
  const thisMonday = mondayOf(nowMs);
  return Array.from({ length: SHOWN_WEEKS }, (_, index) => {
    const monday = new Date(thisMonday - (SHOWN_WEEKS - 1 - index) * 7 * DAY_MS).toISOString().slice(0, 10);
    const { montant, achats } = known.get(monday) ?? NOTHING;
    return {
      label: `${monday.slice(8)}/${monday.slice(5, 7)}`,
      euros: Number(montant.amount),
      text: formatMoney(montant),
      purchases: achats,
    };
  });
}

const NOTHING = { montant: { amount: "0.00", currency_code: "EUR" }, achats: 0 };

const parisDay = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Paris" });

/** The Monday of a moment's week in Europe/Paris, as the server counts weeks, as midnight UTC of its date. */
function mondayOf(atMs: number): number {
  const dayMs = Date.parse(parisDay.format(atMs));
  const daysSinceMonday = (new Date(dayMs).getUTCDay() + 6) % 7;
  return dayMs - daysSinceMonday * DAY_MS;
}
