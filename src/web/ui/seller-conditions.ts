/** A filter's conditions on sellers in figures about the past, which cannot test them. */
import type { VendeurVoulu } from "#contract/filtres/filtre.ts";

export const UNTESTED_SELLER_TEXT =
  "Les conditions sur le vendeur ne sont pas comptées : ses avis et son pays ne sont pas gardés avec les annonces.";

export function asksForSeller({ note_min, avis_min, pays }: VendeurVoulu): boolean {
  return note_min !== null || avis_min !== null || pays.length > 0;
}
