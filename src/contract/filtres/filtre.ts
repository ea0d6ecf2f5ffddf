import * as z from "zod/mini";
import {
  ALERT_MODES,
  DEFAULT_FILTER_ALERTS,
  DEFAULT_LIMIT_EUR,
  MAX_FILTER_ALERTS,
  MAX_INFO_LENGTH,
  MAX_LIMIT_EUR,
  MAX_PURCHASES_STOP,
  MAX_SELECTED_IDS,
  MAX_SELLER_COUNTRIES,
  MAX_SELLER_RATING,
  MAX_SELLER_REVIEWS,
  MAX_TAG_LENGTH,
  MAX_WORDS,
  MAX_WORDS_LENGTH,
  MIN_SELLER_RATING,
} from "../bounds.ts";
import { money, unixMs } from "../envelope.ts";
import { reglesInput } from "./regles-input.ts";
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

/** A multiple choice as it is sent: names are ignored. */
const selectionInput = z.object({
  ids: z._default(
    z
      .array(z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER)))
      .check(z.maxLength(MAX_SELECTED_IDS)),
    [],
  ),
});

export const filtreId = z.string().check(z.minLength(1), z.maxLength(64));
/** Words, phrases, or alternatives between `|`, whose own bounds are checked where they are read. */
export const wordsInput = z
  .array(z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_WORDS_LENGTH)))
  .check(z.maxLength(MAX_WORDS));

/** Above `limit` it is refused. */
const priceFloor = z.int().check(z.minimum(0), z.maximum(MAX_LIMIT_EUR));

const noteMin = z.nullable(z.number().check(z.minimum(MIN_SELLER_RATING), z.maximum(MAX_SELLER_RATING)));
const avisMin = z.nullable(z.int().check(z.minimum(1), z.maximum(MAX_SELLER_REVIEWS)));
/** Codes are looked up where they are read. */
const pays = z.array(z.string().check(z.length(2))).check(z.maxLength(MAX_SELLER_COUNTRIES));
const inconnu = z.enum(["retenir", "laisser_passer"]);

const vendeurInput = z.object({
  note_min: z._default(noteMin, newFiltre.vendeur.note_min),
  avis_min: z._default(avisMin, newFiltre.vendeur.avis_min),
  pays: z._default(pays, newFiltre.vendeur.pays),
  inconnu: z._default(inconnu, newFiltre.vendeur.inconnu),
});
/** A member that is absent keeps its value. */
const vendeurEditInput = z.object({
  note_min: z.exactOptional(noteMin),
  avis_min: z.exactOptional(avisMin),
  pays: z.exactOptional(pays),
  inconnu: z.exactOptional(inconnu),
});
const maxAchats = z.nullable(z.int().check(z.minimum(1), z.maximum(MAX_PURCHASES_STOP)));
const bonPrix = z.nullable(z.literal([25, 10, 5]));

/** What `/filtres/add` takes: absent fields are the specification's defaults. */
export const filtreInput = z.object({
  tag: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_TAG_LENGTH)),
  active: z._default(z.boolean(), newFiltre.active),
  autobuy: z._default(z.boolean(), newFiltre.autobuy),
  private: z._default(z.boolean(), newFiltre.private),
  types: z._default(selectionInput, { ids: [] }),
  brands: z._default(selectionInput, { ids: [] }),
  sizes: z._default(selectionInput, { ids: [] }),
  status: z._default(selectionInput, { ids: [] }),
  color: z._default(z.string().check(z.maxLength(20)), newFiltre.color),
  limit: z._default(z.int().check(z.minimum(0), z.maximum(MAX_LIMIT_EUR)), newFiltre.limit),
  limit_min: z._default(priceFloor, newFiltre.limit_min),
  bon_prix: z._default(bonPrix, newFiltre.bon_prix),
  paiement: z._default(z.union([z.literal(1), z.literal(11)]), 1),
  info: z._default(z.string().check(z.maxLength(MAX_INFO_LENGTH)), newFiltre.info),
  mots: z._default(wordsInput, newFiltre.mots),
  exclure: z._default(wordsInput, newFiltre.exclure),
  max_achats: z._default(maxAchats, newFiltre.max_achats),
  simulation: z._default(z.boolean(), newFiltre.simulation),
  vendeur: z._default(vendeurInput, newFiltre.vendeur),
  ignorer_republications: z._default(z.boolean(), newFiltre.ignorer_republications),
  regles: z._default(reglesInput, {}),
  /** Absent: loud, six an hour; in an edit: as saved. */
  alerte: z.optional(z.enum(ALERT_MODES)),
  alerte_max: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_FILTER_ALERTS))),
});
export type FiltreInput = z.infer<typeof filtreInput>;

/** What `/filtres/edit` takes: the whole filter. A field that came later than the first clients keeps its value when absent. */
export const filtreEditInput = z.extend(filtreInput, {
  _id: filtreId,
  limit_min: z.exactOptional(priceFloor),
  mots: z.exactOptional(wordsInput),
  exclure: z.exactOptional(wordsInput),
  max_achats: z.exactOptional(maxAchats),
  simulation: z.exactOptional(z.boolean()),
  vendeur: z.exactOptional(vendeurEditInput),
  ignorer_republications: z.exactOptional(z.boolean()),
  bon_prix: z.exactOptional(bonPrix),
  /** As the page knows it: autobuy that has ended since is not switched on again. */
  arret: z.optional(z.nullable(arret)),
});
export type FiltreEditInput = z.infer<typeof filtreEditInput>;

/** What a listing must be: all that is neither the filter's name nor how it runs, buys and announces. */
export const filtreCriteria = z.omit(filtreInput, {
  tag: true,
  active: true,
  autobuy: true,
  private: true,
  paiement: true,
  info: true,
  max_achats: true,
  simulation: true,
  regles: true,
  alerte: true,
  alerte_max: true,
});

/** What `/filtres/apercu` takes of a filter that is still being written: the criteria that a listing alone answers. */
export const filtreApercuInput = z.omit(filtreCriteria, { vendeur: true, ignorer_republications: true });
export type FiltreApercuInput = z.infer<typeof filtreApercuInput>;

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
