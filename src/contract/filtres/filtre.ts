import * as z from "zod/mini";
import { ALERT_MODES, DEFAULT_FILTER_ALERTS, DEFAULT_LIMIT_EUR } from "../bounds.ts";
import { money, unixMs } from "../envelope.ts";
import { arret, regles } from "./regles.ts";

/** A multiple choice as it is answered: the names come from the catalogue, in the order of the ids. */
export const selection = z.object({ ids: z.array(z.int()), names: z.array(z.string()) });
export type Selection = z.infer<typeof selection>;

/** What a filter asks of sellers. */
export const vendeurVoulu = z.object({
  /** 1 to 5; null: any. */
  note_min: z.nullable(z.number()),
  avis_min: z.nullable(z.int()),
  /** ISO 3166-1 codes; [] = all. */
  pays: z.array(z.string()),
  /** What happens where the marketplace does not tell. */
  inconnu: z.enum(["retenir", "laisser_passer"]),
});
export type VendeurVoulu = z.infer<typeof vendeurVoulu>;

/** A saved search as it is answered (specification §3). */
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
  /** Leaves out what its seller had listed before, unless it is cheaper than ever. */
  ignorer_republications: z.boolean(),
  regles,
  /** The group in which it buys; null: none. */
  groupe: z.nullable(z.string()),
  /** Why the product switched autobuy off; null once it is on again. */
  arret: z.nullable(arret),
  /** How it announces what it finds, and how many of an hour one by one. */
  alerte: z.enum(ALERT_MODES),
  alerte_max: z.int(),
});
export type Filtre = z.infer<typeof filtre>;

const NONE: Selection = { ids: [], names: [] };

/** A new filter before anything is chosen (specification §3): what absent fields of `/filtres/add` mean. */
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

/** What such a filter would have found among the listings that the product saw in the last day. */
export const apercu = z.object({
  articles: z.int(),
  /** Listings of the chosen types that were looked at: 0 says that nothing is known of them, not that there are none. */
  vus: z.int(),
  /** Unix ms since which it counts: a day, or less where less is remembered. */
  depuis: unixMs,
  prix: z.nullable(z.object({ min: money, max: money })),
});
export type Apercu = z.infer<typeof apercu>;

/** What one of the person's filters has lately found and bought. */
export const filtreActivite = z.object({
  _id: z.string(),
  /** Articles, each once, since the moment that was asked for. */
  trouves_aujourdhui: z.int(),
  /** The last one it found; null where there was none in the last day. `vu_a`: unix ms. */
  dernier: z.nullable(z.object({ id: z.int(), title: z.string(), vu_a: unixMs })),
  /** Open and confirmed purchases, as `max_achats` counts them. */
  achetes: z.int(),
});
export type FiltreActivite = z.infer<typeof filtreActivite>;

const { _id, tag, types, brands, sizes, status, color, limit, bon_prix } = filtre.shape;
const criteria = { tag, types, brands, sizes, status, color, limit, bon_prix };

/** A public filter of another person: never whose it is. */
export const filtrePublic = z.object({ _id, ...criteria, copies: z.int() });
export type FiltrePublic = z.infer<typeof filtrePublic>;

/** A filter ready to be started with one click: it found something in the last hour. */
export const filtrePret = z.object({
  ...criteria,
  /** The public filter that it copies; null for one derived from frequent listings. */
  copie_de: z.nullable(z.string()),
  /** Listings of the last hour. */
  articles: z.int(),
});
export type FiltrePret = z.infer<typeof filtrePret>;
