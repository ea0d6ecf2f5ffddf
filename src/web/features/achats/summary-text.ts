/** The figures of the summary in words that promise no more than they are. Pure. */
import type { Bilan } from "#contract/recit.ts";
import { formatCounted } from "../../ui/format.ts";

/** "75 %", "—" while nothing has ended. */
export function successText({ reussis, rates }: Pick<Bilan, "reussis" | "rates">): string {
  const ended = reussis + rates;
  return ended === 0 ? "—" : `${Math.round((100 * reussis) / ended)}\u00A0%`;
}

/** With what was compared: "3 achats sur 7, au prix médian de 42 annonces comparables vues sur 24 h". */
export function savingText({ economie, confirmes }: Pick<Bilan, "economie" | "confirmes">): string {
  if (confirmes === 0) return "Se calcule dès le premier achat confirmé.";
  if (economie === null) {
    return "Trop peu d'annonces comparables vues sur 24 h (même marque, même état, même type).";
  }
  const compared = `${formatCounted(economie.achats, "achat", "achats")} sur ${confirmes}`;
  const listings = formatCounted(economie.annonces, "annonce comparable vue", "annonces comparables vues");
  return `${compared}, au prix médian de ${listings} sur 24 h, hors livraison`;
}
