/** What people call the fields of a filter: the labels of the form, as they stand within a sentence. */
import type { FiltreFichier } from "./fichier.ts";

type NamedField = Exclude<keyof FiltreFichier, "private">;

export const FIELD_NAMES: Readonly<Record<NamedField, string>> = {
  tag: "tag",
  types: "types",
  brands: "marques",
  sizes: "tailles",
  status: "états",
  color: "couleur",
  limit: "limite de prix",
  limit_min: "prix minimum",
  bon_prix: "sous le prix habituel",
  paiement: "moyen de paiement",
  info: "info supp",
  mots: "mots à contenir",
  exclure: "mots à exclure",
  max_achats: "arrêt après",
  simulation: "simulation",
  alerte: "mode des alertes",
  alerte_max: "alertes par heure",
  vendeur: "vendeur",
  ignorer_republications: "republications",
  regles: "règles d'achat",
};

/** Of the fields that have fields of their own in the form. */
export const MEMBER_NAMES: Readonly<
  Record<`vendeur.${keyof FiltreFichier["vendeur"]}` | `regles.${keyof FiltreFichier["regles"]}`, string>
> = {
  "vendeur.note_min": "note minimum",
  "vendeur.avis_min": "avis minimum",
  "vendeur.pays": "pays",
  "vendeur.inconnu": "si inconnu",
  "regles.budget_jour": "budget par jour",
  "regles.budget_total": "budget en tout",
  "regles.heures": "heures d'achat",
  "regles.jours": "jours d'achat",
  "regles.pause": "pause entre deux achats",
  "regles.vendeur_jour": "achats par vendeur et par jour",
  "regles.echecs": "arrêt après des échecs",
};
