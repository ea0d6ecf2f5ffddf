import * as z from "zod/mini";
import { ALERT_MODES, DEFAULT_FILTER_ALERTS, DEFAULT_LIMIT_EUR } from "../bounds.ts";
import { money, unixMs } from "../envelope.ts";
import { arret, regles } from "./regles.ts";

/** A multiple choice in answers: the names come from the catalogue, in the order of the ids. */
export const selection = z.object({ ids: z.array(z.int()), names: z.array(z.string()) });
export type Selection = z.infer<typeof selection>;

/** A filter's conditions on sellers. */
const vendeurVoulu = z.object({
  /** 1 to 5; null: any. */
  note_min: z.nullable(z.number()),
  avis_min: z.nullable(z.int()),
  /** ISO 3166-1 codes; [] = all. */
  pays: z.array(z.string()),
  /** What happens if the marketplace does not tell. */
  inconnu: z.enum(["retenir", "laisser_passer"]),
});
export type VendeurVoulu = z.infer<typeof vendeurVoulu>;

/** A saved search in answers (specification §3). */
export const filtre = z.object({
  _id: z.string(),
  tag: z.string(),
  active: z.boolean(),
  autobuy: z.boolean(),
  private: z.boolean(),
  types: selection,
  brands: selection,
  sizes: selection,
  status: selection,
  /** The specification's English colour name; "" = all. */
  color: z.string(),
  /** Price cap in whole EUR; 0 matches nothing. */
  limit: z.int(),
  /** Price floor in whole EUR; 0: none. */
  limit_min: z.int(),
  /** The price is among the cheapest N percent of similar listings: 25, 10 or 5; null: any price. */
  bon_prix: z.nullable(z.literal([25, 10, 5])),
  paiement: z.int(),
  info: z.string(),
  /** Each member is a word, a phrase, or alternatives of which one is enough: "tech fleece | techfleece". */
  mots: z.array(z.string()),
  exclure: z.array(z.string()),
  max_achats: z.nullable(z.int()),
  simulation: z.boolean(),
  vendeur: vendeurVoulu,
  /** Skips relists, unless cheaper than ever before. */
  ignorer_republications: z.boolean(),
  regles,
  /** The group in which it buys; null: none. */
  groupe: z.nullable(z.string()),
  /** Why the product switched autobuy off; null once it is on again. */
  arret: z.nullable(arret),
  /** How it announces matches, and how many per hour one by one. */
  alerte: z.enum(ALERT_MODES),
  alerte_max: z.int(),
});
export type Filtre = z.infer<typeof filtre>;

const NONE: Selection = { ids: [], names: [] };

/** A new filter (specification §3): the defaults of absent fields of `/filtres/add`. */
export const newFiltre: Filtre = {
  _id: "",
  tag: "",
  active: true,
  autobuy: false,
  private: false,
  types: NONE,
  brands: NONE,
  sizes: NONE,
  status: NONE,
  color: "",
  limit: DEFAULT_LIMIT_EUR,
  limit_min: 0,
  bon_prix: null,
  paiement: 1,
  info: "",
  mots: [],
  exclure: [],
  max_achats: null,
  simulation: false,
  vendeur: { note_min: null, avis_min: null, pays: [], inconnu: "retenir" },
  ignorer_republications: false,
  regles: {
    budget_jour: null,
    budget_total: null,
    heures: null,
    jours: [],
    pause: null,
    vendeur_jour: null,
    echecs: null,
  },
  groupe: null,
  arret: null,
  alerte: "sonore",
  alerte_max: DEFAULT_FILTER_ALERTS,
};

/** What a draft filter would have found among the listings of the last day. */
export const apercu = z.object({
  articles: z.int(),
  /** Listings of the chosen types; 0: nothing is known of them. */
  vus: z.int(),
  /** Unix ms of the period's start: a day ago, or less if less is remembered. */
  depuis: unixMs,
  prix: z.nullable(z.object({ min: money, max: money })),
});
export type Apercu = z.infer<typeof apercu>;

/** What one of the person's filters has recently found and bought. */
export const filtreActivite = z.object({
  _id: z.string(),
  /** Distinct articles since the requested time. */
  trouves_aujourdhui: z.int(),
  /** The last one found; null: none in the last day. `vu_a`: unix ms. */
  dernier: z.nullable(z.object({ id: z.int(), title: z.string(), vu_a: unixMs })),
  /** Open and confirmed purchases, as `max_achats` counts them. */
  achetes: z.int(),
});
export type FiltreActivite = z.infer<typeof filtreActivite>;

const { _id, tag, types, brands, sizes, status, color, limit, bon_prix } = filtre.shape;
const criteria = { tag, types, brands, sizes, status, color, limit, bon_prix };

/** Another person's public filter, without its owner. */
export const filtrePublic = z.object({ _id, ...criteria, copies: z.int() });
export type FiltrePublic = z.infer<typeof filtrePublic>;

/** A filter that can be started with one click: it found something in the last hour. */
export const filtrePret = z.object({
  ...criteria,
  /** The public filter that it copies; null for one derived from frequent listings. */
  copie_de: z.nullable(z.string()),
  /** Its listings of the last hour. */
  articles: z.int(),
});
export type FiltrePret = z.infer<typeof filtrePret>;
